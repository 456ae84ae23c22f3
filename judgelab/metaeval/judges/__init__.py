"""What else is asked of judges: bias, calibration, ranking."""
