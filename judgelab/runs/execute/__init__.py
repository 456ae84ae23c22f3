"""Judging units: prompt, replies, reading, verdict."""
