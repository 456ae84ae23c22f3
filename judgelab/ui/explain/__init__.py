"""The pages *Explain*, *Conflicts* and *Patterns*: single responses and what differs."""
