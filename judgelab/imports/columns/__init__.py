"""A file as a table, and the meaning of its columns."""
