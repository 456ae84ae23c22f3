"""Rows of a mapped file as records."""
