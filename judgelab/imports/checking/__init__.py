"""Check records against the project and against one another."""
