"""Panels of roles: found, clustered, edited."""
