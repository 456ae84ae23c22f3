"""What a rating screen sends: read from untrusted input, checked for form.

Whether the answer was given to this person and whether a score fits its scale is checked where the
answer and the scales are known (`service`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgelab.errors import InvalidInput

KINDS = ("rate", "skip", "flag", "undo", "draft", "renew")
LASTING = ("rate", "skip", "flag", "undo")  # kept in the history, and done once only
UID = re.compile(r"[0-9A-Za-z-]{8,64}")
LONGEST_TEXT = 5_000
LONGEST_KEY = 200
MOST_CRITERIA = 100
A_DAY = 86_400.0
LARGEST = 10**15  # whole numbers beyond cannot be told apart as floats


@dataclass(frozen=True)
class Operation:
    """One thing a rater did.

    Attributes:
        uid: name of this operation, chosen by the screen; a second arrival changes nothing.
        kind: one of `KINDS`.
        item: the assignment it is about; 0 for `renew`.
        scores: score by criterion key.
        comments: comment by criterion key.
        reason: why an answer is flagged; empty takes the flag away.
        seconds: how long the answer was looked at, if the screen measured it.
    """

    uid: str
    kind: str
    item: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    seconds: float | None = None


def read_operation(data: object) -> Operation:
    """Return the operation that `data` states; raises `InvalidInput` with what is wrong."""
    if not isinstance(data, Mapping):
        raise InvalidInput("an operation is an object with uid and kind.")
    uid, kind = data.get("uid"), data.get("kind")
    if not isinstance(uid, str) or not UID.fullmatch(uid):
        raise InvalidInput("an operation needs a uid of 8 to 64 letters, digits or hyphens.")
    if kind not in KINDS:
        raise InvalidInput(f"an operation is one of {', '.join(KINDS)}.")
    return Operation(
        uid=uid,
        kind=kind,
        item=0 if kind == "renew" else _row_id(data.get("item")),
        scores={key: _number(value) for key, value in _object(data.get("scores")).items()},
        comments={key: _text(value) for key, value in _object(data.get("comments")).items()},
        reason=_text(data.get("reason", "")),
        seconds=_seconds(data.get("seconds")),
    )


def _row_id(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
        raise InvalidInput("an operation names the answer it is about by a whole number.")
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MOST_CRITERIA:
        raise InvalidInput("scores and comments are objects with one entry per criterion.")
    if not all(isinstance(key, str) and len(key) <= LONGEST_KEY for key in value):
        raise InvalidInput("a criterion is named by its key.")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput("a score is a number.")
    if isinstance(value, int) and abs(value) > LARGEST or not math.isfinite(value):
        raise InvalidInput("a score is a number within reach of its scale.")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("a comment is a text.")
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(f"a comment has at most {LONGEST_TEXT:,} characters.")
    # PostgreSQL refuses NUL, and no database takes half of a surrogate pair.
    return value.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    seconds = _number(value)
    return min(max(seconds, 0.0), A_DAY)
