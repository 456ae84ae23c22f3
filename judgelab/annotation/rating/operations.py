"""What a rating screen sends, read from untrusted input and checked for syntax.

Whether the unit was assigned to this person, and whether the values fit its form and scales, is checked
where these are known (`apply_operation`, `forms`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from judgelab.annotation.rating import values
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

KINDS = ("rate", "skip", "flag", "undo", "draft", "ask", "renew", "pause", "return", "offer", "read")
WITHOUT_UNIT = ("renew", "pause", "return", "offer", "read")  # about all units on the screen
RECORDED = ("rate", "skip", "flag", "undo")  # stored in the history, and carried out once only
MOST_CRITERIA = 100
LONGEST_KEY = 200

T = TypeVar("T")


@dataclass(frozen=True)
class Operation:
    """One action of a rater.

    Attributes:
        uid: id of this operation, chosen by the screen; a second arrival changes nothing.
        kind: one of `KINDS`.
        item: the assignment it is about; 0 for those `WITHOUT_UNIT`.
        form: the form of the screen it came from; empty if the screen did not say.
        scores: score by criterion key; None means that the response cannot be judged.
        choices: for a pair, by criterion key, `choice` (first, second, tie) and `strength`.
        places: for a list, by criterion key, the place of each response in the order shown.
        comments: comment by criterion key.
        evidence: marked spans by criterion key, each with part, start and end; errors also have a type and a
            severity.
        question_answers: answer by key of the question that the project asks beside its criteria; None from a
            screen that asked none.
        reason: why a unit is flagged; empty removes the flag.
        text: what the person asks the study team about the unit.
        last: the last message that the screen showed, of those that are now read.
        seconds: how long the unit was looked at, if the screen measured it.
    """

    uid: str
    kind: str
    item: int = 0
    form: str = ""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    places: Mapping[str, list[int | None]] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    question_answers: Mapping[str, Any] | None = None
    reason: str = ""
    text: str = ""
    last: int = 0
    seconds: float | None = None


def read_operation(data: object) -> Operation:
    """Return the operation in `data`; raises `InvalidInput` with what is wrong."""
    if not isinstance(data, Mapping):
        raise InvalidInput(sentence("an operation is an object with uid and kind."))
    uid, kind = values.uid(data.get("uid")), data.get("kind")
    if kind not in KINDS:
        raise InvalidInput(sentence("an operation is one of {known}.", known=", ".join(KINDS)))
    return Operation(
        uid=uid,
        kind=kind,
        item=0 if kind in WITHOUT_UNIT else values.row_id(data.get("item")),
        form=values.form(data.get("form", "")),
        scores=_by_criterion(data, "scores", values.score),
        choices=_by_criterion(data, "choices", values.choice),
        places=_by_criterion(data, "places", values.places),
        comments=_by_criterion(data, "comments", values.text),
        evidence=_by_criterion(data, "evidence", values.spans),
        question_answers=_by_criterion(data, "question_answers", values.answer)
        if "question_answers" in data
        else None,
        reason=values.text(data.get("reason", "")),
        text=values.message(data.get("text")) if kind == "ask" else "",
        last=values.row_id(data.get("last")) if kind == "read" else 0,
        seconds=values.seconds(data.get("seconds")),
    )


def _by_criterion(data: Mapping[Any, Any], name: str, read: Callable[[Any], T]) -> dict[str, T]:
    values_by_key = data.get(name)
    if values_by_key is None:
        return {}
    if not isinstance(values_by_key, Mapping) or len(values_by_key) > MOST_CRITERIA:
        raise InvalidInput(sentence("{name} must be an object with one entry per criterion.", name=name))
    if not all(isinstance(key, str) and len(key) <= LONGEST_KEY for key in values_by_key):
        raise InvalidInput(sentence("a criterion is named by its key."))
    return {key: read(value) for key, value in values_by_key.items()}
