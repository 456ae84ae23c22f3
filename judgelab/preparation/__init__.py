"""What a study needs before judging: lists of references, panels of roles, demonstrations."""
