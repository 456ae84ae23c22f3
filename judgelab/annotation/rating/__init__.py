"""One person rating in one project: the session, its settings, units as shown, operations."""
