"""The page *Report*: the recipe, the pack, and links to share it."""
