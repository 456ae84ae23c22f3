"""Rows of a frame with their names as texts and their responses numbered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import name_of
from judgelab.metaeval.core.arrays import Bools, Ints
from judgelab.wording import counted, sentence

TEXTS = ("question", "response", "context", "reference")
FILLED = ("rater", "criterion")  # columns of names of which none may be empty, if there is the column


def names_in(frame: pd.DataFrame, column: str, found: Mapping[str, str]) -> pd.Series[str]:
    """Return a column of names as texts, "" where the frame has none or leaves it empty."""
    if column not in frame.columns:
        return pd.Series("", index=frame.index, dtype="str").reset_index(drop=True)
    code, names = pd.factorize(frame[column], use_na_sentinel=True)
    if pd.api.types.is_integer_dtype(names.dtype):  # in one go, as there may be millions of items
        texts = pd.concat([pd.Series(names).astype("str"), pd.Series([""], dtype="str")], ignore_index=True)
    else:
        texts = pd.Series([*(name_of(name) for name in names), ""], dtype="str")
    if column in FILLED and ((code < 0).any() or (texts.iloc[:-1] == "").any()):
        empty = (code < 0) | (texts.take(code) == "").to_numpy()
        raise InvalidInput(_empty_cell(found.get(column, column), empty))
    taken: pd.Series[str] = texts.take(code).reset_index(drop=True)
    return taken


def items_of(
    frame: pd.DataFrame, names: Mapping[str, pd.Series[str]], found: Mapping[str, str]
) -> pd.Series[str]:
    """Return the item of each row: its name, else its question, else its response's id."""
    if "item" in frame.columns:
        empty = (names["item"] == "").to_numpy()
        if empty.any():
            raise InvalidInput(_empty_cell(found.get("item", "item"), empty))
        return names["item"]
    if "question" in frame.columns:
        return names_in(frame, "question", found)
    return names["response_id"]


def check_filled(frame: pd.DataFrame, found: Mapping[str, str]) -> None:
    """Raise `InvalidInput` if a row of a wide frame names no item or criterion."""
    for name in ("item", "criterion"):
        if name in found:
            empty = np.array([name_of(value) == "" for value in frame[found[name]].astype(object).fillna("")])
            if empty.any():
                raise InvalidInput(_empty_cell(found[name], empty))


def _empty_cell(column: str, empty: Bools) -> str:
    rows = np.flatnonzero(empty)
    return sentence(
        "the column '{column}' is empty in row {row}{more}; fill it in or drop such rows: "
        'df.dropna(subset=["{column}"]).',
        column=column,
        row=int(rows[0]) + 1,
        more=counted(" and {n} more", " and {n} more", len(rows) - 1) if len(rows) > 1 else "",
    )


def numbered(parts: Sequence[Any]) -> Ints:
    """Return a number for each different combination, in order of appearance."""
    code = pd.factorize(parts[0])[0].astype(np.int64)
    for part in parts[1:]:
        other, distinct = pd.factorize(part, use_na_sentinel=False)  # -1 would be another's number
        if len(distinct) > 1:
            code = pd.factorize(code * len(distinct) + other)[0].astype(np.int64)
    numbers: Ints = code
    return numbers


def ids_of_rows(sides: pd.DataFrame) -> Any:
    """Return an id for each row of a wide frame, None where item and system, or the text, tell them apart.

    Rows of one item and system under the same criterion are different responses: `a (1)`, `a (2)`.
    """
    item = next((name for name in ("item", "question") if name in sides), None)
    if item is None:
        return None
    named = [item, *(["system"] if "system" in sides else [])]
    apart = [*named, *(name for name in ("response", "criterion")[len(named) - 1 :] if name in sides)]
    if not sides.duplicated(apart).any():
        return None
    within = [*named, *(name for name in ("response", "criterion") if name in sides)]
    again = sides.groupby(within, dropna=False, sort=False).cumcount()
    base = numbered([sides[name] for name in named])
    unit = pd.Series(numbered([base, *([sides["response"]] if "response" in sides else []), again]))
    first = ~unit.duplicated()
    place = pd.Series(base)[first].groupby(base[first]).cumcount() + 1
    number = unit.map(dict(zip(unit[first], place, strict=True)))
    names = [names_in(sides, name, {}) for name in named]
    words = names[0] if len(names) == 1 else names[0] + " " + names[1]
    return (words + " (" + number.astype("str") + ")").to_numpy()


def texts_of(frame: pd.DataFrame, response: Ints, names: Mapping[str, pd.Series[str]]) -> pd.DataFrame:
    """Return texts and ids of the responses by their number; the first row of a response has them."""
    first = ~pd.Series(response).duplicated().to_numpy()
    columns = {
        name: frame[name].to_numpy()[first]
        for name in ("question", "response", "context", "reference")
        if name in frame.columns
    }
    texts = (
        pd.DataFrame(columns, index=response[first]).fillna("")
        if columns
        else pd.DataFrame(index=response[first])
    )
    if (names["response_id"] != "").any():
        texts["response_id"] = names["response_id"].to_numpy()[first]
    return texts
