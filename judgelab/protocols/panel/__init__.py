"""A panel of roles: options, prompts, replies, seats, votes."""
