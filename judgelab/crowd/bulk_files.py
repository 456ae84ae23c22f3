"""Files for the bulk tools of crowd platforms, in the form that Prolific's take: approvals and bonuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.annotation.links.options import FINISHED_STATES
from judgelab.escaping import escape_formula

# An id with one of these would be read as several parts or lines. Anyone can put any id into the address.
_SEPARATORS = re.compile(r"[\s,;\"']")


@dataclass(frozen=True)
class BulkFile:
    """The text of a file, the number of its lines, and the ids that it cannot hold."""

    text: str
    count: int
    left_out: tuple[str, ...]


def approve_file(rows: Sequence[Mapping[str, Any]]) -> BulkFile:
    """Return the ids of those who finished, one on each line, from the list of participants."""
    done = [row["external_id"] for row in rows if row["state"] in FINISHED_STATES and row["external_id"]]
    return _bulk_file((external_id, external_id) for external_id in done)


def bonus_file(rows: Sequence[Mapping[str, Any]]) -> BulkFile:
    """Return a line `id,amount` for each participant with a bonus, from the list of participants."""
    paid = [(row["external_id"], row["bonus"]) for row in rows if row["external_id"] and row["bonus"]]
    return _bulk_file((external_id, f"{external_id},{amount:.2f}") for external_id, amount in paid)


def can_be_listed(external_id: str) -> bool:
    """Return whether an id can stand in a bulk file: as one part of one line, and not as a formula."""
    return not _SEPARATORS.search(external_id) and escape_formula(external_id) == external_id


def _bulk_file(lines: Iterator[tuple[str, str]]) -> BulkFile:
    written, left_out = [], []
    for external_id, line in lines:
        if can_be_listed(external_id):
            written.append(f"{line}\n")
        else:
            left_out.append(external_id)
    return BulkFile("".join(written), len(written), tuple(left_out))
