"""Degraded copies of responses, which show who reads: a phrase of each comes from another response.

After Graham and others 2017: a copy keeps its length and most of its words, so that it does not look degraded
at a glance; a rater who reads it scores it lower.
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

# (words of the text, words replaced), for texts of up to that length; a quarter of longer ones.
REPLACED_WORDS = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
FEWEST_WORDS = 3  # a copy of a shorter text would be a different response


def words_replaced(words: int) -> int:
    """Return how many words a copy of a text of this length replaces. Example: 4 of 12, 10 of 40."""
    return next((count for longest, count in REPLACED_WORDS if words <= longest), words // 4)


def degraded_text(text: str, other: str, rng: np.random.Generator) -> str:
    """Return the text with a phrase in its middle replaced by one of the same length from `other`.

    The first and the last word stay, if the text is long enough.
    """
    words, other_words = list(re.finditer(r"\S+", text)), other.split()
    count = min(words_replaced(len(words)), len(other_words))
    edge = 1 if len(words) >= count + 2 else 0
    position = int(rng.integers(edge, len(words) - count - edge + 1))
    start = int(rng.integers(0, len(other_words) - count + 1))
    phrase = " ".join(other_words[start : start + count])
    return text[: words[position].start()] + phrase + text[words[position + count - 1].end() :]


def add_degraded_copies(store: Store, slug: str, *, copies: int, seed: int = 0) -> int:
    """Store degraded copies of randomly chosen responses as attention checks; return how many were added.

    A copy is an item of its own with the original's question and context, and does not count as data. Like
    attention checks, copies come between other units, for people who rated the original. Responses that
    already have a copy are not chosen.

    Raises:
        InvalidInput: fewer than two responses are long enough.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        candidates = [
            response
            for response in degradable(session, project_id)
            if len(response.text.split()) >= FEWEST_WORDS
        ]
        if len(candidates) < 2:
            raise InvalidInput(
                sentence(
                    "degraded copies mix two responses of at least {words} words, and '{project}' has "
                    "{found} without a copy.",
                    words=FEWEST_WORDS,
                    project=slug,
                    found=len(candidates),
                )
            )
        rng = np.random.default_rng(seed)
        chosen = [candidates[int(position)] for position in rng.permutation(len(candidates))[:copies]]
        texts = [
            degraded_text(response.text, _another_text(candidates, response.response, rng), rng)
            for response in chosen
        ]
        add_copies(
            session, project_id, list(zip([response.response for response in chosen], texts, strict=True))
        )
    return len(chosen)


def _another_text(candidates: Sequence[Degradable], response_id: int, rng: np.random.Generator) -> str:
    others = [candidate for candidate in candidates if candidate.response != response_id]
    return others[int(rng.integers(0, len(others)))].text
