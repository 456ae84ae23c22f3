"""The learned judge: a model of how the project's own raters score, from features that can be named."""
