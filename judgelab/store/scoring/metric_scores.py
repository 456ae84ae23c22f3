"""Numbers of metrics: which responses still want one, the texts to compute it from, and keeping it."""

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
    """A response with the texts of its item; `itself` where it, or a copy of it, became the reference."""

    response_id: int
    text: str
    question: str
    context: str
    references: tuple[str, ...]
    itself: bool = False


class NewMetricScore(NamedTuple):
    """A metric's number for a response, or the reason for none."""

    response_id: int
    score: float | None
    reason: str


class MetricCounts(NamedTuple):
    """How many responses have a number of a metric, and why others have none."""

    scored: int
    reasons: Mapping[str, int]


def responses_without_score(
    session: Session, project_id: int, metric: str, *, options: Mapping[str, Any]
) -> list[int]:
    """Return the responses that have no number of this metric made with these options, item by item.

    Responses of one item share their references: together they are encoded once.

    Args:
        session: open.
        project_id: the project.
        metric: its name as a rater.
        options: all of them, with what else the numbers stand on.
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
    everyone = (
        select(ResponseRow.id)
        .where(ResponseRow.project_id == project_id)
        .order_by(ResponseRow.item_id, ResponseRow.id)
    )
    return [response_id for response_id in session.scalars(everyone) if response_id not in done]


def texts_of(
    session: Session, response_ids: Sequence[int], *, from_responses: bool = True
) -> list[ResponseTexts]:
    """Return the texts of the responses, item by item; references in the order of their file.

    A response may bring its own list (`meta["references"]`): published scores of QA-eval's systems stand
    on lists that differ for seven questions.

    Args:
        session: open.
        response_ids: the responses.
        from_responses: with references that are the best rated of an item's responses. A learned judge must
            not have them: they were chosen by the very ratings that it is tested with.
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
    known, responses = _references(session, sorted({row[2] for row in rows}), from_responses=from_responses)
    return [
        ResponseTexts(
            response_id,
            text,
            question,
            context,
            tuple(meta.get("references") or known[item_id]),
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
    """Return the references of items, and those among them that are responses of theirs."""
    query = (
        select(ReferenceRow.item_id, ReferenceRow.text, ReferenceRow.origin)
        .where(ReferenceRow.item_id.in_(item_ids))
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    )
    found: defaultdict[int, list[str]] = defaultdict(list)
    responses: defaultdict[int, set[str]] = defaultdict(set)
    for item_id, text, origin in session.execute(query):
        if origin == FROM_RESPONSE:
            responses[item_id].add(text.strip())
        if origin != FROM_RESPONSE or from_responses:
            found[item_id].append(text)
    return found, responses


def save_scores(
    session: Session,
    project_id: int,
    metric: str,
    *,
    options: Mapping[str, Any],
    scores: Sequence[NewMetricScore],
) -> None:
    """Store numbers; one that is there already is replaced."""
    if not scores:
        return
    flavour = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    shared = {"project_id": project_id, "metric": metric, "options": dict(options), "scored_at": now()}
    put = flavour.insert(MetricScore)
    replaced = {name: put.excluded[name] for name in ("options", "score", "reason", "scored_at")}
    session.execute(
        put.on_conflict_do_update(index_elements=["response_id", "metric"], set_=replaced),
        [{**shared, **one._asdict()} for one in scores],
    )


def options_of(session: Session, project_id: int, metric: str) -> dict[str, Any] | None:
    """Return the options that a project's numbers of a rater were made with; None where it has none."""
    query = select(MetricScore.options).where(
        MetricScore.project_id == project_id, MetricScore.metric == metric
    )
    return session.scalars(query.order_by(MetricScore.id).limit(1)).first()


def metric_counts(session: Session, project_id: int, metric: str) -> MetricCounts:
    """Return how many responses have a number of this metric, and the reasons of the others."""
    rows = session.execute(
        select(MetricScore.score.is_not(None), MetricScore.reason).where(
            MetricScore.project_id == project_id, MetricScore.metric == metric
        )
    ).all()
    reasons = Counter(reason for has_number, reason in rows if not has_number)
    return MetricCounts(len(rows) - reasons.total(), dict(sorted(reasons.items())))
