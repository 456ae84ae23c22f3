"""The page *Study*: a paper's plan, tables and figures."""
