"""Single values that a rating screen sends, read from untrusted input.

Every function returns the value, or raises `InvalidInput` with what is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from judgelab.errors import InvalidInput
from judgelab.store.rating import messages
from judgelab.store.rating.units import KIND_OF_FORM
from judgelab.wording import sentence

UID = re.compile(r"[0-9A-Za-z-]{8,64}")
CHOICES = ("first", "second", "tie")
STRONGEST = 2
PARTS = ("response", "context")
ERROR_NAMES = ("type", "severity")
LONGEST_NAME = 200
LONGEST_TEXT = 5_000
LONGEST_LIST = 200
MOST_SPANS = 200  # under one criterion
SECONDS_A_DAY = 86_400.0
LARGEST_WHOLE = 10**15  # neighbouring whole numbers far beyond this are the same float
ROW_ID_LIMIT = 2**31


def uid(value: Any) -> str:
    """Return the id of an operation."""
    if not isinstance(value, str) or not UID.fullmatch(value):
        raise InvalidInput(sentence("an operation needs a uid of 8 to 64 letters, digits or hyphens."))
    return value


def row_id(value: Any) -> int:
    """Return the row id of an assignment."""
    if not _whole(value) or not 0 < value < ROW_ID_LIMIT:
        raise InvalidInput(sentence("an operation names the answer it is about by a whole number."))
    return int(value)


def form(value: Any) -> str:
    """Return the name of a form, or "" for none."""
    if value != "" and (not isinstance(value, str) or value not in KIND_OF_FORM):
        raise InvalidInput(sentence("a form is one of {known}.", known=", ".join(KIND_OF_FORM)))
    return str(value)


def score(value: Any) -> float | None:
    """Return a score; None means that the response cannot be judged."""
    return None if value is None else number(value)


def number(value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(sentence("a score is a number."))
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE or not math.isfinite(value):
        raise InvalidInput(sentence("a score must be a number within the range of its scale."))
    return float(value)


def answer(value: Any) -> Any:
    """Return an answer to a question: a text, a number, a list of texts, or None."""
    if isinstance(value, list):
        if len(value) > LONGEST_LIST or not all(isinstance(one, str) for one in value):
            raise InvalidInput(sentence("an answer must be a text, a number or a list of texts."))
        return [text(one) for one in value]
    if isinstance(value, str):
        return text(value)
    return None if value is None else number(value)


def choice(value: Any) -> dict[str, Any]:
    """Return which of two responses was preferred, and how strongly; a tie has no strength."""
    if not isinstance(value, Mapping) or value.get("choice") not in CHOICES:
        raise InvalidInput(sentence("a choice is one of {known}.", known=", ".join(CHOICES)))
    strength = value.get("strength", 1)
    if not _whole(strength) or not 1 <= strength <= STRONGEST:
        raise InvalidInput(sentence("the strength of a choice is 1 to {most}.", most=STRONGEST))
    return {"choice": value["choice"], "strength": 1 if value["choice"] == "tie" else int(strength)}


def places(value: Any) -> list[int | None]:
    """Return the place of each response in the order shown; None for one without a place yet."""
    if not isinstance(value, list) or len(value) > LONGEST_LIST:
        raise InvalidInput(sentence("places are a list with one place per response."))
    if not all(place is None or (_whole(place) and 1 <= place <= LONGEST_LIST) for place in value):
        raise InvalidInput(sentence("a place is a whole number from 1."))
    return list(value)


def spans(value: Any) -> list[dict[str, Any]]:
    """Return marked spans: part, start and end, counted in characters; an error has a type and a severity."""
    if not isinstance(value, list) or len(value) > MOST_SPANS:
        raise InvalidInput(sentence("evidence is a list of at most {most} spans.", most=MOST_SPANS))
    return [_span(span) for span in value]


def text(value: Any) -> str:
    """Return a text that every database takes."""
    if not isinstance(value, str):
        raise InvalidInput(sentence("a comment is a text."))
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(sentence("a comment has at most {most} characters.", most=LONGEST_TEXT))
    # PostgreSQL refuses NUL, and no database takes half of a surrogate pair.
    return value.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def message(value: Any) -> str:
    """Return a message, which has words."""
    if isinstance(value, str) and len(value) > messages.LONGEST:
        raise InvalidInput(sentence("a message has at most {most} characters.", most=messages.LONGEST))
    said = text(value)
    if not said:
        raise InvalidInput(sentence("a message needs words."))
    return said


def seconds(value: Any) -> float | None:
    """Return a time spent, at most a day."""
    return None if value is None else min(max(number(value), 0.0), SECONDS_A_DAY)


def _span(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or value.get("part") not in PARTS:
        raise InvalidInput(sentence("evidence lies in one of {known}.", known=", ".join(PARTS)))
    start, end = value.get("start"), value.get("end")
    if not _whole(start) or not _whole(end) or not 0 <= start < end < ROW_ID_LIMIT:
        raise InvalidInput(sentence("evidence has a start and a later end, counted in characters."))
    names = {name: text(value[name]) for name in ERROR_NAMES if name in value}
    if any(len(said) > LONGEST_NAME for said in names.values()):
        raise InvalidInput(sentence("a type or severity has at most {most} characters.", most=LONGEST_NAME))
    return {"part": value["part"], "start": start, "end": end, **names}


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
