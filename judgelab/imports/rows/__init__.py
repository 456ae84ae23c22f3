"""Turn the rows of a mapped file into records."""
