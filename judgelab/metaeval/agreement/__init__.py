"""Judges compared with the human raters, the human ceiling and the baselines."""
