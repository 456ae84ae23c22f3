"""The form for two responses: which is better under each criterion, or that there is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from judgelab.annotation.forms.base import Submission, SubmissionContext, known_criteria
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.rating import preferences
from judgelab.store.rating.preferences import NewPreference, PairKey, PairPreference
from judgelab.wording import sentence

LETTERS = {"first": "A", "second": "B"}


class Pairwise:
    """Two responses side by side: the first, the second, or a tie.

    The screen sends "first" and "second"; what is stored is which response that was.
    """

    name: ClassVar[str] = "pairwise"
    field: ClassVar[str] = "choices"

    def check(self, rating_session: RatingSession, view: UnitView, operation: Operation) -> None:
        """Raise `InvalidInput` when a response of the pair was removed."""
        if len(view.responses) != 2:
            raise InvalidInput(
                sentence("one of the two answers was removed, so there is nothing to compare.")
            )

    def save(self, context: SubmissionContext) -> None:
        """Store the preferences, with the response that was shown first."""
        view, operation = context.view, context.operation
        preferences.save_preferences(
            context.session,
            [
                NewPreference(
                    criterion_id=context.ids[key],
                    preference=PairPreference(
                        _stored_choice(view, choice["choice"]),
                        choice["strength"],
                        _stored_choice(view, "first"),
                        operation.comments.get(key, ""),
                    ),
                    surplus=context.surplus,
                    blind=context.blind,
                    seconds=operation.seconds,
                )
                for key, choice in known_criteria(operation.choices, context.ids).items()
            ],
            pair=_pair_key(view),
            item_id=view.unit.item_id,
            person_id=context.rating_session.person_id,
            project_id=context.rating_session.project_id,
            at=context.at,
        )

    def submissions(
        self, session: Session, views: Sequence[UnitView], person_id: int
    ) -> dict[int, Submission]:
        """Return choices and comments by assignment, in the order shown."""
        stored = preferences.preferences(session, [view.unit.responses[0] for view in views], person_id)
        by_assignment = {}
        for view in views:
            given = stored.get(_pair_key(view), {})
            by_assignment[view.assignment.id] = Submission(
                {
                    key: {
                        "choice": _displayed_choice(view, preference.choice),
                        "strength": preference.strength,
                    }
                    for key, preference in given.items()
                },
                {key: preference.comment for key, preference in given.items() if preference.comment},
            )
        return by_assignment

    def in_words(self, rating_session: RatingSession, key: str, value: Any) -> str:
        """Return the choice, such as `A better`, `B much better`, `no difference`."""
        if value["choice"] == "tie":
            return sentence("no difference")
        name = LETTERS[value["choice"]]
        if value["strength"] > 1:
            return sentence("{name} much better", name=name)
        return sentence("{name} better", name=name)


PAIRWISE = Pairwise()


def _pair_key(view: UnitView) -> PairKey:
    first, other = view.unit.responses
    return first, other, view.assignment.occasion


def _stored_choice(view: UnitView, choice: str) -> str:
    """Return "a" or "b" for the first or second on the screen; `a` is the response with the lower row id."""
    if choice == "tie":
        return "tie"
    chosen = view.responses[choice == "second"]
    return "a" if chosen == view.unit.responses[0] else "b"


def _displayed_choice(view: UnitView, choice: str) -> str:
    if choice == "tie":
        return "tie"
    return "first" if choice == _stored_choice(view, "first") else "second"
