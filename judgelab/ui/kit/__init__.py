"""Building blocks of every page: widgets, text, figures, and what the browser window allows."""
