"""Rated responses as examples for a judge's prompt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.domain import Demonstration
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import CriterionRow, ItemRow, Rating, ResponseRow

QUERY_SIZE = 500  # enough candidates to choose examples spread over the scores


def rated_examples(
    session: Session, project_id: int, criterion: str, *, responses: Sequence[int] = ()
) -> list[Demonstration]:
    """Return responses with the mean of their human ratings under a criterion, best rated first.

    `response_id` is the response's row id as text. With `responses` only those are returned.
    """
    mean = func.avg(Rating.score).label("mean")
    query = (
        select(ItemRow.question, ResponseRow.text, mean, ItemRow.context, ResponseRow.id)
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, CriterionRow.key == criterion, Rating.surplus.is_(False))
        .where(Rating.score.is_not(None), Rating.occasion == 0, ItemRow.purpose == "data")
        .group_by(ResponseRow.id, ItemRow.question, ResponseRow.text, ItemRow.context)
        .order_by(mean.desc(), ResponseRow.id)
    )
    query = query.where(ResponseRow.id.in_(responses)) if responses else query.limit(QUERY_SIZE)
    return [
        Demonstration(question=question, response=text, score=score, context=context, response_id=str(row_id))
        for question, text, score, context, row_id in session.execute(query)
    ]


def same_text_responses(session: Session, project_id: int, responses: Collection[int]) -> set[int]:
    """Return the responses with the same text to the same question as one of `responses`, these included.

    A prompt that shows a response with its score would reveal the score of its duplicates.
    """
    query = select(ResponseRow.id, ItemRow.question, ResponseRow.text).join(
        ItemRow, ItemRow.id == ResponseRow.item_id
    )
    shown = {
        (question, text)
        for part in in_batches(list(responses))
        for _, question, text in session.execute(query.where(ResponseRow.id.in_(part)))
    }
    of_project = query.where(ItemRow.project_id == project_id)
    return {
        row_id
        for part in in_batches(list({question for question, _ in shown}))
        for row_id, question, text in session.execute(of_project.where(ItemRow.question.in_(part)))
        if (question, text) in shown
    }
