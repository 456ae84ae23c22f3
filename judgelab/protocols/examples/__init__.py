"""Rated examples for prompts, and example replies with the score that must be read in them."""
