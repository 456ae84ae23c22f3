"""Lists of references of varied quality: drawn, written, edited."""
