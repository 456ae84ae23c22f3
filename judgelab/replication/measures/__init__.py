"""Ways of making the number of a cell, found by name."""

from judgelab.replication.measures.base import Asked, measures

__all__ = ["Asked", "measures"]
