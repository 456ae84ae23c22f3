"""Judges beside the humans, the ceiling and the baselines."""
