"""People, memberships, sessions, invitations, links."""
