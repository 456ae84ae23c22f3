"""Import files as items, responses, ratings and judgments, and export projects as files."""
