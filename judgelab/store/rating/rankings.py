"""The places that people gave to the responses of an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, Ranking

ListKey = tuple[int, int]  # the item and the occasion


@dataclass(frozen=True)
class ItemRanking:
    """One person's places for the responses of an item under one criterion, by response row id."""

    form: str
    places: Mapping[int, int]
    comment: str = ""


@dataclass(frozen=True)
class NewRanking:
    """What is to be stored of one ranking."""

    criterion_id: int
    said: ItemRanking
    surplus: bool
    blind: bool
    seconds: float | None


def rankings(session: Session, items: Iterable[int], person_id: int) -> dict[ListKey, dict[str, ItemRanking]]:
    """Return the person's places by item, occasion and criterion key."""
    rows = session.execute(
        select(Ranking, CriterionRow.key)
        .join(CriterionRow, CriterionRow.id == Ranking.criterion_id)
        .where(Ranking.person_id == person_id, Ranking.item_id.in_(set(items)))
    )
    found: dict[ListKey, dict[str, ItemRanking]] = {}
    for row, key in rows:
        found.setdefault((row.item_id, row.occasion), {})[key] = _ranked(row)
    return found


def save_rankings(
    session: Session,
    new: Sequence[NewRanking],
    *,
    key: ListKey,
    shown: Sequence[int],
    person_id: int,
    project_id: int,
    at: datetime,
) -> None:
    """Store places instead of the person's earlier ones; an unchanged ranking keeps its time and marks."""
    item_id, occasion = key
    rows = session.scalars(
        select(Ranking).where(
            Ranking.item_id == item_id, Ranking.person_id == person_id, Ranking.occasion == occasion
        )
    )
    known = {row.criterion_id: row for row in rows}
    for one in new:
        row = known.get(one.criterion_id)
        if row is None:
            row = Ranking(
                project_id=project_id,
                item_id=item_id,
                criterion_id=one.criterion_id,
                person_id=person_id,
                occasion=occasion,
            )
            session.add(row)
        elif _ranked(row) == one.said:
            continue
        row.form, row.comment, row.shown = one.said.form, one.said.comment, list(shown)
        row.places = {str(response): place for response, place in one.said.places.items()}
        row.surplus, row.blind, row.seconds, row.rated_at = one.surplus, one.blind, one.seconds, at
        row.origin = "browser"
    session.flush()


def _ranked(row: Ranking) -> ItemRanking:
    return ItemRanking(
        row.form, {int(response): place for response, place in row.places.items()}, row.comment
    )
