"""Checks of arguments: names and lists of them, whole numbers, cells that hold lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput


def names_listed(names: Any, argument: str, example: str = "gpt") -> list[str]:
    """Return the names that an argument lists, one of them if it is a text; a column may be called 3.

    Raises:
        InvalidInput: it lists nothing that could be a name.
    """
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, pd.DataFrame) or not isinstance(names, Iterable):
        raise InvalidInput(f'{argument} must be a list of names, such as {argument}=["{example}"].')
    return [str(name) for name in names]


def one_each(**given: Any) -> None:
    """Raise `InvalidInput` if an argument that takes one name lists several."""
    for name, value in given.items():
        if isinstance(value, Iterable) and not isinstance(value, str):
            first = next((one for one in value if isinstance(one, str)), "…")
            raise InvalidInput(f'{name} is a list, but must be one name, such as {name}="{first}".')


def whole_numbers(*, least: int = 0, **given: Any) -> None:
    """Raise `InvalidInput` if an argument is no whole number, or below the least."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise InvalidInput(f"{name} is {value!r}, but must be a whole number, {least} or more.")


def refuse_nested_cells(frame: pd.DataFrame) -> None:
    """Raise `InvalidInput` if a cell holds a list, a dictionary or the like, which cannot be counted."""
    for name in frame.columns:
        for row, cell in enumerate(frame[name]):
            if not isinstance(cell, Hashable):
                kind = type(cell).__name__
                raise InvalidInput(
                    f"the column '{name}' holds a {kind} in row {row + 1}; write one value a cell, or leave "
                    f'the column out: df.drop(columns="{name}").'
                )
