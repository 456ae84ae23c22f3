"""The share of right answers among those that only the judge scored, corrected for the judge's errors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judgelab.analysis.comparison.rated_at_random import NOT_RANDOM, SAY_IF_RANDOM
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.corrected_share import rogan_gladen
from judgelab.wording import sentence

FEWEST_UNLABELLED = 30  # responses; the share of right ones among fewer says nothing about others


def share_of_right(table: pd.DataFrame, at_random: bool | None, *, as_share: bool) -> Estimate:
    """Return the share of right answers among those that only the judge scored.

    People's scores count as in the means, so a tie is half right. So do the judge's if `as_share`; scores
    that are not on the scale are right above one half.
    """
    human, judge = table["human"].to_numpy(dtype=float), table["judge"].to_numpy(dtype=float)
    labelled = np.isfinite(human)
    unlabelled = int((~labelled).sum())
    if not at_random and unlabelled:
        return undefined(SAY_IF_RANDOM if at_random is None else NOT_RANDOM, n=unlabelled)
    if 0 < unlabelled < FEWEST_UNLABELLED:
        few = {"n": str(unlabelled), "least": str(FEWEST_UNLABELLED)}
        return undefined(sentence("only {n} unrated; at least {least} are needed", **few), n=unlabelled)
    if not as_share:
        judge = np.where(judge > 0.5, 1.0, np.where(judge == 0.5, 0.5, 0.0))
    return rogan_gladen(human[labelled], judge[labelled], judge[~labelled])
