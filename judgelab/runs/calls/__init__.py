"""Calling a model: retries, limits, concurrency, budgets, storing replies."""
