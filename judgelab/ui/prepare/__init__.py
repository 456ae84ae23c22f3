"""The page *Prepare*: what a judge needs before it runs."""
