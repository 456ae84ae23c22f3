"""Judges against one another, systems against one another, and the ratings needed to settle it."""
