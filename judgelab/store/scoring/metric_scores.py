"""Metric scores: find responses without one, read the texts to compute it from, and store it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE
from judgelab.store.models import ItemRow, MetricScore, ReferenceRow, ResponseRow
from judgelab.store.models.base import now


class ResponseTexts(NamedTuple):
    """A response with its item's texts; `itself` if it, or a copy of it, is a reference."""

    response_id: int
    text: str
    question: str
    context: str
    references: tuple[str, ...]
    itself: bool = False


class NewMetricScore(NamedTuple):
    """A metric's score of a response, or the reason for none."""

    response_id: int
    score: float | None
    reason: str


class MetricCounts(NamedTuple):
    """How many responses have a metric's score, and the reasons of those without."""

    scored: int
    reasons: Mapping[str, int]


def responses_without_score(
    session: Session, project_id: int, metric: str, *, options: Mapping[str, Any]
) -> list[int]:
    """Return the responses without a score of this metric with these options, item by item.

    Responses of one item share their references, which are then encoded only once.

    Args:
        session: open.
        project_id: the project.
        metric: the metric's rater name.
        options: all options, with everything else that the scores depend on.
    """
    done = {
        response_id
        for response_id, made_with in session.execute(
            select(MetricScore.response_id, MetricScore.options).where(
                MetricScore.project_id == project_id,
                MetricScore.metric == metric,
                MetricScore.score.is_not(None),
            )
        )
        if made_with == options
    }
    in_order = (
        select(ResponseRow.id)
        .where(ResponseRow.project_id == project_id)
        .order_by(ResponseRow.item_id, ResponseRow.id)
    )
    return [response_id for response_id in session.scalars(in_order) if response_id not in done]


def texts_of(
    session: Session, response_ids: Sequence[int], *, from_responses: bool = True
) -> list[ResponseTexts]:
    """Return the texts of the responses, item by item; references in the order of their file.

    A response may have its own references (`meta["references"]`): published scores of QA-eval's systems use
    lists that differ for seven questions.

    Args:
        session: open.
        response_ids: the responses.
        from_responses: include references that are an item's best rated responses. A learned judge must
            not have them, as they were chosen by the ratings that it is tested on.
    """
    rows = session.execute(
        select(
            ResponseRow.id,
            ResponseRow.text,
            ItemRow.id,
            ItemRow.question,
            ItemRow.context,
            ResponseRow.meta,
        )
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.id.in_(response_ids))
        .order_by(ResponseRow.item_id, ResponseRow.id)
    ).all()
    references, responses = _references(
        session, sorted({row[2] for row in rows}), from_responses=from_responses
    )
    return [
        ResponseTexts(
            response_id,
            text,
            question,
            context,
            tuple(meta.get("references") or references[item_id]),
            text.strip() in responses[item_id],
        )
        for response_id, text, item_id, question, context, meta in rows
    ]


def all_responses(session: Session, project_id: int) -> list[int]:
    """Return all responses of a project, item by item."""
    query = select(ResponseRow.id).where(ResponseRow.project_id == project_id)
    return list(session.scalars(query.order_by(ResponseRow.item_id, ResponseRow.id)))


def _references(
    session: Session, item_ids: Sequence[int], *, from_responses: bool
) -> tuple[Mapping[int, list[str]], Mapping[int, set[str]]]:
    """Return the references of each item, and the texts of those that are responses of the item."""
    query = (
        select(ReferenceRow.item_id, ReferenceRow.text, ReferenceRow.origin)
        .where(ReferenceRow.item_id.in_(item_ids))
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    )
    references: defaultdict[int, list[str]] = defaultdict(list)
    responses: defaultdict[int, set[str]] = defaultdict(set)
    for item_id, text, origin in session.execute(query):
        if origin == FROM_RESPONSE:
            responses[item_id].add(text.strip())
        if origin != FROM_RESPONSE or from_responses:
            references[item_id].append(text)
    return references, responses


def save_scores(
    session: Session,
    project_id: int,
    metric: str,
    *,
    options: Mapping[str, Any],
    scores: Sequence[NewMetricScore],
) -> None:
    """Store scores, replacing existing ones."""
    if not scores:
        return
    module = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    shared = {"project_id": project_id, "metric": metric, "options": dict(options), "scored_at": now()}
    statement = module.insert(MetricScore)
    replaced = {name: statement.excluded[name] for name in ("options", "score", "reason", "scored_at")}
    session.execute(
        statement.on_conflict_do_update(index_elements=["response_id", "metric"], set_=replaced),
        [{**shared, **score._asdict()} for score in scores],
    )


def options_of(session: Session, project_id: int, metric: str) -> dict[str, Any] | None:
    """Return the options of a project's scores of a metric; None if there are none."""
    query = select(MetricScore.options).where(
        MetricScore.project_id == project_id, MetricScore.metric == metric
    )
    return session.scalars(query.order_by(MetricScore.id).limit(1)).first()


def metric_counts(session: Session, project_id: int, metric: str) -> MetricCounts:
    """Return how many responses have a score of this metric, and the reasons of those without."""
    rows = session.execute(
        select(MetricScore.score.is_not(None), MetricScore.reason).where(
            MetricScore.project_id == project_id, MetricScore.metric == metric
        )
    ).all()
    reasons = Counter(reason for has_number, reason in rows if not has_number)
    return MetricCounts(len(rows) - reasons.total(), dict(sorted(reasons.items())))
