"""Raters whose names are numbers: each may stand for several people."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Names by which tools and spreadsheets number the ratings of a response, not the people who gave them.
NUMBERED_RATER = re.compile(
    r"(?:(?:rater|annotator|worker|turker|expert|coder|evaluator|assessor|human|slot|user|score|rating|[arh])"
    r"[\W_]*)?#?\d{1,3}(?:\.0)?",
    re.IGNORECASE,
)


def numbered_raters(names: Iterable[str]) -> set[str]:
    """Return the names that number raters ("rater_2", "r1"): each may stand for several people.

    A file with one column for the first rating of each response, one for the second and so on has such names.
    It can't say whether one person is behind a number, so all numbered names count.
    """
    return {name for name in names if NUMBERED_RATER.fullmatch(name)}
