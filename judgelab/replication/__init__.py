"""Replication of a paper on a project's own data: its tables next to the published ones, and its runs."""
