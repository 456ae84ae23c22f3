"""Scoring with metrics."""
