"""Human ratings: assigning units, storing ratings, filtering them, and reports on raters."""
