"""The process that works: engine, supervisor, janitor, jobs."""
