"""Scales: allowed scores, labels, prompt text, and how raters enter a score."""

from judgelab.scales.base import (
    CANNOT_JUDGE,
    PASSED,
    Point,
    Scale,
    Setting,
    may_pass,
    parse_scale,
    scale_from_json,
    scales,
    unordered,
    why_no_order,
    widened,
)

__all__ = [
    "CANNOT_JUDGE",
    "PASSED",
    "Point",
    "Scale",
    "Setting",
    "may_pass",
    "parse_scale",
    "scale_from_json",
    "scales",
    "why_no_order",
    "unordered",
    "widened",
]
