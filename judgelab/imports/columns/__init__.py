"""A file as one table, and what its columns mean."""
