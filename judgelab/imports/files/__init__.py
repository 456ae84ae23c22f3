"""Files of any format as columns and rows."""
