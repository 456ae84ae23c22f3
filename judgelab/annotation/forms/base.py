"""What every form of rating implements: checking, storing and loading what a person entered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol

from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.wording import sentence


@dataclass(frozen=True)
class Submission:
    """What a person entered for a unit, by criterion key, as the screen sends it.

    Attributes:
        values: scores, choices or places, as `Operation` has them.
        comments: comments that are not empty.
        evidence: marked spans, with the text they quote.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class SubmissionContext:
    """A rating on its way into the database, within one transaction.

    Attributes:
        ids: row id of each criterion of the project by its key.
        surplus: whether the unit already had enough ratings.
        blind: whether the person has not seen judges' scores of the project.
    """

    session: Session
    rating_session: RatingSession
    view: UnitView
    operation: Operation
    ids: Mapping[str, int]
    surplus: bool
    blind: bool
    at: datetime


class Form(Protocol):
    """One form of rating.

    Attributes:
        name: the name in the project's settings.
        field: the field of operations, drafts and history with the form's values.
    """

    name: ClassVar[str]
    field: ClassVar[str]

    def check(self, rating_session: RatingSession, view: UnitView, operation: Operation) -> None:
        """Raise `InvalidInput` when a value does not fit; incomplete ones pass, since drafts are."""

    def save(self, context: SubmissionContext) -> None:
        """Store the values of the criteria that the project has; raises `InvalidInput`."""

    def submissions(
        self, session: Session, views: Sequence[UnitView], person_id: int
    ) -> dict[int, Submission]:
        """Return what the person has stored so far, by assignment."""

    def in_words(self, rating_session: RatingSession, key: str, value: Any) -> str:
        """Return a value as text for the person."""


def known_criteria(values: Mapping[str, Any], ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the values of criteria that the project still has; raises `InvalidInput` when there are none."""
    known = {key: value for key, value in values.items() if key in ids}
    if not known:
        raise InvalidInput(sentence("a rating needs a score."))
    return known


def response_letter(place: int) -> str:
    """Return the screen's name of the response at this position: A, B, ..., Z, AA."""
    first, last = divmod(place, 26)
    return (response_letter(first - 1) if first else "") + chr(ord("A") + last)
