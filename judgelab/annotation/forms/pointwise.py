"""A score for each response under each criterion, or the word that it cannot be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.annotation.forms.base import Submission, SubmissionContext, known_criteria
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.rating import ratings
from judgelab.wording import sentence

CANNOT_JUDGE = sentence("cannot judge")


class Pointwise:
    """One response on the screen, a score per criterion."""

    name: ClassVar[str] = "pointwise"
    field: ClassVar[str] = "scores"

    def check(self, round_: RatingSession, laid: UnitView, op: Operation) -> None:
        """Raise `InvalidInput` when a score is not one of its criterion's scale."""
        round_.check(op.scores)

    def put(self, saying: SubmissionContext) -> None:
        """Store the scores with comments and marked spans."""
        op, response = saying.op, saying.laid.responses[0]
        scores = known_criteria(op.scores, saying.ids)
        quoted = _with_quotes(saying.session, response, {key: op.evidence.get(key, []) for key in scores})
        ratings.save_scores(
            saying.session,
            [
                ratings.NewRating(
                    criterion_id=saying.ids[key],
                    score=score,
                    comment=op.comments.get(key, ""),
                    evidence=quoted[key],
                    surplus=saying.surplus,
                    blind=saying.blind,
                    seconds=op.seconds,
                )
                for key, score in scores.items()
            ],
            response_id=response,
            person_id=saying.round.person_id,
            project_id=saying.round.project.id,
            occasion=saying.laid.given.occasion,
            at=saying.at,
        )

    def said(self, session: Session, laid: Sequence[UnitView], person_id: int) -> dict[int, Submission]:
        """Return scores, comments and marked spans by assignment."""
        scored = ratings.scores(session, [one.responses[0] for one in laid], person_id)
        found = {}
        for one in laid:
            own = scored.get((one.responses[0], one.given.occasion), {})
            found[one.given.id] = Submission(
                {key: score.score for key, score in own.items()},
                {key: score.comment for key, score in own.items() if score.comment},
                {key: score.evidence for key, score in own.items() if score.evidence},
            )
        return found

    def in_words(self, round_: RatingSession, key: str, value: Any) -> str:
        """Return the score, with the label of its point."""
        if value is None:
            return CANNOT_JUDGE
        label = next(
            (point.label for point in round_.project.scale(key).points() if point.value == value), ""
        )
        return f"{value:g} {label}".strip()


POINTWISE = Pointwise()


def _with_quotes(
    session: Session, response: int, evidence: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the spans with the text they quote, taken from what is stored."""
    if not any(evidence.values()):
        return {key: [] for key in evidence}
    shown = ratings.answer_texts(session, [response])[response]
    parts = {"response": shown.answer, "context": shown.context}
    quoted: dict[str, list[dict[str, Any]]] = {}
    for key, spans in evidence.items():
        if any(span["end"] > len(parts[span["part"]]) for span in spans):
            raise InvalidInput(sentence("marked evidence lies beyond the end of its text."))
        quoted[key] = [{**span, "text": parts[span["part"]][span["start"] : span["end"]]} for span in spans]
    return quoted
