"""Scores as arrays: units, pairing, aggregation, resampling, results."""
