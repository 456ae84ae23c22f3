"""Each rater: work, behaviour, agreement with others."""
