"""Whole projects out of the database and into it."""
