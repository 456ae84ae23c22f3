"""The page *Data*: importing files, what the project contains, metrics."""
