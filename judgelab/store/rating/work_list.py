"""What raters left for the researcher to look at: messages, flags, skips, comments; and what is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast

from sqlalchemy import Select, delete, or_, select
from sqlalchemy.orm import Session, aliased

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import (
    Assignment,
    CriterionRow,
    ItemRow,
    Person,
    Preference,
    Ranking,
    Rating,
    ResponseRow,
    Unit,
    WorkListMark,
    now,
)
from judgelab.store.rating.messages import team_messages

TAKEN_OUT = "(taken out)"  # the reason of a flag whose rater was erased
Kind = Literal["message", "flag", "skip", "comment", "check"]


class EntryKey(NamedTuple):
    """What an entry is about: one rater's messages, flag, skip, comments or failed checks on one unit."""

    kind: Kind
    unit: int
    person: int


@dataclass(frozen=True)
class Note:
    """One part of an entry: what the rater wrote or did, under a criterion or on the whole unit.

    Attributes:
        criterion: key of the criterion; empty for the whole unit.
        text: the reason of a flag, a comment, `once` or `twice` for a skip, the given score of a check.
        known: the known score of a failed check.
        answer: whether the study team wrote it, as an answer to a message.
        by: who did; None for the command line.
    """

    criterion: str
    text: str
    known: str = ""
    answer: bool = False
    by: str | None = None


@dataclass(frozen=True)
class ReportedUnit:
    """The unit of an entry and its rater, with readable names; `responses` are row ids."""

    kind: str
    item: str
    responses: tuple[int, ...]
    systems: tuple[str, ...]
    rater: str


class Mark(NamedTuple):
    """That an entry is done: a fingerprint of what it said then, who did it, when, and a note."""

    content: str
    by: str | None
    at: datetime
    note: str


def flags_and_skips(session: Session, project_id: int) -> dict[EntryKey, tuple[list[Note], datetime | None]]:
    """Return the flags and skips of a project, with the time at which the unit was finished, if it was."""
    rows = session.execute(
        select(
            *(Assignment.unit_id, Assignment.person_id, Assignment.flag, Assignment.state),
            Assignment.finished_at,
        )
        .where(
            Assignment.project_id == project_id,
            or_(Assignment.flag != TAKEN_OUT, Assignment.state.in_(("skipped", "returned"))),
        )
        .order_by(Assignment.id)
    )
    found: dict[EntryKey, tuple[list[Note], datetime | None]] = {}
    for unit, person, flag, state, at in rows:
        if flag and flag != TAKEN_OUT:
            earlier, last = found.get(EntryKey("flag", unit, person), ([], None))
            found[EntryKey("flag", unit, person)] = ([*earlier, Note("", flag)], at or last)
        if state in ("skipped", "returned"):
            times = "twice" if state == "returned" else "once"
            found[EntryKey("skip", unit, person)] = ([Note("", times)], at)
    return found


def comments(session: Session, project_id: int) -> dict[EntryKey, tuple[list[Note], datetime | None]]:
    """Return the comments that raters wrote in the browser, those of all criteria of a unit together."""
    found: dict[EntryKey, tuple[list[Note], datetime | None]] = {}
    for query in _comment_queries(project_id):
        for unit, person, criterion, text, at in session.execute(query):
            notes, last = found.get(EntryKey("comment", unit, person), ([], None))
            found[EntryKey("comment", unit, person)] = (
                [*notes, Note(criterion, text)],
                at if last is None else max(last, at),
            )
    return found


def threads(session: Session, project_id: int) -> dict[EntryKey, tuple[list[Note], datetime | None]]:
    """Return the messages of raters with the answers to them, with the time of the rater's last one."""
    found: dict[EntryKey, tuple[list[Note], datetime | None]] = {}
    for said in team_messages(session, project_id):
        key = EntryKey("message", said.unit, said.person)
        notes, last = found.get(key, ([], None))
        note = Note("", said.text, answer=said.answer, by=said.by)
        found[key] = ([*notes, note], last if said.answer else said.at)
    return found


def _comment_queries(project_id: int) -> Iterable[Select[Any]]:
    same: tuple[tuple[Any, str, Any], ...] = (
        (Rating, "response", Unit.response_id == Rating.response_id),
        (
            Preference,
            "pair",
            (Unit.response_id == Preference.response_a) & (Unit.other_id == Preference.response_b),
        ),
        (Ranking, "list", Unit.item_id == Ranking.item_id),
    )
    for table, kind, of_unit in same:
        yield (
            select(Unit.id, table.person_id, CriterionRow.key, table.comment, table.rated_at)
            .select_from(table)
            .join(Unit, of_unit & (Unit.kind == kind))
            .join(CriterionRow, CriterionRow.id == table.criterion_id)
            .where(table.project_id == project_id, table.comment != "", table.origin == "browser")
            .order_by(CriterionRow.position, table.id)
        )


def reported_units(
    session: Session, project_id: int, keys: Sequence[EntryKey]
) -> dict[tuple[int, int], ReportedUnit]:
    """Return unit and rater of each entry, by the row ids of both; those of other projects are left out."""
    other = aliased(ResponseRow)
    query = (
        select(
            *(Unit.id, Unit.kind, ItemRow.external_id, Unit.response_id, Unit.other_id),
            *(ResponseRow.system, other.system),
        )
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
        .outerjoin(other, other.id == Unit.other_id)
        .where(Unit.project_id == project_id)
    )
    units, names = {}, {}
    for batch in in_batches(sorted({key.unit for key in keys})):
        units.update({row[0]: row[1:] for row in session.execute(query.where(Unit.id.in_(batch)))})
    for batch in in_batches(sorted({key.person for key in keys})):
        rows = session.execute(select(Person.id, Person.name).where(Person.id.in_(batch)))
        names.update({row_id: name for row_id, name in rows})
    found = {}
    for key in keys:
        if key.unit in units and key.person in names:
            kind, item, first, second, system, second_system = units[key.unit]
            found[key.unit, key.person] = ReportedUnit(
                kind,
                item,
                tuple(response for response in (first, second) if response is not None),
                tuple(name for name in (system, second_system) if name),
                names[key.person],
            )
    return found


def marks(session: Session, project_id: int) -> dict[EntryKey, Mark]:
    """Return what is marked done."""
    rows = session.execute(
        select(WorkListMark, Person.name)
        .outerjoin(Person, Person.id == WorkListMark.done_by)
        .where(WorkListMark.project_id == project_id)
    )
    return {
        EntryKey(cast(Kind, row.kind), row.unit_id, row.person_id): Mark(
            row.content, name, row.done_at, row.note
        )
        for row, name in rows
    }


def mark_done(
    session: Session, project_id: int, contents: dict[EntryKey, str], *, by: int | None, note: str
) -> None:
    """Mark entries done as they read now; a mark that an entry has is replaced."""
    reopen(session, project_id, list(contents))
    for key, content in contents.items():
        session.add(
            WorkListMark(
                project_id=project_id,
                kind=key.kind,
                unit_id=key.unit,
                person_id=key.person,
                content=content,
                note=note,
                done_by=by,
                done_at=now(),
            )
        )


def reopen(session: Session, project_id: int, keys: Sequence[EntryKey]) -> None:
    """Remove the marks of entries."""
    for key in keys:
        session.execute(
            delete(WorkListMark).where(
                WorkListMark.project_id == project_id,
                WorkListMark.kind == key.kind,
                WorkListMark.unit_id == key.unit,
                WorkListMark.person_id == key.person,
            )
        )
