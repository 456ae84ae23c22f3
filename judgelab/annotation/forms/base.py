"""What every form of judging has to know: how to read, check and store what a person said."""

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
    """What a person said about a unit, by criterion key, in the words of the screen.

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
    """A person saying something about a unit, in one transaction.

    Attributes:
        ids: row id of each criterion of the project by its key.
    """

    session: Session
    round: RatingSession
    laid: UnitView
    op: Operation
    ids: Mapping[str, int]
    surplus: bool
    blind: bool
    at: datetime


class Form(Protocol):
    """One way of judging.

    Attributes:
        name: the name in the project's settings.
        field: the part of an operation, a draft and the history that holds its values.
    """

    name: ClassVar[str]
    field: ClassVar[str]

    def check(self, round_: RatingSession, laid: UnitView, op: Operation) -> None:
        """Raise `InvalidInput` when a value does not fit; unfinished ones are let pass (drafts)."""

    def put(self, saying: SubmissionContext) -> None:
        """Store what was said of the criteria that the project has; raises `InvalidInput`."""

    def said(self, session: Session, laid: Sequence[UnitView], person_id: int) -> dict[int, Submission]:
        """Return what the person said so far, by assignment."""

    def in_words(self, round_: RatingSession, key: str, value: Any) -> str:
        """Return a value as the person would read it."""


def known_criteria(values: Mapping[str, Any], ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the values of criteria that the project has; raises `InvalidInput` when none is left."""
    found = {key: value for key, value in values.items() if key in ids}
    if not found:
        raise InvalidInput(sentence("a rating needs a score."))
    return found


def response_letter(place: int) -> str:
    """Return what the screen calls the response at this place: A, B, ..., Z, AA."""
    first, last = divmod(place, 26)
    return (response_letter(first - 1) if first else "") + chr(ord("A") + last)
