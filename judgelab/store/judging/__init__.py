"""Judges, runs, judgments, verdicts, prompts, endpoints."""
