"""People who come through an open link of a crowd platform: making links, joining, leaving, paying."""
