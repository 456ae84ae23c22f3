"""What stands in double square brackets in a reply: a number, a place in a list, a letter."""

from __future__ import annotations

import re
from typing import NamedTuple

from judgelab.protocols.reading.doubts import unmeant
from judgelab.protocols.reading.fences import nothing_in, unfenced
from judgelab.protocols.reading.numbers import number
from judgelab.wording import sentence

BRACKETED = re.compile(r"\[\[([^\[\]]*)\]\]")
LETTERS = ("A", "B", "C")


class Found(NamedTuple):
    """What was read, with what was written around it; or why nothing can be."""

    value: float | None = None
    letter: str = ""
    reason: str | None = None
    around: str = ""


def bracketed_number(text: str, low: float, high: float, *, whole: bool = False) -> Found:
    """Return the one number in double brackets, if it lies between `low` and `high`; never raises.

    >>> bracketed_number("It would be second. [[2]]", 1, 5, whole=True).value
    2.0
    >>> bracketed_number("[[7]]", 1, 5, whole=True).value is None
    True
    """
    found = _only(text)
    if found.reason is not None:
        return found
    value = number(found.letter)
    if value is None:
        said = sentence("'{text}' is not a number", text=found.letter[:24])
        return Found(reason=said, around=found.around)
    if not low <= value <= high or (whole and value != int(value)):
        span = {"low": f"{low:g}", "high": f"{high:g}", "value": f"{value:g}"}
        said = (
            sentence("{value} is no place from {low} to {high}", **span)
            if whole
            else sentence("{value} does not lie between {low} and {high}", **span)
        )
        return Found(reason=said, around=found.around)
    return Found(value, around=found.around)


def bracketed_letter(text: str) -> Found:
    """Return the one of A, B and C (a tie) in double brackets; never raises.

    >>> bracketed_letter("The first says more. [[A]]").letter
    'A'
    """
    found = _only(text)
    if found.reason is not None:
        return found
    letter = found.letter.upper()
    if letter not in LETTERS:
        said = sentence("'{text}' is none of A, B and C", text=found.letter[:24])
        return Found(reason=said, around=found.around)
    return Found(letter=letter, around=found.around)


def _only(text: str) -> Found:
    """Return what stands in the brackets as `letter`, if one thing does."""
    bare = unfenced(text)
    if not bare:
        return Found(reason=nothing_in(text))
    meant = [one for one in BRACKETED.finditer(bare) if not unmeant(bare, *one.span())]
    inner = {one[1].strip(" *_`\"'").casefold() for one in meant}
    around = BRACKETED.sub("", bare).strip()
    if len(inner) != 1:
        several = sentence(
            "{count} different things in double square brackets in the reply, not one", count=len(inner)
        )
        none = sentence("nothing in double square brackets in the reply")
        return Found(reason=several if inner else none, around=around)
    return Found(letter=inner.pop(), around=around)
