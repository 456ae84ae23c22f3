"""Models in this process's own memory: found, loaded, asked in batches. The app loads none."""
