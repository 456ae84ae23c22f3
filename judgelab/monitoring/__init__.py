"""Metrics for Prometheus on a separate address: counters of the process and figures from the database."""
