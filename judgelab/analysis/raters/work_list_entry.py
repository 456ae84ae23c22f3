"""One entry of the work list: what a rater left to look at, or a conflict between raters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.analysis.disagreement.project_conflicts import AnyConflict
from judgelab.store.rating.work_list import EntryKey, Mark, Note, ReportedUnit

CONFLICT: Literal["conflict"] = "conflict"
KINDS = ("message", "flag", "comment", "skip", "check", CONFLICT)


class ConflictKey(NamedTuple):
    """What a conflict is about: a response, or the two responses of a pair, under one criterion."""

    kind: Literal["conflict"]
    responses: tuple[int, ...]
    criterion: str


@dataclass(frozen=True)
class WorkListEntry:
    """One rater's messages, flag, skip, comments or failed checks on one unit, or a conflict between raters.

    Attributes:
        key: what the entry is about.
        unit: its item and responses, and the rater's name; a conflict has no single rater.
        notes: what the rater wrote or did, one for each criterion; messages with the answers to them.
        at: when the rater finished the unit, or wrote last; None if they did not, and for a conflict.
        mark: that it is done; None while it is open. What changes after it was done is open again. Of a
            conflict it is the decision.
        conflict: the conflict, if the entry is one.
    """

    key: EntryKey | ConflictKey
    unit: ReportedUnit
    notes: tuple[Note, ...]
    at: datetime | None
    mark: Mark | None
    conflict: AnyConflict | None = None

    @property
    def id(self) -> str:
        """Return a name of the entry for the command line and addresses, such as `flag-12-5`."""
        if isinstance(self.key, ConflictKey):
            return "-".join([self.key.kind, *map(str, self.key.responses), self.key.criterion])
        return f"{self.key.kind}-{self.key.unit}-{self.key.person}"

    @property
    def done(self) -> bool:
        """Return whether it is done."""
        return self.mark is not None

    @property
    def content(self) -> str:
        """A fingerprint of what the rater says in it."""
        return fingerprint(self.notes)

    @property
    def raters(self) -> int:
        """Return how many raters it is about: of a conflict, those whose ratings or choices count."""
        if isinstance(self.conflict, PairConflict):
            return self.conflict.n_first + self.conflict.n_tie + self.conflict.n_second
        return 1 if self.conflict is None else len(self.conflict.scores)

    def to_json(self) -> dict[str, Any]:
        """Return the entry with readable names."""
        return {
            "id": self.id,
            "kind": self.key.kind,
            "item": self.unit.item,
            "systems": list(self.unit.systems),
            "rater": self.unit.rater or None,
            "raters": self.raters,
            "notes": [
                {
                    "criterion": note.criterion,
                    "text": note.text,
                    **({"known": note.known} if note.known else {}),
                    **({"answer": True, "by": note.by} if note.answer else {}),
                }
                for note in self.notes
            ],
            "at": self.at.isoformat() if self.at else None,
            "done": self.done,
            "done_by": self.mark.by if self.mark else None,
            "done_at": self.mark.at.isoformat() if self.mark else None,
            "note": self.mark.note if self.mark else "",
        }


def conflict_entry(conflict: AnyConflict) -> WorkListEntry:
    """Return a conflict as an entry, which is done once the conflict is decided."""
    if isinstance(conflict, PairConflict):
        responses: tuple[int, ...] = conflict.pair
        unit = ReportedUnit(
            *("pair", conflict.item, (conflict.first, conflict.second)),
            tuple(name for name in (conflict.system_first, conflict.system_second) if name),
            "",
        )
        given = f"{conflict.n_first} : {conflict.n_tie} : {conflict.n_second} (first : tie : second)"
    else:
        responses = (conflict.response,)
        systems = (conflict.system,) if conflict.system else ()
        unit = ReportedUnit("response", conflict.item, responses, systems, "")
        given = ", ".join(f"{score:g}" for score in conflict.scores)
    notes = (Note(conflict.criterion, given),)
    mark, decided = None, conflict.decision
    if decided is not None:
        mark = Mark(fingerprint(notes), decided.person, decided.decided_at, decided.reason)
    key = ConflictKey(CONFLICT, responses, conflict.criterion)
    return WorkListEntry(key, unit, notes, None, mark, conflict)


def fingerprint(notes: Sequence[Note]) -> str:
    """Return a fingerprint of what the rater says: a mark must not keep words that they took back."""
    said = json.dumps([[note.criterion, note.text, note.known] for note in notes if not note.answer])
    return sha256(said.encode()).hexdigest()[:16]
