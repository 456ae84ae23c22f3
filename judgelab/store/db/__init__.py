"""The database itself: connections, schema, locks, health, backups."""
