"""Results of any type as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def json_values(result: Any) -> Any:
    """Return a result as plain JSON values; `to_json` is used where it exists, NaN becomes null.

    >>> json_values({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if hasattr(result, "to_json"):
        return result.to_json()
    if is_dataclass(result) and not isinstance(result, type):
        return {field.name: json_values(getattr(result, field.name)) for field in fields(result)}
    if isinstance(result, Mapping):
        return {str(key): json_values(value) for key, value in result.items()}
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return {name: json_values(value) for name, value in zip(result._fields, result, strict=True)}
    if isinstance(result, (list, tuple, np.ndarray)):
        return [json_values(value) for value in result]
    if isinstance(result, np.generic):
        result = result.item()
    if isinstance(result, float) and not math.isfinite(result):
        return None
    return str(result) if isinstance(result, str) else result
