"""Which unit a rater gets next: ordinary work, checks, repeats, training."""
