"""People, roles and sign-ins."""
