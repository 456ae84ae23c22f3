"""Records as read from a file, before they are checked; readers and presets produce them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import list_of
from judgelab.imports.core.choice_words import USUAL_NUMBERS, ChoiceNumbers
from judgelab.store.transfer.records import ItemRecord, ItemUse, ResponseRecord


def derived_id(letter: str, *texts: str) -> str:
    """Return an id made from texts, for something without one; the same texts always give the same id."""
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

    def with_value(self, value: Any) -> ScoreRecord:
        """Return the record with its cell; a list in the cell is several replies of one judgment."""
        if self.kind == "judge":
            many = list_of(value)
            if len(many) > 1 or isinstance(value, (list, tuple)):
                return self._replace(samples=tuple(many))
        return self._replace(value=value)


class ChoiceRecord(NamedTuple):
    """A rater's choice between two responses, as a file states it.

    `names` are response ids or systems; `texts` are given if the file has the responses themselves.
    `value` and `first` are the cells: a word, or the name of a response; `first` was shown first. `numbers`
    are those among the file's choices.
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
    confidence: Any = None
    comment: str = ""
    rated_at: datetime | None = None
    row: int | None = None
    column: str | None = None
    numbers: ChoiceNumbers = USUAL_NUMBERS


class OrderRecord(NamedTuple):
    """A rater's order of an item's responses, each named by response id or system, as a file states it.

    `tiers` are the ranks, best first; for the form `best_worst`, the first tier has the best responses and
    the second the worst.
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
class RecordChunk:
    """A part of a file that fits in memory.

    `source` is the file's name if there are several; with `adds_only`, it only adds to existing items.
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
        """Return the number of records in the chunk."""
        given = len(self.scores) + len(self.choices) + len(self.orders)
        return len(self.items) + len(self.responses) + len(self.uses) + len(self.gold) + given
