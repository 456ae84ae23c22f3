"""The work list of a project: raters' messages, flags, skips, comments, failed checks and conflicts."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import pandas as pd

from judgelab.analysis.disagreement.project_conflicts import AnyConflict, project_conflicts
from judgelab.analysis.raters.check_table import check_table
from judgelab.analysis.raters.work_list_entry import CONFLICT, WorkListEntry, conflict_entry, fingerprint
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import messages
from judgelab.store.rating import work_list as stored
from judgelab.store.rating.work_list import EntryKey, Note
from judgelab.wording import mark, sentence

CHECKS = ("gold", "attention")  # a wrong answer in training is expected
LONGEST_NOTE = 2_000
LONGEST_ANSWER = messages.LONGEST


def work_list(
    store: Store, slug: str, *, conflicts: Iterable[AnyConflict] | None = None
) -> list[WorkListEntry]:
    """Return the entries of a project: open ones first, the latest first, then conflicts, the widest first.

    `conflicts` are those of the project, if they are at hand; otherwise they are looked for.
    """
    with store.reading() as session:
        entries = _left_by_raters(session, find_project(session, slug).id)
    found = project_conflicts(store, slug) if conflicts is None else conflicts
    return sorted([*entries.values(), *map(conflict_entry, found)], key=lambda entry: entry.done)


def _left_by_raters(session: Session, project_id: int) -> dict[EntryKey, WorkListEntry]:
    """Return all entries but conflicts, the latest first."""
    found = {
        **stored.threads(session, project_id),
        **stored.flags_and_skips(session, project_id),
        **stored.comments(session, project_id),
        **_failed_checks(check_table(session, project_id)),
    }
    units = stored.reported_units(session, project_id, list(found))
    marks = stored.marks(session, project_id)
    entries = {}
    for key, (notes, at) in found.items():
        unit = units.get((key.unit, key.person))
        if unit is not None:
            mark_found = marks.get(key)
            current = mark_found if mark_found and mark_found.content == fingerprint(notes) else None
            entries[key] = WorkListEntry(key, unit, tuple(notes), at, current)
    return dict(sorted(entries.items(), key=lambda pair: _age(pair[1]), reverse=True))


def _age(entry: WorkListEntry) -> tuple[bool, datetime, str]:
    return entry.at is not None, entry.at or datetime.min, entry.id


def count_open(session: Session, project_id: int) -> Counter[str]:
    """Return how many messages, flags and skips are open; all other kinds take longer to find."""
    found = {**stored.threads(session, project_id), **stored.flags_and_skips(session, project_id)}
    marks = stored.marks(session, project_id)
    return Counter(
        str(key.kind)
        for key, (notes, _at) in found.items()
        if key not in marks or marks[key].content != fingerprint(notes)
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
        InvalidInput: the note is too long, or an entry is a conflict.
    """
    if len(note) > LONGEST_NOTE:
        raise InvalidInput(sentence("the note is too long; {n} characters are allowed.", n=LONGEST_NOTE))
    with store.writing() as session:
        project_id = find_project(session, slug).id
        entries = _named(session, project_id, ids)
        contents = {key: (seen or {}).get(entry.id, entry.content) for key, entry in entries.items()}
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
        ((key, entry),) = _named(session, project_id, [entry_id]).items()
        if key.kind != "message":
            raise InvalidInput(sentence("only messages can be answered; {id} is none.", id=entry_id))
        at, uid = now(), str(uuid.uuid4())
        thread = (project_id, key.unit, key.person)
        messages.add(session, *thread, said, uid=uid, at=at, answer=True, answered_by=by)
        stored.mark_done(session, project_id, {key: seen or entry.content}, by=by, note="")
        audit.record(
            session, "work_list_answered", project_id=project_id, person_id=by, detail={"entries": [entry_id]}
        )


def reopen(store: Store, slug: str, ids: Sequence[str], *, by: int | None) -> int:
    """Mark entries open again, and return how many: all or none.

    Raises:
        NotFound: the project has no such entry.
        InvalidInput: an entry is a conflict.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        entries = _named(session, project_id, ids)
        stored.reopen(session, project_id, list(entries))
        audit.record(
            session, "work_list_reopened", project_id=project_id, person_id=by, detail={"entries": list(ids)}
        )
    return len(entries)


def _named(session: Session, project_id: int, ids: Sequence[str]) -> dict[EntryKey, WorkListEntry]:
    by_id = {entry.id: (key, entry) for key, entry in _left_by_raters(session, project_id).items()}
    for entry_id in ids:
        if entry_id.startswith(f"{CONFLICT}-"):  # its decision is the only thing that says it is done
            raise InvalidInput(
                sentence("{id} is a conflict: it is done once it is decided on Conflicts.", id=entry_id)
            )
        if entry_id not in by_id:
            raise NotFound(mark("entry"), entry_id, list(by_id))
    return dict(by_id[entry_id] for entry_id in ids)


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
