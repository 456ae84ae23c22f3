"""How far judges, metrics and raters agree."""
