"""From files to items, responses, ratings and judgments, and back."""
