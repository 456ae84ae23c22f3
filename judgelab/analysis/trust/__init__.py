"""Can this judge be trusted? What bears on it, and the answer in sentences."""
