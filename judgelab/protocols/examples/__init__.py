"""Rated examples for prompts, and replies with the score that must be read in them."""
