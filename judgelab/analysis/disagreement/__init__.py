"""Where judges and raters differ: conflicts, single responses, patterns, failure modes."""
