"""Read failure tags from a table: one tag per row with item, judge and kind, and the system if needed."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgelab.domain import Problem
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.store.rating.tags import KINDS
from judgelab.wording import sentence

NEEDED, FURTHER = ("item", "judge", "kind"), ("system", "note")


@dataclass(frozen=True)
class TagRow:
    """One row: the response, the judge, the kind of failure, and a person's note."""

    number: int
    item: str
    judge: str
    kind: str
    system: str = ""
    note: str = ""


def read_tag_rows(path: Path) -> list[TagRow]:
    """Return the rows of a CSV file.

    Raises:
        InvalidInput: the file cannot be read, lacks a column or has no rows.
        ImportProblems: lists every row without a valid kind of failure.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            sentence("can't read {path}: {error}.", path=str(path), error=str(error))
        ) from None
    rows = csv.DictReader(io.StringIO(text), strict=True)
    try:
        rows.fieldnames = heads = [head.strip().casefold() for head in rows.fieldnames or ()]
        tags = [_row(number, row) for number, row in enumerate(rows, start=2)]
    except csv.Error as error:
        raise InvalidInput(
            sentence("can't read {path}: {error}.", path=str(path), error=str(error))
        ) from None
    missing = [name for name in NEEDED if name not in heads]
    if missing:
        raise InvalidInput(
            sentence(
                "{path} has no column '{column}'; a file of tags needs the columns item, judge and kind, "
                "and can also have system and note.",
                path=str(path),
                column=missing[0],
            )
        )
    problems = [_unknown(tag) for tag in tags if tag.kind not in KINDS]
    if problems:
        raise ImportProblems(path.name, problems)
    if not tags:
        raise InvalidInput(sentence("{path} has a header but no rows.", path=str(path)))
    return tags


def _row(number: int, row: dict[str, str | None]) -> TagRow:
    cells = {name: (row.get(name) or "").strip() for name in (*NEEDED, *FURTHER)}
    return TagRow(
        number, cells["item"], cells["judge"], cells["kind"].casefold(), cells["system"], cells["note"]
    )


def _unknown(row: TagRow) -> Problem:
    kinds: Sequence[str] = tuple(KINDS)
    message = sentence(
        "'{kind}' is not a kind of failure; known kinds: {known}", kind=row.kind, known=", ".join(kinds)
    )
    return Problem(message, row.number, "kind")
