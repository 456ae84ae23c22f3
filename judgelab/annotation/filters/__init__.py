"""The filter: unreliable raters, conflicting units, and what is left."""
