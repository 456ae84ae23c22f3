"""Spoilt copies of responses, to see who reads: a phrase of each is replaced by one from another response.

After Graham and others 2017: the copy keeps its length and most of its words, so that it does not look spoilt
at a glance; who reads it scores it lower.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.controls import Degradable, add_copies, degradable
from judgelab.wording import sentence

# Words replaced in a text of up to so many words; a quarter of longer ones.
REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
FEWEST_WORDS = 3  # a copy of fewer would be another response


def words_replaced(length: int) -> int:
    """Return how many words of a text of this length a copy has replaced. Example: 4 of 12, 10 of 40."""
    return next((count for most, count in REPLACED if length <= most), length // 4)


def degraded_text(text: str, other: str, rng: np.random.Generator) -> str:
    """Return the text with a phrase in its middle replaced by one of as many words from `other`.

    The first and the last word stay where the text has more than a phrase between them.
    """
    own, theirs = list(re.finditer(r"\S+", text)), other.split()
    count = min(words_replaced(len(own)), len(theirs))
    edge = 1 if len(own) >= count + 2 else 0
    at = int(rng.integers(edge, len(own) - count - edge + 1))
    start = int(rng.integers(0, len(theirs) - count + 1))
    phrase = " ".join(theirs[start : start + count])
    return text[: own[at].start()] + phrase + text[own[at + count - 1].end() :]


def add_degraded_copies(store: Store, slug: str, *, copies: int, seed: int = 0) -> int:
    """Store spoilt copies of randomly chosen responses as attention checks; return how many were added.

    A copy is an item of its own with the original's question and context; it is no data. It goes, in the
    rhythm of attention checks, to people who rated its original. Originals that have a copy are left out.

    Raises:
        InvalidInput: fewer than two responses have words enough.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        found = [one for one in degradable(session, project_id) if len(one.text.split()) >= FEWEST_WORDS]
        if len(found) < 2:
            raise InvalidInput(
                sentence(
                    "degraded copies mix two responses of {words} words or more, and '{project}' has {found} "
                    "that have no copy yet.",
                    words=FEWEST_WORDS,
                    project=slug,
                    found=len(found),
                )
            )
        rng = np.random.default_rng(seed)
        chosen = [found[int(place)] for place in rng.permutation(len(found))[:copies]]
        texts = [degraded_text(one.text, _another_text(found, one.response, rng), rng) for one in chosen]
        add_copies(session, project_id, list(zip([one.response for one in chosen], texts, strict=True)))
    return len(chosen)


def _another_text(found: Sequence[Degradable], response: int, rng: np.random.Generator) -> str:
    others = [one for one in found if one.response != response]
    return others[int(rng.integers(0, len(others)))].text
