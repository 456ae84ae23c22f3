"""Stored rows as data frames for the statistics."""
