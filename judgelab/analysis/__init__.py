"""What the pages and the command line ask of a project: stored scores joined with statistics."""
