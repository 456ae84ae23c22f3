"""Runs as batches."""
