"""Cells that mean "no score": the usual words, codes given by a person, and likely codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.scales import Scale

NEGATIVE = frozenset({-1, -7, -8, -9, -66, -77, -88, -97, -98, -99, -777, -888, -999, -7777, -8888, -9999})
TWO_DIGITS = frozenset({66, 77, 88, 97, 98, 99})
MORE_DIGITS = frozenset({777, 888, 999, 7777, 8888, 9999})
USUAL_CODES = NEGATIVE | TWO_DIGITS | MORE_DIGITS | {9}


class MissingCode(NamedTuple):
    """A number that looks like a code for a missing score, with its frequency and the range of the scores."""

    value: float
    times: int
    low: float
    high: float


def likely_codes(counts: Mapping[float, int]) -> tuple[MissingCode, ...]:
    """Return the numbers that look like codes for missing scores.

    A code is far from all other scores: below a scale that begins at 0 or higher, or far above the highest
    score, for which at least two other scores are needed.

    >>> [code.value for code in likely_codes({1: 4, 3: 2, 5: 9, 9: 1, -99: 2})]
    [-99, 9]
    >>> likely_codes({-1: 3, 0: 4, 1: 2}), likely_codes({7: 1, 8: 2, 9: 3}), likely_codes({20: 1, 99: 1})
    ((), (), ())
    """
    rest = [value for value in counts if value not in USUAL_CODES]
    if not rest:
        return ()
    low, high = min(rest), max(rest)
    return tuple(
        MissingCode(value, counts[value], low, high)
        for value in sorted(counts)
        if value in USUAL_CODES and _is_apart(value, low, high) and (value < 0 or len(rest) > 1)
    )


def is_code(value: float, scale: Scale | None) -> bool:
    """Return whether a number that is not on the scale looks like a code for a missing score."""
    if scale is None or value not in USUAL_CODES:
        return False
    return _is_apart(value, scale.low, scale.high)


def _is_apart(value: float, low: float, high: float) -> bool:
    if value in NEGATIVE:
        return low >= 0 and (value < -1 or high > 1)  # -1 beside 0 and 1 is a scale of three points
    if value == 9:
        return low >= 0 and 1 < high <= 5
    return low >= 0 and high <= (10 if value in TWO_DIGITS else 100)


class MissingScoreCodes:
    """Recognises cells without a score: empty, one of the usual words, or a code given by a person.

    Args:
        codes: the codes as written by a person: `-99`, `n/a: resolved`; numbers are compared as numbers.
    """

    def __init__(self, codes: Iterable[str] = ()) -> None:
        words = [code.strip().casefold() for code in codes]
        self._words = frozenset(words)
        self._numbers = frozenset(number for word in words if (number := _number(word)) is not None)

    def __call__(self, value: Any) -> bool:
        """Return whether this cell has no score."""
        return is_missing(value) or self.given(value)

    def given(self, value: Any) -> bool:
        """Return whether a person said that this cell has no score."""
        if not self._words or isinstance(value, bool):
            return False
        word = text_of(value).strip().casefold()
        return word in self._words or (bool(self._numbers) and _number(word) in self._numbers)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
