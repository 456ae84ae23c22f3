"""Results as plain JSON values, whatever they are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(found: Any) -> Any:
    """Return a result as plain JSON values: what has `to_json` says it itself, no number is null.

    >>> plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if hasattr(found, "to_json"):
        return found.to_json()
    if is_dataclass(found) and not isinstance(found, type):
        return {field.name: plain(getattr(found, field.name)) for field in fields(found)}
    if isinstance(found, Mapping):
        return {str(key): plain(value) for key, value in found.items()}
    if isinstance(found, tuple) and hasattr(found, "_fields"):
        return {name: plain(value) for name, value in zip(found._fields, found, strict=True)}
    if isinstance(found, (list, tuple, np.ndarray)):
        return [plain(value) for value in found]
    if isinstance(found, np.generic):
        found = found.item()
    if isinstance(found, float) and not math.isfinite(found):
        return None
    return str(found) if isinstance(found, str) else found
