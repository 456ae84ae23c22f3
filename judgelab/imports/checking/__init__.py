"""Records checked against the project and against one another."""
