"""What a kind of fault did, and raters without a browser that note what was acknowledged."""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass, field
from typing import Any

from judgelab.annotation import service
from judgelab.errors import UserError
from judgelab.store import evidence
from judgelab.store.engine import Store
from tests.annotation.conftest import make_person, make_project

SCORES = {"relevance": 1, "fluency": 5}


class NotHere(Exception):
    """This machine lacks what the trial needs."""


@dataclass(frozen=True)
class Outcome:
    """How often a fault was made, how much was looked for afterwards, and how much of it was lost or wrong.

    Attributes:
        faults: how many were made that met the work (a kill after its end counts as none).
        checked: ratings, rows, verdicts or files that had to be there afterwards.
        lost: of those, missing, doubled, altered or half-written.
        refused: how often somebody was told in a sentence that it could not be done.
    """

    faults: int
    checked: int
    lost: int
    refused: int = 0

    def __str__(self) -> str:
        said = f"{self.faults} faults, {self.checked:,} looked for, {self.lost} lost or wrong"
        return f"{said}, {self.refused} refused in a sentence" if self.refused else said


@dataclass
class Raters:
    """People who rate one project in threads, each rating sent again under its name until it is stored."""

    store: Store
    project: int
    people: list[int]
    acknowledged: list[str] = field(default_factory=list)
    refused: int = 0
    other: list[str] = field(default_factory=list)
    lost: int = 0
    resting: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def new(cls, store: Store, *, count: int = 4, answers: int = 2000) -> Raters:
        """Make a project and its people."""
        project = make_project(store, answers=answers, raters_per_response=count)
        return cls(store, project, [make_person(store, f"rater {n}") for n in range(count)])

    def rate(self, person: int, over: threading.Event) -> None:
        """Rate until told to stop; errors that are no sentence are noted."""
        pending: dict[str, Any] | None = None
        while not over.is_set():
            if self.resting.is_set():
                over.wait(0.01)
                continue
            try:
                if pending is None:
                    items = service.next_items(self.store, person, self.project)
                    if not items:
                        return
                    pending = {"uid": uuid.uuid4().hex, "kind": "rate", "item": items[0].id, "scores": SCORES}
                state = service.apply(self.store, person, self.project, pending).state
                if state in ("stored", "repeated"):
                    self.acknowledged.append(pending["uid"])
                pending = None
            except UserError:
                self.refused += 1
                over.wait(0.05)
            except Exception as error:
                self.other.append(repr(error))
                over.wait(0.05)

    def missing(self) -> int:
        """Return how many acknowledged ratings are missing or doubled, errors without a sentence included."""
        with self.store.reading() as session:
            there = evidence.stored_ratings(session, self.project)
        return len(set(self.acknowledged) - there.operations) + there.doubled + len(self.other)
