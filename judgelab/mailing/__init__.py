"""Invitations and reminders by mail; addresses come with a list and are not stored."""
