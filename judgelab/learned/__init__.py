"""The learned judge: a model of how a project's raters score, from named features."""
