"""Tests, corrections and sample sizes."""
