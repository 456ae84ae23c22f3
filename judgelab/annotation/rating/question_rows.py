"""Questions as a person writes them, completed to what the settings store: keys, and conditions by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from judgelab.annotation.rating.questions import (
    CONDITION,
    KEY,
    LONGEST_KEY,
    check_conditions,
    list_of_rows,
    read_questions,
)
from judgelab.domain import Criterion
from judgelab.store.projects.projects import slug_of


def completed_questions(
    rows: object, criteria: Sequence[Criterion], *, form: str, earlier: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Return questions as the settings store them.

    A question without a key gets one made from its text. A condition may name a criterion by its label and
    an earlier question by its text, in any case; the key is stored.

    Args:
        rows: the questions as `read_questions` takes them, with or without keys.
        criteria: the project's criteria.
        form: the form of rating.
        earlier: the questions stored before; one with the same text keeps its key, because answers have it.

    Raises:
        InvalidInput: a question cannot be asked.
    """
    completed = _with_keys(list_of_rows(rows), criteria, earlier)
    named = [(criterion.key, criterion.label) for criterion in criteria]
    for row in completed:
        if _text(row, "when"):
            row["when"] = _condition_by_key(_text(row, "when"), named)
        named.append((row["key"], _text(row, "text")))
    check_conditions(read_questions(completed, criteria), criteria, form=form)
    return completed


def _with_keys(
    rows: Sequence[Mapping[str, Any]],
    criteria: Sequence[Criterion],
    earlier: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    taken = {criterion.key for criterion in criteria} | {_text(row, "key") for row in rows}
    stored = {_text(row, "text"): _text(row, "key") for row in earlier}
    completed = []
    for number, row in enumerate(rows, 1):
        text = _text(row, "text")
        key = _text(row, "key") or stored.get(text, "")
        if not _text(row, "key") and (not key or key in taken):
            key = _key_from(text, number, taken)
        taken.add(key)
        completed.append({"key": key, **{name: value for name, value in row.items() if name != "key"}})
    return completed


def _key_from(text: str, number: int, taken: set[str]) -> str:
    """Return an unused key made from a question's text, or from its number if that has no Latin letters."""
    words = slug_of(text.casefold()).replace("-", "_") if text else ""
    key = (words if words[:1].isalpha() else f"q_{words}")[:LONGEST_KEY].rstrip("_")
    if not words or not KEY.fullmatch(key):
        key = f"question_{number}"
    if key not in taken:
        return key
    numbered = (f"{key[: LONGEST_KEY - len(ending)]}{ending}" for ending in map("_{}".format, count(2)))
    return next(candidate for candidate in numbered if candidate not in taken)


def _condition_by_key(condition: str, named: Sequence[tuple[str, str]]) -> str:
    """Return a condition with the key of what it names; as it is if that is unknown or not the only one.

    Args:
        condition: the condition as written.
        named: the key and the label of everything that it can name.
    """
    match = CONDITION.fullmatch(condition)
    if match is None or any(key == match[1] for key, _label in named):
        return condition
    name = _folded(match[1])
    found = {key for key, _label in named if _folded(key) == name}
    found = found or {key for key, label in named if _folded(label) == name}
    return f"{found.pop()} {match[2]} {match[3]}" if len(found) == 1 else condition


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _text(row: Mapping[str, Any], name: str) -> str:
    return str(row.get(name) or "").strip()
