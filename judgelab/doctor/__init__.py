"""Is everything where it should be: what `judgelab doctor` looks at, one subject a file."""
