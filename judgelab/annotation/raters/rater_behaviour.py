"""Each rater's behaviour: how much, how fast, how high, and how often the same score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from judgelab.wording import joined, sentence

REVERSED = -0.3  # agreement below this is more than carelessness
SAME_SCORE = 0.5  # share of one score that is worth mentioning
HASTE = 0.5  # share of the others' median seconds
FEWEST = 10  # ratings below which shares and paces are not worth mentioning


@dataclass(frozen=True)
class RaterBehaviour:
    """One rater's behaviour under one criterion.

    Args:
        rater: the name.
        ratings: how many scores they gave.
        offset: mean of their score minus the others' mean on the same responses; None if there is none.
        modal_score: the score they gave most often; the lower one of a tie.
        modal_share: its share of their scores, 0 to 1.
        seconds: median seconds per response, if the browser measured it.
    """

    rater: str
    ratings: int
    offset: float | None
    modal_score: float
    modal_share: float
    seconds: float | None = None


def rater_behaviours(
    ratings: pd.DataFrame, *, seconds: Mapping[str, float] | None = None, ordered: bool = True
) -> dict[str, RaterBehaviour]:
    """Return every rater's behaviour by name, from ratings under one criterion.

    Where scores are not `ordered`, there are no offsets.

    Example: Ada gave 3, 3, 1 where the only other rater gave 2, 3, 2. Her offset is 0 (+1, 0, -1), her
    modal score 3 with a share of 2/3.
    """
    if ratings.empty:
        return {}
    offsets = _offsets(ratings) if ordered else {}
    behaviours = {}
    for rater, scores in ratings.groupby("rater")["score"]:
        modal = float(scores.mode().min())
        behaviours[str(rater)] = RaterBehaviour(
            rater=str(rater),
            ratings=len(scores),
            offset=offsets.get(str(rater)),
            modal_score=modal,
            modal_share=float((scores == modal).mean()),
            seconds=(seconds or {}).get(str(rater)),
        )
    return behaviours


def behaviour_hint(
    behaviour: RaterBehaviour, agreement: float | None, others: Mapping[str, RaterBehaviour]
) -> str:
    """Return a possible reason for a low agreement, in a few words: a hint where to look, not a verdict."""
    hints = []
    if agreement is not None and agreement < REVERSED:
        hints.append(sentence("perhaps reversed"))
    if behaviour.ratings >= FEWEST:
        if behaviour.seconds is not None and _hasty(behaviour, others):
            hints.append(sentence("{seconds} s per response", seconds=f"{behaviour.seconds:z.0f}"))
        if behaviour.modal_share >= SAME_SCORE:
            hints.append(
                sentence("same score in {share} % of ratings", share=f"{100 * behaviour.modal_share:z.0f}")
            )
    return joined(hints, "; ")


def _offsets(ratings: pd.DataFrame) -> dict[str, float]:
    by_response = ratings.groupby("response")["score"]
    total, count = by_response.transform("sum"), by_response.transform("count")
    has_others = count > 1
    others = (total[has_others] - ratings.loc[has_others, "score"]) / (count[has_others] - 1)
    distances = ratings.loc[has_others, "score"] - others
    return {
        str(rater): float(mean)
        for rater, mean in distances.groupby(ratings.loc[has_others, "rater"]).mean().items()
    }


def _hasty(behaviour: RaterBehaviour, others: Mapping[str, RaterBehaviour]) -> bool:
    others_seconds = sorted(
        other.seconds
        for other in others.values()
        if other.seconds is not None and other.rater != behaviour.rater
    )
    return (
        bool(others_seconds)
        and behaviour.seconds is not None
        and behaviour.seconds < HASTE * others_seconds[len(others_seconds) // 2]
    )
