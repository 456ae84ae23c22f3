"""Agreement by number of replies: how a judge would agree if it had been asked fewer times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.core.result import Estimate

SIZES = (1, 2, 3, 5, 10, 20)
ENOUGH = 0.8  # share of the units asked again that must have so many replies
SPLIT = "\x00"


class AgreementAtSize(NamedTuple):
    """Agreement at one size, such as a number of replies per unit or of examples in a prompt."""

    size: int
    estimate: Estimate


def agreement_by_replies(
    people: pd.DataFrame, replies: pd.DataFrame, *, sizes: Sequence[int] = SIZES, **options: Any
) -> dict[str, tuple[AgreementAtSize, ...]]:
    """Return each judge's agreement when its score is the mean of the first k replies to a unit.

    Replies to a unit are independent draws, so the first k are what asking k times gives. All points of a
    judge use the same units: those with at least as many scored replies as the largest size, which four in
    five of the units asked more than once reach. Judges with one reply per unit are left out.

    Args:
        people: the rows of humans (`SCORE_COLUMNS`).
        replies: the rows of single replies of judges, in order within `run` and `sample`.
        sizes: numbers of replies to look at; the largest number that is common is added.
        options: of `agreement`: scales, levels and coefficients (one of each), resamples, seed, aggregation.
            The names in `own_scale` are those of the judges.
    """
    scored = replies[replies["score"].notna()]
    scored = scored.sort_values(["run", "sample"], kind="stable", ignore_index=True)
    units = ["rater", "criterion", "response"]
    occasion = scored.groupby(units, observed=True, sort=False).cumcount()
    number = scored.groupby(units, observed=True, sort=False)["score"].transform("size")
    parts, judge_and_size = [], {}
    for judge, of_judge in scored.groupby("rater", observed=True):
        size, reply_number = number[of_judge.index], occasion[of_judge.index]
        per_unit = size[reply_number == 0].to_numpy()
        asked_again = per_unit[per_unit >= 2]
        if not len(asked_again):
            continue
        largest = int(np.quantile(asked_again, 1 - ENOUGH, method="lower"))
        for k in sorted({*(candidate for candidate in sizes if candidate < largest), largest}):
            name = f"{judge}{SPLIT}{k}"
            judge_and_size[name] = (str(judge), k)
            parts.append(of_judge[(size >= largest) & (reply_number < k)].assign(rater=name))
    if not parts:
        return {}
    of_judge = options.pop("own_scale", ())
    own_scale = {name for name, (judge, _) in judge_and_size.items() if judge in of_judge}
    rows = agreement(pd.concat([people, *parts], ignore_index=True), own_scale=own_scale, **options)
    curves: dict[str, list[AgreementAtSize]] = {}
    for row in rows:
        judge, k = judge_and_size[row.rater]
        curves.setdefault(judge, []).append(AgreementAtSize(k, row.estimate))
    return {
        judge: tuple(sorted(points, key=lambda candidate: candidate.size)) for judge, points in curves.items()
    }
