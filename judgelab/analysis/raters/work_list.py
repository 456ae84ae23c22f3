"""The work list of a project: messages, flags, skips, comments and failed checks of raters."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import pandas as pd

from judgelab.analysis.raters.check_table import check_table
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import messages
from judgelab.store.rating import work_list as stored
from judgelab.store.rating.work_list import EntryKey, Mark, Note, ReportedUnit
from judgelab.wording import mark, sentence

KINDS = ("message", "flag", "comment", "skip", "check")
CHECKS = ("gold", "attention")  # a wrong answer in training is expected
LONGEST_NOTE = 2_000
LONGEST_ANSWER = messages.LONGEST


@dataclass(frozen=True)
class WorkListEntry:
    """One rater's messages, flag, skip, comments or failed checks on one unit.

    Attributes:
        key: what the entry is about.
        unit: its item and responses, and the rater's name.
        notes: what the rater wrote or did, one for each criterion; messages with the answers to them.
        at: when the rater finished the unit, or wrote last; None if they did not.
        mark: that it is done; None while it is open. What changes after it was done is open again.
    """

    key: EntryKey
    unit: ReportedUnit
    notes: tuple[Note, ...]
    at: datetime | None
    mark: Mark | None

    @property
    def id(self) -> str:
        """Return a name of the entry for the command line and addresses, such as `flag-12-5`."""
        return f"{self.key.kind}-{self.key.unit}-{self.key.person}"

    @property
    def done(self) -> bool:
        """Return whether it is done."""
        return self.mark is not None

    @property
    def content(self) -> str:
        """A fingerprint of what the rater says in it."""
        return _fingerprint(self.notes)

    def to_json(self) -> dict[str, Any]:
        """Return the entry with readable names."""
        return {
            "id": self.id,
            "kind": self.key.kind,
            "item": self.unit.item,
            "systems": list(self.unit.systems),
            "rater": self.unit.rater,
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


def work_list(store: Store, slug: str) -> list[WorkListEntry]:
    """Return the entries of a project: open ones first, the latest first."""
    with store.reading() as session:
        return load_work_list(session, find_project(session, slug).id)


def load_work_list(session: Session, project_id: int) -> list[WorkListEntry]:
    """Return the entries of a project by row id, as `work_list` does."""
    found = {
        **stored.threads(session, project_id),
        **stored.flags_and_skips(session, project_id),
        **stored.comments(session, project_id),
        **_failed_checks(check_table(session, project_id)),
    }
    units = stored.reported_units(session, project_id, list(found))
    marks = stored.marks(session, project_id)
    entries = []
    for key, (notes, at) in found.items():
        unit = units.get((key.unit, key.person))
        if unit is not None:
            mark_found = marks.get(key)
            current = mark_found if mark_found and mark_found.content == _fingerprint(notes) else None
            entries.append(WorkListEntry(key, unit, tuple(notes), at, current))
    entries.sort(key=lambda entry: (entry.at is not None, entry.at or datetime.min, entry.id), reverse=True)
    return sorted(entries, key=lambda entry: entry.done)


def count_open(session: Session, project_id: int) -> Counter[str]:
    """Return how many messages, flags and skips are open; comments and checks take longer to find."""
    found = {**stored.threads(session, project_id), **stored.flags_and_skips(session, project_id)}
    marks = stored.marks(session, project_id)
    return Counter(
        str(key.kind)
        for key, (notes, _at) in found.items()
        if key not in marks or marks[key].content != _fingerprint(notes)
    )


def mark_done(
    store: Store,
    slug: str,
    ids: Sequence[str],
    *,
    by: int | None,
    note: str = "",
    seen: Mapping[str, str] | None = None,
) -> int:
    """Mark entries done, and return how many: all or none.

    `seen` is the `content` that was read of each entry, by id: what a rater wrote meanwhile leaves it open.
    Without it, an entry is done as it reads now.

    Raises:
        NotFound: the project has no such entry.
        InvalidInput: the note is too long.
    """
    if len(note) > LONGEST_NOTE:
        raise InvalidInput(sentence("the note is too long; {n} characters are allowed.", n=LONGEST_NOTE))
    with store.writing() as session:
        project_id = find_project(session, slug).id
        entries = _named(session, project_id, ids)
        contents = {entry.key: (seen or {}).get(entry.id, entry.content) for entry in entries}
        stored.mark_done(session, project_id, contents, by=by, note=note.strip())
        audit.record(
            session, "work_list_done", project_id=project_id, person_id=by, detail={"entries": list(ids)}
        )
    return len(entries)


def answer(
    store: Store, slug: str, entry_id: str, text: str, *, by: int | None, seen: str | None = None
) -> None:
    """Answer a rater's message and mark the entry done; the rater's next message opens it again.

    `seen` is the `content` that was answered: a message that came meanwhile leaves the entry open.

    Raises:
        NotFound: the project has no such entry.
        InvalidInput: the entry is no message, or the answer is empty or too long.
    """
    said = text.replace("\x00", "").strip()
    if not said:
        raise InvalidInput(sentence("the answer is empty."))
    if len(said) > LONGEST_ANSWER:
        raise InvalidInput(sentence("the answer is too long; {n} characters are allowed.", n=LONGEST_ANSWER))
    with store.writing() as session:
        project_id = find_project(session, slug).id
        (entry,) = _named(session, project_id, [entry_id])
        kind, unit, person = entry.key
        if kind != "message":
            raise InvalidInput(sentence("only messages can be answered; {id} is none.", id=entry_id))
        at, uid = now(), str(uuid.uuid4())
        messages.add(session, project_id, unit, person, said, uid=uid, at=at, answer=True, answered_by=by)
        stored.mark_done(session, project_id, {entry.key: seen or entry.content}, by=by, note="")
        audit.record(
            session, "work_list_answered", project_id=project_id, person_id=by, detail={"entries": [entry_id]}
        )


def reopen(store: Store, slug: str, ids: Sequence[str], *, by: int | None) -> int:
    """Mark entries open again, and return how many: all or none.

    Raises:
        NotFound: the project has no such entry.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        entries = _named(session, project_id, ids)
        stored.reopen(session, project_id, [entry.key for entry in entries])
        audit.record(
            session, "work_list_reopened", project_id=project_id, person_id=by, detail={"entries": list(ids)}
        )
    return len(entries)


def _named(session: Session, project_id: int, ids: Sequence[str]) -> list[WorkListEntry]:
    by_id = {entry.id: entry for entry in load_work_list(session, project_id)}
    for entry_id in ids:
        if entry_id not in by_id:
            raise NotFound(mark("entry"), entry_id, list(by_id))
    return [by_id[entry_id] for entry_id in dict.fromkeys(ids)]


def _failed_checks(checks: pd.DataFrame) -> dict[EntryKey, tuple[list[Note], datetime | None]]:
    found: dict[EntryKey, tuple[list[Note], datetime | None]] = {}
    failed = checks[~checks["passed"].astype(bool) & checks["purpose"].isin(CHECKS)]
    names = ["unit", "person", "criterion", "score", "known", "rated_at"]
    for unit, person, criterion, score, known, rated_at in failed[names].itertuples(index=False):
        key = EntryKey("check", int(unit), int(person))
        notes, last = found.get(key, ([], None))
        at = pd.Timestamp(rated_at).to_pydatetime()
        given = "" if pd.isna(score) else f"{score:g}"
        found[key] = (
            [*notes, Note(criterion, given, f"{known:g}")],
            at if last is None else max(last, at),
        )
    return found


def _fingerprint(notes: Sequence[Note]) -> str:
    """Return a fingerprint of what the rater says: a mark must not keep words that they took back."""
    said = json.dumps([[note.criterion, note.text, note.known] for note in notes if not note.answer])
    return sha256(said.encode()).hexdigest()[:16]
