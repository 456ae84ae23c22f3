"""Who is signed in, what they may open, and in which language."""
