"""What each rater does when rating: how much, how fast, how high, and how often the same score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from judgelab.wording import joined, sentence

REVERSED = -0.3  # agreement below this is more than carelessness
SAME_SCORE = 0.5  # share of one score that is worth a word
HASTE = 0.5  # of the others' median seconds
FEWEST = 10  # ratings, below which shares and paces are not worth a word


@dataclass(frozen=True)
class RaterBehaviour:
    """One rater's habits under one criterion.

    Args:
        rater: the name.
        ratings: how many scores they gave.
        offset: mean of own score minus the others' mean on the same responses; None without company.
        modal_score: the score they gave most often; the lower one of a tie.
        modal_share: its share of their scores, 0 to 1.
        seconds: median seconds a response, where the browser measured it.
    """

    rater: str
    ratings: int
    offset: float | None
    modal_score: float
    modal_share: float
    seconds: float | None = None


def rater_behaviours(
    ratings: pd.DataFrame, *, seconds: Mapping[str, float] | None = None
) -> dict[str, RaterBehaviour]:
    """Return every rater's habits by name, from ratings under one criterion.

    Example: Ada gave 3, 3, 1 where the only other rater gave 2, 3, 2. Her offset is 0 (+1, 0, -1), her
    modal score 3 with a share of 2/3.
    """
    if ratings.empty:
        return {}
    offsets = _offsets(ratings)
    found = {}
    for rater, scores in ratings.groupby("rater")["score"]:
        modal = float(scores.mode().min())
        found[str(rater)] = RaterBehaviour(
            rater=str(rater),
            ratings=len(scores),
            offset=offsets.get(str(rater)),
            modal_score=modal,
            modal_share=float((scores == modal).mean()),
            seconds=(seconds or {}).get(str(rater)),
        )
    return found


def behaviour_hint(
    habit: RaterBehaviour, agreement: float | None, others: Mapping[str, RaterBehaviour]
) -> str:
    """Return what may lie behind a low agreement, in a few words: a hint to look, never a verdict."""
    said = []
    if agreement is not None and agreement < REVERSED:
        said.append(sentence("perhaps a reversed scale"))
    if habit.ratings >= FEWEST:
        if habit.seconds is not None and _hasty(habit, others):
            said.append(sentence("{seconds} s per response", seconds=f"{habit.seconds:z.0f}"))
        if habit.modal_share >= SAME_SCORE:
            said.append(sentence("{share} % one score", share=f"{100 * habit.modal_share:z.0f}"))
    return joined(said)


def _offsets(ratings: pd.DataFrame) -> dict[str, float]:
    by_response = ratings.groupby("response")["score"]
    total, count = by_response.transform("sum"), by_response.transform("count")
    company = count > 1
    others = (total[company] - ratings.loc[company, "score"]) / (count[company] - 1)
    apart = ratings.loc[company, "score"] - others
    return {
        str(rater): float(mean) for rater, mean in apart.groupby(ratings.loc[company, "rater"]).mean().items()
    }


def _hasty(habit: RaterBehaviour, others: Mapping[str, RaterBehaviour]) -> bool:
    paces = sorted(h.seconds for h in others.values() if h.seconds is not None and h.rater != habit.rater)
    return bool(paces) and habit.seconds is not None and habit.seconds < HASTE * paces[len(paces) // 2]
