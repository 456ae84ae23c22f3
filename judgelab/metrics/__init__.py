"""Numbers a text gets without anybody reading it."""

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics

__all__ = ["Metric", "MetricInput", "MetricScore", "metrics"]
