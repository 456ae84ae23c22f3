"""The checks of `judgelab doctor`, one subject per file."""
