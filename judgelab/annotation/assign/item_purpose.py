"""What an item is for (data, gold, an attention check, training), its known scores, and its cohort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.rating import gold
from judgelab.store.rating.gold import CheckableUnit, GoldCounts


@dataclass(frozen=True)
class ItemPurpose:
    """What an item is for now: its purpose as stored, its units, and the cohort it is reserved for, or ""."""

    purpose: str
    units: list[CheckableUnit]
    cohort: str


def item_purpose(store: Store, project_id: int, item: str) -> ItemPurpose:
    """Return what an item is for; raises `NotFound` when the project has no such item."""
    with store.reading() as session:
        purpose, units = gold.units_of_item(session, project_id, item)
        return ItemPurpose(purpose, units, gold.cohort_of(session, project_id, item))


def count_known_scores(store: Store, project_id: int) -> GoldCounts:
    """Return how many units with known scores the project has, by purpose."""
    with store.reading() as session:
        return gold.count_gold(session, project_id)


def has_known_score(known: Mapping[str, Any]) -> bool:
    """Return whether a score, or the places of a list, are given for a unit."""
    return bool(known.get("scores") or known.get("places"))


def save_item_purpose(
    store: Store,
    project_id: int,
    item: str,
    units: Sequence[CheckableUnit],
    *,
    purpose: str,
    known: Mapping[int, Mapping[str, Any]],
    cohort: str,
    person_id: int,
) -> None:
    """Store what an item is for and record who said so, in one transaction.

    Args:
        store: the database.
        project_id: the project.
        item: the item's name.
        units: its units; those without a known score lose the one they had.
        purpose: "data", "gold", "attention" or "training".
        known: by unit, the arguments of `gold.set_known_scores`.
        cohort: who it is reserved for; empty frees it.
        person_id: who says so.

    Raises:
        UserError: a score cannot be taken; nothing was stored.
    """
    with store.writing() as session:
        for unit in units:
            if not has_known_score(known.get(unit.unit_id, {})):
                gold.set_known_scores(session, project_id, unit.unit_id, purpose="gold", scores={})
        for unit_id, scores in known.items():
            if has_known_score(scores):
                gold.set_known_scores(session, project_id, unit_id, purpose=purpose, **scores)
        gold.reserve(session, project_id, item, cohort)
        detail = {"item": item, "purpose": purpose}
        audit.record(session, "marked_item", project_id=project_id, person_id=person_id, detail=detail)
