"""Endpoints: values, tests."""
