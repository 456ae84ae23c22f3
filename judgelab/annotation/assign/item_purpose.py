"""The purpose of an item (data, gold, attention check, training), its known scores, and its cohort."""

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
    """An item's purpose as stored, its units, and the cohort for which it is reserved, or ""."""

    purpose: str
    units: list[CheckableUnit]
    cohort: str


def item_purpose(store: Store, project_id: int, item: str) -> ItemPurpose:
    """Return the purpose of an item; raises `NotFound` when the project has no such item."""
    with store.reading() as session:
        purpose, units = gold.units_of_item(session, project_id, item)
        return ItemPurpose(purpose, units, gold.cohort_of(session, project_id, item))


def count_known_scores(store: Store, project_id: int) -> GoldCounts:
    """Return how many units with known scores the project has, by purpose."""
    with store.reading() as session:
        return gold.count_gold(session, project_id)


def has_known_score(scores: Mapping[str, Any]) -> bool:
    """Return whether there are scores, or places of a list, for a unit."""
    return bool(scores.get("scores") or scores.get("places"))


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
    """Store the purpose, known scores and cohort of an item, with an entry in the audit log.

    Args:
        store: the database.
        project_id: the project.
        item: the item's name.
        units: its units; those without a known score lose the one they had.
        purpose: "data", "gold", "attention" or "training".
        known: by unit, the arguments of `gold.set_known_scores`.
        cohort: the cohort for which it is reserved; empty for everybody.
        person_id: who made the change.

    Raises:
        UserError: a score is not valid; nothing was stored.
    """
    with store.writing() as session:
        for unit in units:
            if not has_known_score(known.get(unit.unit_id, {})):
                gold.set_known_scores(session, project_id, unit.unit_id, purpose="gold", scores={})
        for unit_id, arguments in known.items():
            if has_known_score(arguments):
                gold.set_known_scores(session, project_id, unit_id, purpose=purpose, **arguments)
        gold.reserve(session, project_id, item, cohort)
        detail = {"item": item, "purpose": purpose}
        audit.record(session, "marked_item", project_id=project_id, person_id=person_id, detail=detail)
