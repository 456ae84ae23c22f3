"""Recruitment links: their options, a visit through one, and how a crowd worker's participation ends."""
