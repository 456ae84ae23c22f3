"""A project's scores and filters, and what every analysis needs: caching, JSON, flat tables."""
