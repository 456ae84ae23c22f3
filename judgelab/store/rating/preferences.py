"""Read and store people's preferences between two responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, Preference

PairKey = tuple[int, int, int]  # both responses, the lower row id first, and the occasion


@dataclass(frozen=True)
class PairPreference:
    """One person's preference within a pair under one criterion; `choice` is a, b or tie."""

    choice: str
    strength: int = 1
    first: str = ""
    comment: str = ""


@dataclass(frozen=True)
class NewPreference:
    """A preference to store."""

    criterion_id: int
    preference: PairPreference
    surplus: bool
    blind: bool
    seconds: float | None


def preferences(
    session: Session, firsts: Iterable[int], person_id: int
) -> dict[PairKey, dict[str, PairPreference]]:
    """Return the person's preferences by pair and criterion key; `firsts` are the pairs' lower row ids."""
    rows = session.execute(
        select(Preference, CriterionRow.key)
        .join(CriterionRow, CriterionRow.id == Preference.criterion_id)
        .where(Preference.person_id == person_id, Preference.response_a.in_(set(firsts)))
    )
    by_pair: dict[PairKey, dict[str, PairPreference]] = {}
    for row, key in rows:
        pair = (row.response_a, row.response_b, row.occasion)
        by_pair.setdefault(pair, {})[key] = PairPreference(row.choice, row.strength, row.first, row.comment)
    return by_pair


def save_preferences(
    session: Session,
    new: Sequence[NewPreference],
    *,
    pair: PairKey,
    item_id: int,
    person_id: int,
    project_id: int,
    at: datetime,
) -> None:
    """Store preferences, replacing the person's earlier ones; an unchanged one keeps its time and marks."""
    response_a, response_b, occasion = pair
    rows = session.scalars(
        select(Preference).where(
            Preference.response_a == response_a,
            Preference.response_b == response_b,
            Preference.person_id == person_id,
            Preference.occasion == occasion,
        )
    )
    stored = {row.criterion_id: row for row in rows}
    for given in new:
        row = stored.get(given.criterion_id)
        if row is None:
            row = Preference(
                project_id=project_id,
                item_id=item_id,
                response_a=response_a,
                response_b=response_b,
                criterion_id=given.criterion_id,
                person_id=person_id,
                occasion=occasion,
            )
            session.add(row)
        elif PairPreference(row.choice, row.strength, row.first, row.comment) == given.preference:
            continue
        row.choice, row.strength = given.preference.choice, given.preference.strength
        row.first, row.comment = given.preference.first, given.preference.comment
        row.surplus, row.blind = given.surplus, given.blind
        row.seconds, row.rated_at = given.seconds, at
        row.origin = "browser"
    session.flush()
