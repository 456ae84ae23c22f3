"""What a filter does to the ratings, agreement, systems and judges."""
