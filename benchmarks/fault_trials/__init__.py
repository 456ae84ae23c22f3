"""Kinds of faults, tried by `benchmarks/faults.py`."""
