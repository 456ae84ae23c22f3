"""A panel of roles: its options, prompts, replies, members and votes."""
