"""The page *Runs*: progress, failures, budget, unscored replies."""
