"""Files as columns and rows, whatever their format."""
