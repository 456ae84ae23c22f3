"""What pages keep between two runs of their scripts."""
