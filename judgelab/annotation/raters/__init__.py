"""What is known of each rater: pace, behaviour, agreement, flags."""
