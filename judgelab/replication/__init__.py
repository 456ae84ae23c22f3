"""A paper replayed on a project's own data: its tables beside the published ones, its runs planned."""
