"""Patterns of grades, and the draw of a list of references by one. Pure.

"33221100" wants two texts of each of four grades; grades count from the lowest, which is 0.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.errors import InvalidInput
from judgelab.scales import Scale
from judgelab.store.prepared.reference_lists import ListEntry
from judgelab.wording import sentence

PATTERNS = ("3210", "33221100", "33321000", "32221110")  # those of the paper (table 6)
MOST = 20


@dataclass(frozen=True)
class GradedText:
    """A text of known quality: its grade from 0 for the lowest, and the human score behind it.

    `response_id` is the response that it is or was written from, `reply_id` the reply that it stands in.
    """

    text: str
    grade: int
    rating: float | None = None
    response_id: int | None = None
    origin: str = "human"
    reply_id: int | None = None


def read_pattern(text: str) -> tuple[int, ...]:
    """Return the grades that a pattern wants, the best first.

    Raises:
        InvalidInput: it is no run of digits, each no greater than the one before.
    """
    digits = text.strip()
    falls = all(first >= second for first, second in zip(digits, digits[1:], strict=False))
    if not (digits.isascii() and digits.isdigit() and falls and len(digits) <= MOST):
        raise InvalidInput(
            sentence(
                "'{pattern}' is not a valid grade pattern; write one digit per reference, best first, "
                "such as {examples}.",
                pattern=text[:40],
                examples=", ".join(PATTERNS),
            )
        )
    return tuple(int(digit) for digit in digits)


def grade_of(rating: float, scale: Scale) -> int:
    """Return the grade of a mean of ratings: the nearest point counted from the lowest, of two the upper.

    Raises:
        InvalidInput: the scale has no points, or their labels have no order.
    """
    values = [point.value for point in scale.points()]
    if not scale.ordered:
        raise InvalidInput(sentence("the labels of this criterion have no order"))
    if not values:
        raise InvalidInput(
            sentence(
                "the criterion's scale has no points, so its scores can't be used as grades; choose "
                "another criterion with --option criterion=NAME."
            )
        )
    return min(range(len(values)), key=lambda place: (abs(values[place] - rating), -place))


def draw_list(
    texts: Sequence[GradedText], pattern: Sequence[int], rng: random.Random
) -> tuple[list[ListEntry], list[int]]:
    """Return a list of references best first, and the wanted grades that were not to be had.

    Of the texts of a grade as many as the pattern wants are drawn, no text twice. The order of `texts` does
    not matter.

    Args:
        texts: the graded texts of one item.
        pattern: the grades wanted, best first.
        rng: decides.
    """
    by_grade: defaultdict[int, dict[str, GradedText]] = defaultdict(dict)
    for graded in sorted(texts, key=lambda graded: (graded.text, graded.response_id or 0)):
        by_grade[graded.grade].setdefault(graded.text.strip(), graded)
    taken: set[str] = set()
    drawn: list[ListEntry] = []
    missing: list[int] = []
    for grade, number in sorted(Counter(pattern).items(), reverse=True):
        free = [graded for text, graded in by_grade[grade].items() if text and text not in taken]
        chosen = rng.sample(free, min(number, len(free)))
        taken.update(graded.text.strip() for graded in chosen)
        drawn += [
            ListEntry(
                graded.text, graded.grade, graded.origin, graded.response_id, graded.rating, graded.reply_id
            )
            for graded in chosen
        ]
        missing += [grade] * (number - len(chosen))
    return drawn, missing


def chance(seed: int, draw: int, item: str) -> random.Random:
    """Return what decides for an item: the same for the same seed, draw and item on every machine."""
    return random.Random(f"{seed}:{draw}:{item}")
