"""The words by which files say which of two responses is better, and which was shown first."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, name_of
from judgelab.wording import sentence

_WORDS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("a", "1", "left", "first", "a>b"), ("a", 1)),
    **dict.fromkeys(("b", "2", "right", "second", "b>a"), ("b", 1)),
    **dict.fromkeys(("a>>b",), ("a", 2)),
    **dict.fromkeys(("b>>a",), ("b", 2)),
    **dict.fromkeys(("tie", "draw", "equal", "same", "both", "neither", "a=b", "[[c]]"), ("tie", 1)),
    **dict.fromkeys(("tie (bothbad)", "tie (both bad)", "both_bad", "no preference"), ("tie", 1)),
    **dict.fromkeys(("tie (inconsistent)", "inconsistent tie", "a tie"), ("tie", 1)),
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
SHOWN_NUMBERS = 7  # numbers of a file whose meaning a message asks for


class ChoiceNumbers(NamedTuple):
    """The numbers among a file's choices, and what they can mean.

    Attributes:
        found: the numbers.
        usual: whether 1 and 2 are the first and the second response, and numbers between them expected
            preferences; otherwise each number has the meaning that a person gives it.
        middle: the number that favours neither response, if others only say how much, such as 0.27.
    """

    found: tuple[float, ...] = ()
    usual: bool = True
    middle: float | None = None


USUAL_NUMBERS = ChoiceNumbers()


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


def asked(value: Any, numbers: ChoiceNumbers = USUAL_NUMBERS) -> str:
    """Return the cell whose meaning a person can give: the cell itself, or all numbers on its side.

    >>> asked("A!"), asked(0.27, ChoiceNumbers((0.27, 1.0), usual=False, middle=0.5))
    ('A!', '<0.5')
    """
    name = name_of(value)
    if numbers.middle is None or not _NUMBER.fullmatch(name) or float(name) == numbers.middle:
        return name
    return f"{'<' if float(name) < numbers.middle else '>'}{numbers.middle:g}"


def refusal(value: Any, numbers: ChoiceNumbers = USUAL_NUMBERS) -> str:
    """Return the problem with a cell that is no choice, and the remedy."""
    name = name_of(value)
    shown = name if len(name) <= SHOWN else name[:SHOWN] + "..."
    if not _NUMBER.fullmatch(shown):
        return sentence(
            "'{choice}' is not a valid choice; write a, b or tie, or one of the two names, or give its "
            "meaning with --value choice:'{choice}'=a",
            choice=shown,
        )
    if numbers.middle is not None:
        return sentence(
            "'{choice}' is not a valid choice; say which response the numbers above and below {middle} "
            'mean, for example --value "choice:>{middle}=a" --value "choice:<{middle}=b" --value '
            "choice:{middle}=tie",
            choice=shown,
            middle=f"{numbers.middle:g}",
        )
    if not numbers.usual:
        return sentence(
            "'{choice}' is not a valid choice; give the meaning of each number (a, b, tie or none), for "
            "example {values}",
            choice=shown,
            values=_example(numbers.found),
        )
    return sentence(
        "'{choice}' is not a valid choice; give the meaning of each number, for example --value "
        "choice:{choice}=tie (a, b, tie or none)",
        choice=shown,
    )


def _example(numbers: tuple[float, ...]) -> str:
    """Return `--value` for each of the first few numbers.

    >>> _example((-1.0, 0.0, 1.0)), _example((0.0, 1.0))
    ('--value choice:-1=a --value choice:0=tie --value choice:1=b', '--value choice:0=a --value choice:1=b')
    """
    low = numbers[0] < 0
    words = (
        "tie" if low and number == 0 else "a" if number < 0 or (number == 0 and not low) else "b"
        for number in numbers[:SHOWN_NUMBERS]
    )
    return " ".join(
        f"--value choice:{number:g}={word}"
        for number, word in zip(numbers[:SHOWN_NUMBERS], words, strict=True)
    )


def _plain(value: Any) -> str:
    word = "" if is_missing(value) else name_of(value).casefold()
    bracketed = re.fullmatch(r"\[\[([ab])\]\]", word)
    return bracketed[1] if bracketed else word
