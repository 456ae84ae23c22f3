"""Reading the score stated in a reply: numbers, words, letters, JSON, yes or no."""
