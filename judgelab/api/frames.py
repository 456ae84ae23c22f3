"""From a user's data (long, wide, dictionaries, vectors) to long columns whose meaning is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.api.arguments import names_listed
from judgelab.api.given_frames import as_frame
from judgelab.api.rows import check_filled, ids_of_rows
from judgelab.api.understood import (
    LONG_CALL,
    column_notes,
    listing,
    near,
    no_column,
    not_understood,
    unnamed_judges,
)
from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import name_of
from judgelab.imports.core.fields import RATER_KINDS, is_judge_column, rank, recognise
from judgelab.metaeval.core.arrays import Ints
from judgelab.wording import sentence

FIELDS = {
    "item": "item_id",
    "system": "system",
    "response": "response",
    "response_id": "response_id",
    "criterion": "criterion",
    "group": "group",
    "rater": "rater",
    "kind": "rater_kind",
    "score": "score",
    "rationale": "comment",
    "question": "question",
    "context": "context",
    "reference": "reference",
    "choice": "choice",
    "response_a": "response_a",
    "response_b": "response_b",
    "system_a": "system_a",
    "system_b": "system_b",
    "first": "first",
}  # our name of a column, and the import's field whose synonyms it has
KINDS = ["human", "judge", "metric"]
KIND_COLUMNS = ("kind", "rater_type")  # besides `rater_kind`


class LongColumns(NamedTuple):
    """One row a score or choice, under our names of columns, and the frame's column of each."""

    frame: pd.DataFrame
    found: dict[str, str]
    notes: tuple[str, ...] = ()


def find_columns(frame: pd.DataFrame, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return which column of the frame holds each of `FIELDS`, by the names that the import knows.

    Raises:
        InvalidInput: `columns` names a field or a column that does not exist.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InvalidInput('columns says which column is which: columns={"item": "my_id"}.')
    given = {field: str(column) for field, column in (columns or {}).items()}
    for column, times in Counter(given.values()).items():
        if times > 1:
            raise InvalidInput(f"columns names the column '{column}' {times} times; a column is one field.")
    for field, column in given.items():
        if field not in FIELDS:
            raise InvalidInput(
                sentence(
                    "columns has no field '{field}'; the fields are {known}.",
                    field=field,
                    known=", ".join(FIELDS),
                )
            )
        if column not in frame.columns:
            raise InvalidInput(no_column(frame, column))
    field_of = {import_field: field for field, import_field in FIELDS.items()}
    by_field: dict[str, list[str]] = {}
    taken = set(given.values())
    for column in frame.columns:
        if column in taken:
            continue
        field = "kind" if column.lower() in KIND_COLUMNS else field_of.get(recognise(column) or "", "")
        if field and field not in given:
            by_field.setdefault(field, []).append(column)
    return {**{field: _most_common(named, field) for field, named in by_field.items()}, **given}


def long_columns(
    data: Any,
    *,
    humans: Any,
    judges: Any,
    metrics: Any,
    columns: Mapping[str, str] | None,
) -> LongColumns:
    """Return the data as long columns: item, rater, kind, score or choice, and what else the frame has.

    Raises:
        InvalidInput: the frame cannot be understood; the message shows a call that would work.
    """
    frame = as_frame(data)
    if frame.empty:
        raise InvalidInput(sentence("the frame has no rows; there is nothing to compare."))
    found = find_columns(frame, columns)
    if "response_id" not in found and _numbers(frame, found.get("response")):
        found["response_id"] = found.pop("response")  # as `Scores.frame` has them
    kinds = {"humans": humans, "judges": judges, "metrics": metrics}
    named = {argument.removesuffix("s"): names_listed(names, argument) for argument, names in kinds.items()}
    listed = [name for names in named.values() for name in names]
    value = "choice" if "choice" in found else "score"
    if "rater" in found and value in found and not all(name in frame.columns for name in listed):
        return _long(frame, found, named, value)
    if "rater" in found and value not in found and not set(listed) & set(frame.columns):
        raise InvalidInput(
            f"no column has the scores ({listing(frame.columns)}); name it: "
            'jl.scores(df, columns={"score": "…"}).'
        )
    if listed:
        return _wide(frame, found, named)
    if "rater" in found and value in found:
        return _long(frame, found, named, value)
    raise InvalidInput(not_understood(frame, found))


def _numbers(frame: pd.DataFrame, column: str | None) -> bool:
    return column is not None and bool(pd.api.types.is_numeric_dtype(frame[column].dtype))


def _long(
    frame: pd.DataFrame, found: dict[str, str], named: Mapping[str, list[str]], value: str
) -> LongColumns:
    if "item" not in found and not {"response_id", "question"} & set(found):
        raise InvalidInput(
            sentence(
                "no column says which item each score is of ({columns}); name it: {call}.",
                columns=listing(frame.columns),
                call=LONG_CALL,
            )
        )
    names = frame[found["rater"]]
    raters = {name_of(rater) for rater in pd.unique(names.dropna())}
    for name in (name for each in named.values() for name in each):
        if name not in raters:
            raise InvalidInput(
                f"no rater is called '{name}' in the column '{found['rater']}'; the raters are "
                f"{listing(sorted(raters))}.{near(name, raters)}"
            )
    listed = Counter(name for names in named.values() for name in names)
    for name, times in listed.items():
        if times > 1:
            raise InvalidInput(f"'{name}' is listed twice among humans, judges and metrics.")
    if not any(named.values()) and "kind" not in found and not is_judge_column(found["rater"]):
        if said := unnamed_judges(sorted(raters)):
            raise InvalidInput(said)
    table = pd.DataFrame({field: frame[column] for field, column in found.items()})
    notes = column_notes(frame, found, ())
    return LongColumns(_with_kinds(table, found, named), found, tuple(notes))


def _with_kinds(
    table: pd.DataFrame, found: Mapping[str, str], named: Mapping[str, list[str]]
) -> pd.DataFrame:
    given = {name: kind for kind, names in named.items() for name in names}
    code, raters = pd.factorize(table["rater"], use_na_sentinel=True)
    usual = "judge" if is_judge_column(found["rater"]) else "human"
    if given and "kind" not in found:
        # Of the kinds, one was listed; the others are what remains.
        usual = "human" if not named["human"] else "judge"
    who = [name_of(rater) for rater in raters]
    by_rater = [given.get(name, usual) for name in who] + [usual]
    kind = np.array([KINDS.index(one) for one in by_rater], dtype=np.int8)[code]
    if "kind" in found:
        words, kinds = pd.factorize(table["kind"], use_na_sentinel=True)
        known = {"person": "human", "people": "human", "annotator": "human", "model": "judge", "llm": "judge"}
        read = [str(word).strip().lower() for word in kinds]
        for word in read:
            if word not in RATER_KINDS and word not in known:
                raise InvalidInput(
                    sentence(
                        "the column '{column}' holds '{word}'; write human, judge or metric.",
                        column=found["kind"],
                        word=word,
                    )
                )
        stated = [known.get(word, word) for word in read]
        places = [KINDS.index(one) if one else -1 for one in [*stated, ""]]
        of_row = np.array(places, dtype=np.int8)[words]
        listed = np.array([name in given for name in who] + [False])[code]
        kind = np.where((of_row < 0) | listed, kind, of_row)
        _refuse_two_kinds(who, code, kind)
    return table.assign(kind=pd.Categorical.from_codes(kind, dtype=pd.CategoricalDtype(KINDS)))


def _refuse_two_kinds(raters: Sequence[str], code: Ints, kind: Any) -> None:
    """Raise `InvalidInput` if a name is that of a human rater and a judge, who would be one to everything."""
    pairs = np.unique(code[code >= 0] * len(KINDS) + kind[code >= 0])
    known: dict[str, int] = {}
    for pair in pairs.tolist():
        name, one = raters[pair // len(KINDS)], pair % len(KINDS)
        if known.setdefault(name, one) != one:
            raise InvalidInput(
                f"'{name}' is the name of a {KINDS[known[name]]} and of a {KINDS[one]}; give one of them "
                "another name."
            )


def _wide(frame: pd.DataFrame, found: dict[str, str], named: Mapping[str, list[str]]) -> LongColumns:
    columns = [name for names in named.values() for name in names]
    for name in columns:
        if name not in frame.columns:
            raise InvalidInput(no_column(frame, name))
    if len(set(columns)) < len(columns):
        raise InvalidInput(sentence("a column is listed twice among humans, judges and metrics."))
    kept = {
        field: column
        for field, column in found.items()
        if column not in columns and field not in ("rater", "kind", "score", "choice")
    }
    check_filled(frame, kept)
    of_pairs = {"system_a", "system_b"} <= set(kept) or {"response_a", "response_b"} <= set(kept)
    value = "choice" if of_pairs else "score"
    sides = pd.DataFrame({field: frame[column] for field, column in kept.items()}, index=frame.index)
    if not of_pairs and "response_id" not in kept and (ids := ids_of_rows(sides)) is not None:
        sides["response_id"], kept["response_id"] = ids, "response_id"
    parts = []
    for kind, names in named.items():
        for name in names:
            part = sides.assign(rater=name, kind=kind)
            part[value] = frame[name]
            parts.append(part)
    types = {part[value].dtype for part in parts}
    if len(types) > 1 and not all(pd.api.types.is_numeric_dtype(one) for one in types):
        parts = [part.assign(**{value: part[value].astype(object)}) for part in parts]
    table = pd.concat(parts, ignore_index=True)
    if "item" not in kept:
        row = np.tile(np.arange(1, len(frame) + 1), len(columns))
        table["item"] = pd.Series(row).astype(str) if "question" not in kept else table["question"]
    return LongColumns(table, kept, tuple(column_notes(frame, kept, columns)))


def _most_common(named: Sequence[str], field: str) -> str:
    return min(named, key=lambda column: (column != field, rank(column)))
