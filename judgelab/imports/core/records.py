"""What a file brings before it is checked: the common language of readers and presets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from judgelab.domain import RaterKind
from judgelab.store.transfer.records import ItemRecord, ItemUse, ResponseRecord


def derived_id(letter: str, *texts: str) -> str:
    """Return an id for something that has none: the same texts give the same id, also next time."""
    return letter + hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:10]


class ScoreRecord(NamedTuple):
    """A score as a file states it: `value` is the cell, `samples` the raw replies behind it."""

    item_id: str
    rater: str
    value: Any
    kind: RaterKind = "human"
    criterion: str = ""
    response_id: str = ""
    system: str = ""
    comment: str = ""
    rated_at: datetime | None = None
    aggregate: bool = False
    samples: tuple[Any, ...] = ()
    row: int | None = None
    column: str | None = None


class ChoiceRecord(NamedTuple):
    """Which of two responses a rater preferred, as a file states it.

    `names` are response ids or systems; `texts` are given where the file brings the responses themselves.
    `value` and `first` are the cells: a word, or the name of a response.
    """

    item_id: str
    rater: str
    value: Any
    names: tuple[str, str]
    texts: tuple[str, str] = ("", "")
    kind: RaterKind = "human"
    criterion: str = ""
    first: Any = None
    strength: Any = None
    comment: str = ""
    rated_at: datetime | None = None
    row: int | None = None
    column: str | None = None


class OrderRecord(NamedTuple):
    """How a rater ordered the responses of an item, as a file states it, each by response id or system.

    `tiers` are the places from the best on; of the form `best_worst` the first holds the best, the second
    the worst ones.
    """

    item_id: str
    rater: str
    form: str
    tiers: tuple[tuple[str, ...], ...]
    kind: RaterKind = "human"
    criterion: str = ""
    comment: str = ""
    rated_at: datetime | None = None
    row: int | None = None
    column: str | None = None


class GoldRecord(NamedTuple):
    """A known score as a file states it: `value` and `tolerance` are the cells."""

    item_id: str
    value: Any
    criterion: str
    response_id: str = ""
    system: str = ""
    tolerance: Any = None
    row: int | None = None
    column: str | None = None


@dataclass
class Chunk:
    """A part of a file, small enough to hold.

    `source` names the file where there are several; with `adds_only` it only adds to items that exist.
    """

    items: list[ItemRecord] = field(default_factory=list)
    responses: list[ResponseRecord] = field(default_factory=list)
    scores: list[ScoreRecord] = field(default_factory=list)
    choices: list[ChoiceRecord] = field(default_factory=list)
    orders: list[OrderRecord] = field(default_factory=list)
    uses: list[ItemUse] = field(default_factory=list)
    gold: list[GoldRecord] = field(default_factory=list)
    source: str = ""
    adds_only: bool = False

    def __len__(self) -> int:
        """Return how many records the chunk holds."""
        given = len(self.scores) + len(self.choices) + len(self.orders)
        return len(self.items) + len(self.responses) + len(self.uses) + len(self.gold) + given
