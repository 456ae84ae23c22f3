"""The pages *Agree*, *Compare*, *Trust*, *Means* and *More*."""
