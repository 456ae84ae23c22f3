"""Reading what a reply states: numbers, words, letters, JSON, yes or no."""
