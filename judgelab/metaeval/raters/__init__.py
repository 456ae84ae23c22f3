"""Statistics of each human rater."""
