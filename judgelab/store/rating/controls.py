"""Read degraded copies and repeats as pairs of scores by one rater, and add degraded copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import literal, select
from sqlalchemy.orm import Session, aliased

from judgelab.store.models import (
    Assignment,
    CriterionRow,
    ItemRow,
    Person,
    Rating,
    ReferenceRow,
    ResponseRow,
    Unit,
)
from judgelab.store.rating import units

if TYPE_CHECKING:
    import pandas as pd

# The key in a copy's meta that holds the external ids of the item and response it was made from.
DEGRADED_OF = "degraded_of"
COLUMNS = ("rater", "criterion", "kind", "score", "again")


def control_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return one row per rater, criterion and pair: columns rater, criterion, kind, score, again.

    Kind "repeat": the first score and a planned repeat of it. Kind "degraded": the score of a response and
    that of a copy of it whose meta names it (`degraded_of`).
    """
    rows = [*_repeats(session, project_id), *_degraded(session, project_id)]
    import pandas as pd  # only reports need pandas, but every rating loads this module

    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"score": "float64", "again": "float64"})


def _repeats(session: Session, project_id: int) -> list[tuple[Any, ...]]:
    second = aliased(Rating)
    query = (
        select(Person.name, CriterionRow.key, literal("repeat"), Rating.score, second.score)
        .select_from(Rating)
        .join(
            second,
            (second.response_id == Rating.response_id)
            & (second.criterion_id == Rating.criterion_id)
            & (second.person_id == Rating.person_id),
        )
        .join(Person, Person.id == Rating.person_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, Rating.occasion == 0, second.occasion > 0)
        .where(Rating.score.is_not(None), second.score.is_not(None))
        .order_by(Rating.id, second.id)
    )
    return [tuple(row) for row in session.execute(query)]


def _degraded(session: Session, project_id: int) -> list[tuple[Any, ...]]:
    originals = _originals(session, project_id)
    if not originals:
        return []
    concerned = {*originals, *originals.values()}
    query = (
        select(Rating.response_id, Rating.criterion_id, Rating.person_id, Rating.score)
        .where(Rating.project_id == project_id, Rating.occasion == 0, Rating.score.is_not(None))
        .order_by(Rating.id)
    )
    scores = {
        (response, criterion, person): score
        for response, criterion, person, score in session.execute(query)
        if response in concerned
    }
    names = {row_id: name for row_id, name in session.execute(select(Person.id, Person.name))}
    keys = select(CriterionRow.id, CriterionRow.key).where(CriterionRow.project_id == project_id)
    criteria = {row_id: key for row_id, key in session.execute(keys)}
    return [
        (names[person], criteria[criterion], "degraded", scores[originals[copy], criterion, person], again)
        for (copy, criterion, person), again in scores.items()
        if copy in originals and (originals[copy], criterion, person) in scores
    ]


def _originals(session: Session, project_id: int) -> dict[int, int]:
    """Return the original response of each degraded copy, by row id."""
    copies = session.execute(
        select(ResponseRow.id, ResponseRow.meta)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "attention")
        .order_by(ResponseRow.id)
    ).all()
    references = {row_id: meta[DEGRADED_OF] for row_id, meta in copies if DEGRADED_OF in meta}
    if not references:
        return {}
    data = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id, ResponseRow.id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .where(ItemRow.external_id.in_({name["item"] for name in references.values()}))
    )
    row_ids = {(item, response): row_id for item, response, row_id in data}
    originals = {row_id: row_ids.get((name["item"], name["response"])) for row_id, name in references.items()}
    return {copy: original for copy, original in originals.items() if original is not None}


class Degradable(NamedTuple):
    """A response that has no degraded copy yet."""

    response: int
    text: str


def degradable(session: Session, project_id: int) -> list[Degradable]:
    """Return the responses of data items that have no degraded copy, in the order of row ids."""
    rows = session.execute(
        select(ResponseRow.id, ResponseRow.text)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    copied = set(_originals(session, project_id).values())
    return [Degradable(row_id, text) for row_id, text in rows if row_id not in copied]


def add_copies(session: Session, project_id: int, copies: Sequence[tuple[int, str]]) -> None:
    """Store texts as degraded copies of responses, each an attention item of its own."""
    for response_id, text in copies:
        original = session.get_one(ResponseRow, response_id)
        item = session.get_one(ItemRow, original.item_id)
        copy = ItemRow(
            project_id=project_id,
            external_id=f"{item.external_id}~{response_id}",
            question=item.question,
            context=item.context,
            group=item.group,
            purpose="attention",
        )
        session.add(copy)
        session.flush()
        references = select(ReferenceRow).where(ReferenceRow.item_id == item.id)
        for row in session.scalars(references):
            session.add(
                ReferenceRow(
                    item_id=copy.id, position=row.position, grade=row.grade, text=row.text, origin=row.origin
                )
            )
        session.add(
            ResponseRow(
                project_id=project_id,
                item_id=copy.id,
                external_id=f"{original.external_id}~degraded",
                text=text,
                meta={DEGRADED_OF: {"item": item.external_id, "response": original.external_id}},
            )
        )
    session.flush()
    units.offer_units(session, project_id)


def copies_open_to(session: Session, person_id: int, project_id: int) -> list[int]:
    """Return the unassigned units of degraded copies whose originals the person has rated."""
    attention = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose == "attention")
    if session.scalar(attention.limit(1)) is None:
        return []
    originals = _originals(session, project_id)
    if not originals:
        return []
    assigned = select(Assignment.id).where(Assignment.unit_id == Unit.id, Assignment.person_id == person_id)
    rated = set(
        session.scalars(
            select(Rating.response_id).where(
                Rating.person_id == person_id, Rating.response_id.in_(set(originals.values()))
            )
        )
    )
    rows = session.execute(
        select(Unit.id, Unit.response_id)
        .where(
            Unit.response_id.in_(set(originals)), Unit.kind == "response", Unit.offered, ~assigned.exists()
        )
        .order_by(Unit.id)
    )
    return [unit for unit, response in rows if response is not None and originals[response] in rated]
