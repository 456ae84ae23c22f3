"""Known scores, set before rating starts: gold items, attention checks, training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from judgelab import wording
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.models import CriterionRow, GoldScore, ItemRow, ResponseRow, Unit
from judgelab.store.rating.criteria import criterion_ids

PURPOSES = ("gold", "attention", "training")
SAME_ORDER = 1.0  # the likeness of an order to itself, see `annotation.assign.known_scores.order_similarity`


@dataclass(frozen=True)
class KnownScore:
    """The known score of one unit under one criterion; see `models.GoldScore`.

    Attributes:
        places: for a list, the known place of each response (row id), 1 the best; empty otherwise.
    """

    unit_id: int
    criterion: str
    purpose: str
    score: float
    tolerance: float
    loud: bool
    explanation: str
    places: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class GoldCounts:
    """How many units with known scores a project has, by purpose.

    Attributes:
        unscored: units of attention or training items without a known score; these are never assigned.
    """

    gold: int
    attention: int
    training: int
    unscored: int


@dataclass(frozen=True)
class CheckableUnit:
    """A unit that can have known scores: the responses it shows, and its known scores."""

    unit_id: int
    kind: str
    responses: tuple[int, ...]
    systems: tuple[str, ...]
    texts: tuple[str, ...]
    known: tuple[KnownScore, ...]


def known_scores(session: Session, unit_ids: Sequence[int]) -> dict[int, list[KnownScore]]:
    """Return the known scores of these units, in the order of the criteria."""
    rows = session.execute(
        select(GoldScore, CriterionRow.key)
        .join(CriterionRow, CriterionRow.id == GoldScore.criterion_id)
        .where(GoldScore.unit_id.in_(unit_ids))
        .order_by(CriterionRow.position)
    )
    by_unit: dict[int, list[KnownScore]] = {}
    for row, key in rows:
        places = {int(response): place for response, place in row.places.items()}
        values = (row.purpose, row.score, row.tolerance, row.loud, row.explanation, places)
        by_unit.setdefault(row.unit_id, []).append(KnownScore(row.unit_id, key, *values))
    return by_unit


def units_of_item(session: Session, project_id: int, item: str) -> tuple[str, list[CheckableUnit]]:
    """Return an item's purpose and its units in the project's form.

    Raises:
        NotFound: the project has no such item.
    """
    row = _item(session, project_id, item)
    units = session.scalars(select(Unit).where(Unit.item_id == row.id, Unit.offered).order_by(Unit.id)).all()
    of_item = select(ResponseRow).where(ResponseRow.item_id == row.id).order_by(ResponseRow.id)
    texts = {response.id: response for response in session.scalars(of_item)}
    scores = known_scores(session, [unit.id for unit in units])
    checkable = []
    for unit in units:
        ids = texts if unit.kind == "list" else (unit.response_id, unit.other_id)
        shown = [texts[id_] for id_ in ids if id_ in texts]
        checkable.append(
            CheckableUnit(
                unit.id,
                unit.kind,
                tuple(response.id for response in shown),
                tuple(response.system for response in shown),
                tuple(response.text for response in shown),
                tuple(scores.get(unit.id, ())),
            )
        )
    return row.purpose, checkable


def set_known_scores(
    session: Session,
    project_id: int,
    unit_id: int,
    *,
    purpose: str,
    scores: Mapping[str, float],
    places: Mapping[str, Mapping[int, int]] | None = None,
    tolerance: float = 0.0,
    loud: bool = False,
    explanation: str = "",
) -> None:
    """Set the known scores of a unit and their purpose, replacing earlier ones.

    A list takes `places` (by criterion, the place of each response, 1 the best) instead of `scores`.
    `attention` and `training` exclude the whole item from analysis; `gold` or no scores
    include it again.

    Raises:
        NotFound: there is no such unit or criterion in the project.
        InvalidInput: the purpose is none of `PURPOSES`, the tolerance is below 0, or a list is said to have
            scores and no places, places of some responses only, or the same place for all.
    """
    if purpose not in PURPOSES:
        raise InvalidInput(
            wording.sentence(
                "'{purpose}' is not a purpose of a known score; choose one of {purposes}.",
                purposes=", ".join(PURPOSES),
                purpose=purpose,
            )
        )
    if not tolerance >= 0:
        raise InvalidInput(wording.sentence("a tolerance must be at least 0."))
    unit = session.scalar(select(Unit).where(Unit.id == unit_id, Unit.project_id == project_id))
    if unit is None:
        raise NotFound(wording.mark("unit"), str(unit_id))
    orders = dict(places or {})
    if unit.kind == "list":
        _check_orders(session, unit, scores, orders)
        scores = dict.fromkeys(orders, SAME_ORDER)
    elif orders:
        raise InvalidInput(
            wording.sentence("only a list of responses can have a known order; give it known scores instead.")
        )
    ids = criterion_ids(session, project_id)
    unknown = next((key for key in scores if key not in ids), None)
    if unknown is not None:
        raise NotFound(wording.mark("criterion"), unknown, ids)
    session.execute(delete(GoldScore).where(GoldScore.unit_id == unit_id))
    session.add_all(
        GoldScore(
            unit_id=unit_id,
            criterion_id=ids[key],
            purpose=purpose,
            score=float(score),
            tolerance=float(tolerance),
            loud=loud,
            explanation=explanation.strip(),
            places={str(response): place for response, place in orders.get(key, {}).items()},
        )
        for key, score in scores.items()
    )
    session.flush()
    is_material = purpose != "gold" and bool(scores)
    set_purpose(session, unit.item_id, purpose if is_material else "data")


def count_gold(session: Session, project_id: int) -> GoldCounts:
    """Return the number of offered units with known scores, by purpose."""
    rows = session.execute(
        select(ItemRow.purpose, GoldScore.purpose, func.count(Unit.id.distinct()))
        .select_from(Unit)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .outerjoin(GoldScore, GoldScore.unit_id == Unit.id)
        .where(Unit.project_id == project_id, Unit.offered)
        .where((ItemRow.purpose != "data") | GoldScore.id.is_not(None))
        .group_by(ItemRow.purpose, GoldScore.purpose)
    )
    counts = {(item, score_purpose): count for item, score_purpose, count in rows}
    return GoldCounts(
        gold=counts.get(("data", "gold"), 0),
        attention=counts.get(("attention", "attention"), 0),
        training=counts.get(("training", "training"), 0),
        unscored=sum(
            n for (item, score_purpose), n in counts.items() if item != "data" and score_purpose != item
        ),
    )


def reserve(session: Session, project_id: int, item: str, cohort: str) -> None:
    """Reserve an item for raters of a cohort, or for one rater as `person:NAME`; empty frees it.

    Raises:
        NotFound: the project has no such item.
    """
    _item(session, project_id, item).cohort = cohort.strip()
    session.flush()


def cohort_of(session: Session, project_id: int, item: str) -> str:
    """Return the cohort an item is reserved for; raises `NotFound`."""
    return _item(session, project_id, item).cohort


@dataclass(frozen=True)
class ItemUnits:
    """The responses and units of an item, to which known scores can belong.

    Attributes:
        responses: row id of each response by its id and system.
        units: row id of each unit of the project's form by the ids of its responses, lowest first.
    """

    responses: Mapping[tuple[str, str], int]
    units: Mapping[tuple[int, ...], int]


def units_by_item(session: Session, project_id: int) -> dict[str, ItemUnits]:
    """Return the responses of each item, and the units in which the project's form offers them."""
    rows = session.execute(
        select(ItemRow.id, ItemRow.external_id, ResponseRow.external_id, ResponseRow.system, ResponseRow.id)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .where(ItemRow.project_id == project_id)
        .order_by(ResponseRow.id)
    )
    names: dict[int, str] = {}
    responses: dict[int, dict[tuple[str, str], int]] = {}
    for item, name, response, system, row_id in rows:
        names[item] = name
        responses.setdefault(item, {})[response, system] = row_id
    units: dict[int, dict[tuple[int, ...], int]] = {}
    for unit in session.scalars(select(Unit).where(Unit.project_id == project_id, Unit.offered)):
        members = tuple(responses.get(unit.item_id, {}).values())
        pair = (unit.response_id, unit.other_id)
        shown = (
            members if unit.kind == "list" else tuple(sorted(member for member in pair if member is not None))
        )
        units.setdefault(unit.item_id, {})[shown] = unit.id
    return {name: ItemUnits(responses[item], units.get(item, {})) for item, name in names.items()}


def _check_orders(
    session: Session, unit: Unit, scores: Mapping[str, float], orders: Mapping[str, Mapping[int, int]]
) -> None:
    if scores:
        raise InvalidInput(
            wording.sentence("a list of responses can't have a known score; give each response a rank.")
        )
    members = set(session.scalars(select(ResponseRow.id).where(ResponseRow.item_id == unit.item_id)))
    for key, order in orders.items():
        if set(order) != members:
            raise InvalidInput(
                wording.sentence(
                    "'{criterion}': give a rank to every response of the item, and to no other.",
                    criterion=key,
                )
            )
        if len(set(order.values())) < 2:
            raise InvalidInput(
                wording.sentence(
                    "'{criterion}': all responses have the same rank; give at least two different ranks.",
                    criterion=key,
                )
            )


def set_purpose(session: Session, item_id: int, purpose: str) -> None:
    """Set the purpose of the item (row id) and of its units' known scores."""
    session.execute(update(ItemRow).where(ItemRow.id == item_id).values(purpose=purpose))
    others = select(Unit.id).where(Unit.item_id == item_id)
    follow = purpose if purpose != "data" else "gold"
    session.execute(update(GoldScore).where(GoldScore.unit_id.in_(others)).values(purpose=follow))


def _item(session: Session, project_id: int, item: str) -> ItemRow:
    row = session.scalar(select(ItemRow).where(ItemRow.project_id == project_id, ItemRow.external_id == item))
    if row is None:
        raise NotFound(wording.mark("item"), item)
    return row
