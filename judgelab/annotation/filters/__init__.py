"""The filter: unreliable raters, conflicting units, and what it leaves."""
