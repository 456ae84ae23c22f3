"""The paper pack: methods, rater flow, tables, figures, anonymised data, and commands to recompute it."""
