"""Projects and what they contain."""
