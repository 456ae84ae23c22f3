"""What was prepared for judges: panels, reference lists, examples."""
