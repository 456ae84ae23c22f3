"""What a score may be: allowed values, labels, prompt text, and how raters enter it."""

from judgelab.scales.base import Point, Scale, scale_from_json, scales

__all__ = ["Point", "Scale", "scale_from_json", "scales"]
