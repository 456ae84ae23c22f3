"""The pages *Quality* and *Raters*: the filter and its effect, and each rater."""
