"""Further questions about judges: bias, calibration, ranking of systems."""
