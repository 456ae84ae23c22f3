"""Read the content of double square brackets in a reply: a number, a rank, a letter."""

from __future__ import annotations

import re
from typing import NamedTuple

from judgelab.protocols.reading.doubts import only_mentioned
from judgelab.protocols.reading.fences import empty_reason, unfenced
from judgelab.protocols.reading.numbers import number
from judgelab.wording import sentence

BRACKETED = re.compile(r"\[\[([^\[\]]*)\]\]")
LETTERS = ("A", "B", "C")


class BracketedAnswer(NamedTuple):
    """What was read and the text around it, or the reason why nothing was read."""

    value: float | None = None
    letter: str = ""
    reason: str | None = None
    around: str = ""


def bracketed_number(text: str, low: float, high: float, *, whole: bool = False) -> BracketedAnswer:
    """Return the only number in double brackets, if it is between `low` and `high`; never raises.

    >>> bracketed_number("It would be second. [[2]]", 1, 5, whole=True).value
    2.0
    >>> bracketed_number("[[7]]", 1, 5, whole=True).value is None
    True
    """
    content = _only_content(text)
    if content.reason is not None:
        return content
    value = number(content.letter)
    if value is None:
        reason = sentence("'{text}' is not a number", text=content.letter[:24])
        return BracketedAnswer(reason=reason, around=content.around)
    if not low <= value <= high or (whole and value != int(value)):
        span = {"low": f"{low:g}", "high": f"{high:g}", "value": f"{value:g}"}
        reason = (
            sentence("{value} is not a rank from {low} to {high}", **span)
            if whole
            else sentence("{value} is not between {low} and {high}", **span)
        )
        return BracketedAnswer(reason=reason, around=content.around)
    return BracketedAnswer(value, around=content.around)


def bracketed_letter(text: str) -> BracketedAnswer:
    """Return the only letter in double brackets: A, B or C (a tie); never raises.

    >>> bracketed_letter("The first says more. [[A]]").letter
    'A'
    """
    content = _only_content(text)
    if content.reason is not None:
        return content
    letter = content.letter.upper()
    if letter not in LETTERS:
        reason = sentence("'{text}' is not A, B or C", text=content.letter[:24])
        return BracketedAnswer(reason=reason, around=content.around)
    return BracketedAnswer(letter=letter, around=content.around)


def bracket_contents(text: str) -> set[str]:
    """Return the different contents of double square brackets, without marks such as ** and quotation marks.

    Brackets that are only mentioned ("a perfect answer gets [[10]]") are left out.
    """
    return {
        match[1].strip(" *_`\"'")
        for match in BRACKETED.finditer(text)
        if not only_mentioned(text, *match.span())
    }


def without_brackets(text: str) -> str:
    """Return the text around double square brackets."""
    return BRACKETED.sub("", text).strip()


def _only_content(text: str) -> BracketedAnswer:
    """Return the content of the brackets as `letter`, if all brackets have the same content."""
    bare = unfenced(text)
    if not bare:
        return BracketedAnswer(reason=empty_reason(text))
    inner = {content.casefold() for content in bracket_contents(bare)}
    around = without_brackets(bare)
    if len(inner) != 1:
        several = sentence(
            "{count} different texts in double square brackets in the reply instead of one", count=len(inner)
        )
        none = sentence("nothing in double square brackets in the reply")
        return BracketedAnswer(reason=several if inner else none, around=around)
    return BracketedAnswer(letter=inner.pop(), around=around)
