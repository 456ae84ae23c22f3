"""Statistics about scores: pure functions on frames."""
