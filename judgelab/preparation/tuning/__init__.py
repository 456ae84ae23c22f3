"""Tuning a judge: its dataset, the split into items, hosted jobs, what is reported."""
