"""The texts of a frame: responses, references, questions, contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.api.given_frames import as_frame
from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import list_of, text_of
from judgelab.imports.core.fields import rank, recognise

TEXTS = ("response", "reference", "question", "context")


class TextColumns(NamedTuple):
    """The frame with plain columns, and its column of each text; references may have several."""

    frame: pd.DataFrame
    column: Mapping[str, str]
    references: tuple[str, ...]

    def texts(self, name: str) -> list[str | None]:
        """Return the texts of `response`, `question` or `context`, None where missing."""
        if name not in self.column:
            return [None] * len(self.frame)
        return [_text(cell) for cell in self.frame[self.column[name]].tolist()]

    def reference_lists(self) -> list[list[str]]:
        """Return the references of each row; a cell may hold one, or a list of them."""
        lists: list[list[str]] = [[] for _ in range(len(self.frame))]
        for column in self.references:
            for found, cell in zip(lists, self.frame[column].tolist(), strict=True):
                parts = list(cell) if isinstance(cell, (np.ndarray, tuple, set)) else cell
                texts = [] if _is_missing(parts) else map(_text, list_of(parts))
                found.extend(text for text in texts if text is not None and text.strip())
        return lists


def text_columns(data: Any, columns: Mapping[str, str | Sequence[str]] | None, *, call: str) -> TextColumns:
    """Return which columns hold the texts, by the names that an import knows.

    Args:
        data: the frame.
        columns: which column is which, where names are not recognised.
        call: what a message shows as the beginning of the call that works.

    Raises:
        InvalidInput: there is no response, or `columns` names what does not exist.
    """
    frame = as_frame(data)
    named = {
        text: [given] if isinstance(given, str) else list(given) for text, given in (columns or {}).items()
    }
    for text, given in named.items():
        if text not in TEXTS:
            raise InvalidInput(f"columns has no text '{text}'; the texts are {', '.join(TEXTS)}.")
        for column in given:
            if column not in frame.columns:
                raise InvalidInput(f"no column is called '{column}'; the columns are {listing(frame)}.")
    taken = {column for given in named.values() for column in given}
    found: dict[str, list[str]] = {}
    for column in frame.columns:
        field = recognise(column) or ""
        if column not in taken and (
            field in TEXTS or field.startswith("reference_") and field[10:].isdigit()
        ):
            found.setdefault(field, []).append(column)
    plain = {text: min(found[text], key=rank) for text in TEXTS if text in found}
    chosen = {**plain, **{text: given[0] for text, given in named.items()}}
    numbered = sorted(
        (field for field in found if field.startswith("reference_")), key=lambda name: int(name[10:])
    )
    references = named.get("reference") or [
        *([plain["reference"]] if "reference" in plain else []),
        *(column for field in numbered for column in found[field]),
    ]
    if "response" not in chosen:
        raise InvalidInput(
            f'no column is the response ({listing(frame)}); name it: {call}, columns={{"response": "…"}}).'
        )
    return TextColumns(frame, chosen, tuple(references))


def listing(frame: pd.DataFrame, most: int = 12) -> str:
    """Return the names of a frame's columns for a message."""
    names = [str(name) for name in frame.columns]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _text(cell: Any) -> str | None:
    return None if _is_missing(cell) else text_of(cell)


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)
