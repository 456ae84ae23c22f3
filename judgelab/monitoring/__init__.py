"""Figures for Prometheus, on an address of their own: what a process counts, and what the database holds."""
