"""Units, assignments, ratings, checks, decisions, filters."""
