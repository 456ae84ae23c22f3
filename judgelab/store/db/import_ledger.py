"""The state that all parts of an import share: the transaction, the project, counts and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy.orm import Session

from judgelab.domain import Problem

T = TypeVar("T")
MOST_PARAMETERS = 5000  # ids in one IN (...); SQLite allows 32,766


@dataclass
class ImportLedger:
    """One import in progress: counts of new, changed and unchanged rows, and contradictions.

    `changed_items` and `changed_responses` are rows whose texts or references changed.
    """

    session: Session
    project_id: int
    new: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    source: str = ""
    changed_items: set[int] = field(default_factory=set)
    changed_responses: set[int] = field(default_factory=set)
    outdated: Counter[str] = field(default_factory=Counter)

    def refuse(self, message: str, *, row: int | None = None, column: str | None = None) -> None:
        """Record why a row cannot be stored."""
        message = f"{self.source}: {message}" if self.source else message
        self.problems.append(Problem(message, row=row, column=column))


def in_batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in batches small enough for one query."""
    for start in range(0, len(values), MOST_PARAMETERS):
        yield values[start : start + MOST_PARAMETERS]
