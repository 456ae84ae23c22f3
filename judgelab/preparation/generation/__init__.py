"""Texts that models write for a preparation: prompts, calls, reports."""
