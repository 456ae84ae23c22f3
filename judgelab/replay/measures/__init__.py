"""Ways of making the number of a cell, found by name."""

from judgelab.replay.measures.base import Asked, measures

__all__ = ["Asked", "measures"]
