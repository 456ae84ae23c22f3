"""The words by which files say which of two responses is better, and which was shown first."""

from __future__ import annotations

import re
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import is_missing, name_of
from judgelab.wording import sentence

_WORDS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("a", "1", "left", "first", "a>b"), ("a", 1)),
    **dict.fromkeys(("b", "2", "right", "second", "b>a"), ("b", 1)),
    **dict.fromkeys(("a>>b",), ("a", 2)),
    **dict.fromkeys(("b>>a",), ("b", 2)),
    **dict.fromkeys(("tie", "draw", "equal", "same", "both", "neither", "a=b", "[[c]]"), ("tie", 1)),
    **dict.fromkeys(("tie (bothbad)", "tie (both bad)", "both_bad", "no preference"), ("tie", 1)),
}
_ORDERS = {
    **dict.fromkeys(("ab", "a_first", "original", "normal", "forward", "false"), "a"),
    **dict.fromkeys(("ba", "b_first", "swapped", "swap", "reversed", "reverse", "true"), "b"),
}
_NAMED = re.compile(
    r"(?:the )?(?:response|model|answer|output|summary|assistant|completion|system|candidate|option|text)"
    r"[ _-]*\(?([ab12])\)?(?: (?:wins|is better))?"
)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
SHOWN = 40  # characters of a cell in a message


def choice_of(value: Any, *, numbers: bool = True) -> tuple[str, int] | None:
    """Return `a`, `b` or `tie` with the strength of the preference, or None for other cells.

    A number from 1 to 2 is an expected preference: the nearer response is chosen, and 1.5 is a tie. Without
    `numbers`, a number alone is no choice.

    >>> choice_of("[[A]]"), choice_of("Answer B"), choice_of("a >> b"), choice_of(2.0), choice_of("[[C]]")
    (('a', 1), ('b', 1), ('a', 2), ('b', 1), ('tie', 1))
    >>> choice_of("1.27"), choice_of(1.5), choice_of("0"), choice_of("alpha")
    (('a', 1), ('tie', 1), None, None)
    """
    word = _plain(value)
    if ">" in word or "=" in word:
        word = word.replace(" ", "")
    if _NUMBER.fullmatch(word):
        number = float(word)
        if not numbers or not 1 <= number <= 2:
            return None
        return ("tie" if number == 1.5 else "a" if number < 1.5 else "b"), 1
    named = _NAMED.fullmatch(word)
    return _WORDS.get(named[1] if named else word)


def order_of(value: Any) -> str | None:
    """Return `a` or `b`, the response shown first, or None for other cells."""
    choice = choice_of(value)
    if choice is not None and choice[0] != "tie":
        return choice[0]
    return _ORDERS.get(_plain(value).replace(" ", "_"))


def refusal(value: Any) -> InvalidInput:
    """Return the error for a cell that is no choice, with the remedy."""
    name = name_of(value)
    shown = name if len(name) <= SHOWN else name[:SHOWN] + "..."
    if _NUMBER.fullmatch(shown):
        return InvalidInput(
            sentence(
                "'{choice}' is not a valid choice; give the meaning of each number, for example --value "
                "choice:{choice}=tie (a, b, tie or none)",
                choice=shown,
            )
        )
    return InvalidInput(
        sentence(
            "'{choice}' is not a valid choice; write a, b or tie, or one of the two names, or give its "
            "meaning with --value choice:'{choice}'=a",
            choice=shown,
        )
    )


def _plain(value: Any) -> str:
    word = "" if is_missing(value) else name_of(value).casefold()
    bracketed = re.fullmatch(r"\[\[([ab])\]\]", word)
    return bracketed[1] if bracketed else word
