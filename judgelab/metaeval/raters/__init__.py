"""How each human rater rates."""
