"""Read rated responses with their texts and mean scores, for examples and for training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE, Reference
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import CriterionRow, ItemRow, Rating, ReferenceRow, ResponseRow


@dataclass(frozen=True)
class RatedRow:
    """A response with the mean of its human ratings under each criterion that was rated.

    The references are those that a judge may see.
    """

    response_id: int
    item_id: int
    external_id: str
    system: str
    group: str
    question: str
    context: str
    text: str
    references: Sequence[Reference]
    scores: Mapping[str, float]


def rated_rows(
    session: Session, project_id: int, *, groups: Collection[str] = (), criterion: str | None = None
) -> list[RatedRow]:
    """Return every rated response of the project, or of some groups, in the order of import.

    With a `criterion` (an existing key), only responses rated under it, with only its means. Surplus
    ratings and check items are left out, as everywhere that human scores are used.
    """
    scores = _means(session, project_id, criterion)
    # Columns instead of ORM objects, which take four times as long.
    query = (
        select(
            ResponseRow.id,
            ItemRow.id,
            ItemRow.external_id,
            ResponseRow.system,
            ItemRow.group,
            ItemRow.question,
            ItemRow.context,
            ResponseRow.text,
        )
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    if groups:
        query = query.where(ItemRow.group.in_(sorted(groups)))
    rows = [row for row in session.execute(query) if row[0] in scores]
    references = _references(session, sorted({item for _, item, *_ in rows}))
    return [RatedRow(*row, references.get(row[1], ()), scores[row[0]]) for row in rows]


def has_rated_rows(session: Session, project_id: int, criterion: str) -> bool:
    """Return whether `rated_rows` would find any response under the criterion, without reading them."""
    query = (
        exists()
        .where(Rating.project_id == project_id, Rating.surplus.is_(False), Rating.score.is_not(None))
        .where(Rating.occasion == 0, CriterionRow.id == Rating.criterion_id, CriterionRow.key == criterion)
        .where(ResponseRow.id == Rating.response_id, ItemRow.id == ResponseRow.item_id)
        .where(ItemRow.purpose == "data")
    )
    return bool(session.scalar(select(query)))


def responses_of_same_items(session: Session, responses: Collection[int]) -> set[int]:
    """Return the row ids of all responses to the items of these responses, these included."""
    responses_found: set[int] = set()
    for batch in in_batches(sorted(responses)):
        items = select(ResponseRow.item_id).where(ResponseRow.id.in_(batch))
        responses_found |= set(session.scalars(select(ResponseRow.id).where(ResponseRow.item_id.in_(items))))
    return responses_found


def _means(session: Session, project_id: int, criterion: str | None) -> dict[int, dict[str, float]]:
    criteria = select(CriterionRow.id, CriterionRow.key).where(CriterionRow.project_id == project_id)
    keys = {row_id: key for row_id, key in session.execute(criteria) if criterion in (None, key)}
    query = (
        select(Rating.response_id, Rating.criterion_id, func.avg(Rating.score))
        .where(Rating.project_id == project_id, Rating.surplus.is_(False), Rating.score.is_not(None))
        .where(Rating.occasion == 0, Rating.criterion_id.in_(keys))
        .group_by(Rating.response_id, Rating.criterion_id)
    )
    means: dict[int, dict[str, float]] = defaultdict(dict)
    for response_id, criterion_id, mean in session.execute(query):
        means[response_id][keys[criterion_id]] = float(mean)
    return means


def _references(session: Session, item_ids: Sequence[int]) -> dict[int, list[Reference]]:
    references: dict[int, list[Reference]] = defaultdict(list)
    for batch in in_batches(item_ids):
        query = (
            select(ReferenceRow)
            .where(ReferenceRow.item_id.in_(batch), ReferenceRow.origin != FROM_RESPONSE)
            .order_by(ReferenceRow.item_id, ReferenceRow.position)
        )
        for row in session.scalars(query):
            references[row.item_id].append(Reference(row.text, row.grade, row.origin))
    return references
