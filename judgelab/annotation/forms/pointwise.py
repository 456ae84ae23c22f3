"""The form for one response: a score under each criterion, or the statement that it cannot be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.annotation.forms.base import Submission, SubmissionContext, known_criteria
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.scales import PASSED
from judgelab.store.db.engine import Session
from judgelab.store.rating import ratings
from judgelab.wording import sentence


class Pointwise:
    """One response on the screen, a score per criterion."""

    name: ClassVar[str] = "pointwise"
    field: ClassVar[str] = "scores"

    def check(self, rating_session: RatingSession, view: UnitView, operation: Operation) -> None:
        """Raise `InvalidInput` when a score is not on its criterion's scale."""
        rating_session.check(operation.scores)

    def save(self, context: SubmissionContext) -> None:
        """Store the scores with comments and marked spans."""
        operation, response = context.operation, context.view.responses[0]
        scores = known_criteria(operation.scores, context.ids)
        quoted = _with_quotes(
            context.session, response, {key: operation.evidence.get(key, []) for key in scores}
        )
        ratings.save_scores(
            context.session,
            [
                ratings.NewRating(
                    criterion_id=context.ids[key],
                    score=score,
                    comment=operation.comments.get(key, ""),
                    evidence=quoted[key],
                    surplus=context.surplus,
                    blind=context.blind,
                    seconds=operation.seconds,
                )
                for key, score in scores.items()
            ],
            response_id=response,
            person_id=context.rating_session.person_id,
            project_id=context.rating_session.project_id,
            occasion=context.view.assignment.occasion,
            at=context.at,
        )

    def submissions(
        self, session: Session, views: Sequence[UnitView], person_id: int
    ) -> dict[int, Submission]:
        """Return scores, comments and marked spans by assignment."""
        stored = ratings.scores(session, [view.responses[0] for view in views], person_id)
        by_assignment = {}
        for view in views:
            scores = stored.get((view.responses[0], view.assignment.occasion), {})
            by_assignment[view.assignment.id] = Submission(
                {key: score.score for key, score in scores.items()},
                {key: score.comment for key, score in scores.items() if score.comment},
                {key: score.evidence for key, score in scores.items() if score.evidence},
            )
        return by_assignment

    def in_words(self, rating_session: RatingSession, key: str, value: Any) -> str:
        """Return the score, with the label of its point on the scale."""
        if value is None:
            return PASSED
        scale = rating_session.project.scale(key)
        label = next((point.label for point in scale.points() if point.value == value), "")
        if scale.several:
            return label
        return f"{value:g} {label}".strip()


POINTWISE = Pointwise()


def _with_quotes(
    session: Session, response: int, evidence: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the spans with the text they quote, taken from the stored texts."""
    if not any(evidence.values()):
        return {key: [] for key in evidence}
    texts = ratings.answer_texts(session, [response])[response]
    parts = {"response": texts.answer, "context": texts.context}
    quoted: dict[str, list[dict[str, Any]]] = {}
    for key, spans in evidence.items():
        if any(span["end"] > len(parts[span["part"]]) for span in spans):
            raise InvalidInput(sentence("marked evidence is beyond the end of its text."))
        quoted[key] = [{**span, "text": parts[span["part"]][span["start"] : span["end"]]} for span in spans]
    return quoted
