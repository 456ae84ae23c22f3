"""From what a user asks for to a judge and its units."""
