"""Read and store people's rankings of the responses of an item."""

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
    """One person's ranking of an item's responses under one criterion; places by response row id."""

    form: str
    places: Mapping[int, int]
    comment: str = ""


@dataclass(frozen=True)
class NewRanking:
    """A ranking to store."""

    criterion_id: int
    ranking: ItemRanking
    surplus: bool
    blind: bool
    seconds: float | None


def rankings(session: Session, items: Iterable[int], person_id: int) -> dict[ListKey, dict[str, ItemRanking]]:
    """Return the person's rankings by item and occasion, and by criterion key."""
    rows = session.execute(
        select(Ranking, CriterionRow.key)
        .join(CriterionRow, CriterionRow.id == Ranking.criterion_id)
        .where(Ranking.person_id == person_id, Ranking.item_id.in_(set(items)))
    )
    by_list: dict[ListKey, dict[str, ItemRanking]] = {}
    for row, key in rows:
        by_list.setdefault((row.item_id, row.occasion), {})[key] = _ranked(row)
    return by_list


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
    """Store rankings, replacing the person's earlier ones; an unchanged ranking keeps its time and marks."""
    item_id, occasion = key
    rows = session.scalars(
        select(Ranking).where(
            Ranking.item_id == item_id, Ranking.person_id == person_id, Ranking.occasion == occasion
        )
    )
    stored = {row.criterion_id: row for row in rows}
    for given in new:
        row = stored.get(given.criterion_id)
        if row is None:
            row = Ranking(
                project_id=project_id,
                item_id=item_id,
                criterion_id=given.criterion_id,
                person_id=person_id,
                occasion=occasion,
            )
            session.add(row)
        elif _ranked(row) == given.ranking:
            continue
        row.form, row.comment, row.shown = given.ranking.form, given.ranking.comment, list(shown)
        row.places = {str(response): place for response, place in given.ranking.places.items()}
        row.surplus, row.blind = given.surplus, given.blind
        row.seconds, row.rated_at = given.seconds, at
        row.origin = "browser"
    session.flush()


def _ranked(row: Ranking) -> ItemRanking:
    return ItemRanking(
        row.form, {int(response): place for response, place in row.places.items()}, row.comment
    )
