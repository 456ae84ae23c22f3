"""The pages *Project* and *Home*: settings, criteria, assignment, progress, activity."""
