"""Metrics: numbers computed from a text without a reader."""

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics

__all__ = ["Metric", "MetricInput", "MetricScore", "metrics"]
