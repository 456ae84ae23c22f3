"""Ways of computing the number of a cell, found by name."""

from judgelab.replication.measures.base import MeasureRequest, measures

__all__ = ["MeasureRequest", "measures"]
