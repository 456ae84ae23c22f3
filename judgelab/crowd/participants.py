"""People who joined through recruitment links: the list for paying them, and marking that someone left."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from judgelab.accounts.member_rights import Actor
from judgelab.annotation.links import withdrawal
from judgelab.annotation.links.options import FINISHED_STATES
from judgelab.annotation.links.withdrawal import WithdrawalState
from judgelab.crowd.links import check_researcher
from judgelab.escaping import escape_cell
from judgelab.money import pay_for
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import now
from judgelab.store.people import bonuses, deleted_work, recruitment_links
from judgelab.store.people.recruitment_links import Participant
from judgelab.store.projects.projects import get_project
from judgelab.store.rating import active_time, assignments, progress_counts

COLUMNS = (
    *("external_id", "rater", "link", "state", "started", "finished"),
    *("minutes", "active_minutes", "ratings", "pay", "bonus", "bonus_reason", "currency"),
    "ratings_deleted",
)


def participant_rows(
    store: Store, actor: Actor, project_id: int, *, link_id: int | None = None, by_name: bool = False
) -> list[dict[str, Any]]:
    """Return a row for each person who joined through the project's links, or one of them; it is audited.

    With `by_name`, also for each rater who was added by name, and for everybody else who rated; they have
    neither a platform id nor a link.
    `minutes` are from consent to the end of the work; `active_minutes` are those that the screen measured,
    never more than passed on the server, and what `pay` is computed from if the project has a rate and the
    link no amount for finishing. Work of
    people who deleted their ratings counts as before; `ratings_deleted` says when they did. These are
    personal data: the platform's ids are needed for paying, but answers to the background form are left out.

    Raises:
        NotAllowed: the actor is no researcher of the project.
    """
    with store.writing() as session:
        check_researcher(session, actor, project_id)
        settings = get_project(session, project_id).settings
        done = progress_counts.done_by_person(session, project_id)
        seconds = active_time.active_seconds(session, project_id)
        deleted = deleted_work.by_person(session, project_id)
        for person_id, work in deleted.items():
            done[person_id] = done.get(person_id, 0) + work.units
            seconds[person_id] = seconds.get(person_id, 0.0) + work.seconds
        given = bonuses.by_person(session, project_id)
        participants = recruitment_links.participants(
            session, project_id, at=now(), link_id=link_id, by_name=by_name
        )
        detail = {"people": len(participants)}
        audit.record(session, "listed_participants", project_id=project_id, person_id=actor, detail=detail)
    rate, currency = settings.get("pay_per_hour"), str(settings.get("currency") or "")
    return [
        {
            "external_id": participant.external_id,
            "rater": participant.name,
            "link": participant.link,
            "state": participant.state,
            "started": _isoformat(participant.joined_at) if participant.joined_at else None,
            "finished": _isoformat(participant.left_at) if participant.left_at else None,
            "minutes": _minutes(participant.joined_at, participant.left_at),
            "active_minutes": round(seconds.get(participant.person_id, 0.0) / 60, 2),
            "ratings": done.get(participant.person_id, 0),
            "pay": _pay(participant, seconds.get(participant.person_id, 0.0), rate),
            "bonus": given[participant.person_id].amount if participant.person_id in given else None,
            "bonus_reason": given[participant.person_id].reason if participant.person_id in given else None,
            "currency": currency
            if rate or participant.options.get("pay") or participant.person_id in given
            else None,
            "ratings_deleted": _isoformat(deleted[participant.person_id].at)
            if participant.person_id in deleted
            else None,
            **{f"parameter_{name}": value for name, value in participant.parameters.items()},
        }
        for participant in participants
    ]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the list as a CSV file, with cells escaped that a spreadsheet would run as formulas."""
    names = [*COLUMNS, *sorted({name for row in rows for name in row} - set(COLUMNS))]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writerow({name: escape_cell(name) for name in names})
    writer.writerows({name: escape_cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def mark_withdrawn(
    store: Store, actor: Actor, project_id: int, person_id: int, state: WithdrawalState
) -> None:
    """Record that a crowd worker returned the study or timed out, and free their units for others.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the person did not join through a recruitment link, or is not working any more.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        check_researcher(session, actor, project_id)
        withdrawal.withdraw(session, project_id, person_id, state, by=actor)


def _pay(participant: Participant, seconds: float, rate: float | None) -> Decimal | None:
    """Return the link's amount for those who finished, else pay for the time; None without any rate."""
    if amount := participant.options.get("pay"):
        return Decimal(amount) if participant.state in FINISHED_STATES else Decimal("0.00")
    return pay_for(seconds, per_hour=float(rate)) if rate else None


def _isoformat(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _minutes(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else round((end - start).total_seconds() / 60, 2)
