"""What a kind of fault did, and raters without a browser who note what was acknowledged."""

from __future__ import annotations

import random
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from judgelab.annotation import service
from judgelab.errors import UserError
from judgelab.selftest.simulated_raters import RaterLog, SentRating
from judgelab.selftest.stored_check import check_stored
from judgelab.store.db.engine import Store
from tests.annotation.conftest import make_person, make_project

WISHED = 3


class NotHere(Exception):
    """This machine, or this database, lacks what the trial needs."""


@dataclass(frozen=True)
class Outcome:
    """How often a fault was made, how much was looked for afterwards, and how much of it was lost or wrong.

    Attributes:
        faults: how many were made that met the work (a kill after its end counts as none).
        checked: ratings, rows, verdicts or files that had to be there afterwards.
        lost: of those, missing, doubled, altered or half-written; responses with more raters than wished;
            answers that were no sentence.
        refused: how often somebody was told in a sentence that it could not be done.
    """

    faults: int
    checked: int
    lost: int
    refused: int = 0

    def __str__(self) -> str:
        said = f"{self.faults} faults, {self.checked:,} looked for, {self.lost} lost or wrong"
        return f"{said}, {self.refused:,} refused in a sentence" if self.refused else said

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(*(getattr(self, word) + getattr(other, word) for word in vars(self)))


@dataclass
class Raters:
    """People who rate one project in threads, each rating sent again under its name until it is stored.

    Args:
        wished: how many raters a response should get; fewer than there are people, or none was too many.
    """

    store: Store
    project: int
    diaries: list[RaterLog]
    wished: int
    refused: int = 0
    other: list[str] = field(default_factory=list)
    resting: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def new(cls, store: Store, *, count: int = 4, answers: int = 2000, **settings: int) -> Raters:
        """Make a project and its people."""
        project = make_project(store, answers=answers, raters_per_response=WISHED, **settings)
        return cls(store, project, [RaterLog(make_person(store, f"rater {n}")) for n in range(count)], WISHED)

    @property
    def acknowledged(self) -> int:
        """How many ratings were said to be stored."""
        return sum(sent.acknowledged for diary in self.diaries for sent in diary.sent)

    def heard(self) -> set[str]:
        """Return the names of the ratings that were said to be stored by now."""
        return {sent.uid for diary in self.diaries for sent in diary.sent if sent.acknowledged}

    def heard_no_more_than(self, names: set[str]) -> None:
        """Forget what was said later: with the power, whoever would have said it is gone."""
        for diary in self.diaries:
            for sent in diary.sent:
                sent.acknowledged = sent.acknowledged and sent.uid in names

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let all of them rate, each in a thread."""
        over = threading.Event()
        threads = [threading.Thread(target=self._rate, args=(diary, over)) for diary in self.diaries]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def rate(self, diary: RaterLog, assignment: int, chance: random.Random) -> SentRating:
        """Rate one piece of work, and see it through."""
        sent = SentRating(uuid.uuid4().hex, assignment, scores(chance))
        diary.sent.append(sent)
        self.send(diary, sent)
        return sent

    def send(self, diary: RaterLog, sent: SentRating) -> None:
        """Send a rating; note whether it is stored."""
        op = {"uid": sent.uid, "kind": "rate", "item": sent.assignment, "scores": dict(sent.scores)}
        state = service.apply(self.store, diary.person_id, self.project, op).state
        sent.acknowledged = state in ("stored", "repeated")

    def _rate(self, diary: RaterLog, over: threading.Event) -> None:
        """Rate until told to stop; errors that are no sentence are noted."""
        chance, pending = random.Random(diary.person_id), None
        while not over.is_set():
            if self.resting.is_set():
                over.wait(0.01)
                continue
            try:
                if pending is None:
                    items = service.next_items(self.store, diary.person_id, self.project)
                    if not items:
                        over.wait(0.05)  # the others hold what is left
                        continue
                    pending = SentRating(uuid.uuid4().hex, items[0].id, scores(chance))
                    diary.sent.append(pending)
                self.send(diary, pending)
                pending = None
            except UserError:
                self.refused += 1
                over.wait(0.05)
            except Exception as error:
                self.other.append(repr(error))
                over.wait(0.05)

    def wrong(self, store: Store | None = None) -> int:
        """Return how many ratings are lost, altered or doubled, and how many responses have too many raters.

        Errors that were no sentence count too, and are printed.

        Args:
            store: where to look; their own database without it.
        """
        found = check_stored(store or self.store, self.project, self.diaries, k=self.wished)
        for error in self.other:
            print(error, file=sys.stderr)
        return found.lost + found.altered + found.doubled + found.over_k + len(self.other)


def scores(chance: random.Random) -> dict[str, float]:
    """Return scores on the scales of the tests' project, so that altered ones are seen."""
    return {"relevance": float(chance.randint(0, 3)), "fluency": float(chance.randint(1, 5))}
