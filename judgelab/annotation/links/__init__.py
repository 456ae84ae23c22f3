"""Recruitment links: their options, a visit through one, and how a worker's part ends."""
