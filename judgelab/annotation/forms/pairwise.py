"""Which of two responses is better under each criterion, or that there is no difference."""

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

    The screen speaks of the first and the second; stored is which response that was.
    """

    name: ClassVar[str] = "pairwise"
    field: ClassVar[str] = "choices"

    def check(self, round_: RatingSession, laid: UnitView, op: Operation) -> None:
        """Raise `InvalidInput` when the pair is no pair any more."""
        if len(laid.responses) != 2:
            raise InvalidInput(sentence("one of the two answers was removed; nothing is left to compare."))

    def put(self, saying: SubmissionContext) -> None:
        """Store the preferences, with what stood first."""
        laid, op = saying.laid, saying.op
        preferences.save_preferences(
            saying.session,
            [
                NewPreference(
                    criterion_id=saying.ids[key],
                    preference=PairPreference(
                        _stored_choice(laid, said["choice"]),
                        said["strength"],
                        _stored_choice(laid, "first"),
                        op.comments.get(key, ""),
                    ),
                    surplus=saying.surplus,
                    blind=saying.blind,
                    seconds=op.seconds,
                )
                for key, said in known_criteria(op.choices, saying.ids).items()
            ],
            pair=_pair_key(laid),
            item_id=laid.unit.item_id,
            person_id=saying.round.person_id,
            project_id=saying.round.project.id,
            at=saying.at,
        )

    def said(self, session: Session, laid: Sequence[UnitView], person_id: int) -> dict[int, Submission]:
        """Return choices and comments by assignment, in the order shown."""
        stored = preferences.preferences(session, [one.unit.responses[0] for one in laid], person_id)
        found = {}
        for one in laid:
            own = stored.get(_pair_key(one), {})
            found[one.given.id] = Submission(
                {
                    key: {"choice": _displayed_choice(one, said.choice), "strength": said.strength}
                    for key, said in own.items()
                },
                {key: said.comment for key, said in own.items() if said.comment},
            )
        return found

    def in_words(self, round_: RatingSession, key: str, value: Any) -> str:
        """Return the choice: `A better`, `B much better`, `no difference`."""
        if value["choice"] == "tie":
            return sentence("no difference")
        name = LETTERS[value["choice"]]
        if value["strength"] > 1:
            return sentence("{name} much better", name=name)
        return sentence("{name} better", name=name)


PAIRWISE = Pairwise()


def _pair_key(laid: UnitView) -> PairKey:
    first, other = laid.unit.responses
    return first, other, laid.given.occasion


def _stored_choice(laid: UnitView, choice: str) -> str:
    """Return a or b for the first or second one on the screen; `a` is the response with the lower row id."""
    if choice == "tie":
        return "tie"
    chosen = laid.responses[choice == "second"]
    return "a" if chosen == laid.unit.responses[0] else "b"


def _displayed_choice(laid: UnitView, choice: str) -> str:
    if choice == "tie":
        return "tie"
    return "first" if choice == _stored_choice(laid, "first") else "second"
