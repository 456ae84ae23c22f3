"""Human ratings: who gets what, what they said, and which of it is kept."""
