"""One person compared with the other raters and the judges, on the responses that person rated."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.metaeval.coefficients.estimates import pooled_estimate
from judgelab.metaeval.core.aggregation import only_mode
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.scales import Scale
from judgelab.wording import counted, sentence

LEAST: Mapping[str, int] = {"mae": 3, "pearson": 5, "spearman": 5, "exact": 3}  # responses needed
RESAMPLES = 1000


@dataclass(frozen=True)
class SelfComparisonRow:
    """One rater's agreement with the crowd; `own` marks the person the page is about."""

    rater: str
    kind: str
    estimate: Estimate
    own: bool = False


def shared_responses(own: pd.DataFrame, crowd: pd.DataFrame, *, ordered: bool = True) -> pd.DataFrame:
    """Return the person's responses that others rated too.

    Where scores are not `ordered`, the label of most of the others takes the place of their mean; responses
    on which several labels are the most frequent are left out.

    Args:
        own: the person's ratings under one criterion: response, item, score; one a response.
        crowd: the others' ratings that count: response, rater, score.
        ordered: whether a higher score means more of something.

    Returns:
        One row a response: response, item, own, crowd (the others' mean), raters (how many they are).
    """
    own_scores = own[["response", "item", "score"]].dropna(subset="score").rename(columns={"score": "own"})
    by_response = crowd.dropna(subset="score").groupby("response")["score"]
    score = _crowd_score(crowd, ordered=ordered)
    others = pd.DataFrame({"crowd": score, "raters": by_response.count()}).dropna().reset_index()
    return own_scores.merge(others, on="response", how="inner").reset_index(drop=True)


def self_comparison(
    own: pd.DataFrame,
    crowd: pd.DataFrame,
    judges: pd.DataFrame,
    *,
    name: str,
    scale: Scale,
    coefficient: str = "mae",
    own_scale: Collection[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[SelfComparisonRow]:
    """Return how far the person, every other rater and every judge agree with the crowd's mean.

    On a scale without an order, that is the label of most of the crowd.

    All are measured on the responses that the person rated. The crowd is all other raters who count. The
    person is never part of it, and a rater in the crowd is compared with the rest of it.

    Args:
        own: the person's ratings under one criterion: response, item, score.
        crowd: the other people's ratings that count: response, rater, score.
        judges: the judges' scores: response, rater, score.
        name: how the person is called.
        scale: of the criterion.
        coefficient: "mae" (in points of the scale; 0 is agreement), "pearson", "spearman", or "exact", the
            share of equal labels, which alone is defined on a scale without an order.
        own_scale: judges whose scores are ranks, wins or votes; none is given for them.
        resamples: draws of items for the intervals.
        seed: of the draws.
    """
    shared = shared_responses(own, crowd, ordered=scale.ordered)
    places, items = pd.factorize(shared["item"])
    draws = ItemDraws(len(items), resamples, seed)
    item_of = dict(zip(shared["response"], places, strict=True))

    def row(
        rater: str,
        kind: str,
        pairs: pd.DataFrame,
        *,
        is_own: bool = False,
        in_crowd: bool = False,
    ) -> SelfComparisonRow:
        estimate = _estimate(pairs, item_of, draws, coefficient=coefficient, scale=scale, in_crowd=in_crowd)
        return SelfComparisonRow(rater, kind, estimate, is_own)

    rows = [row(name, "human", shared.rename(columns={"own": "score"}), is_own=True)]
    same_responses = crowd[crowd["response"].isin(shared["response"])].dropna(subset="score")
    for rater, ratings in same_responses.groupby("rater", observed=True):
        others = _crowd_score(same_responses[same_responses["rater"] != rater], ordered=scale.ordered)
        pairs = ratings.merge(others.dropna().rename("crowd"), left_on="response", right_index=True)
        rows.append(row(str(rater), "human", pairs, in_crowd=True))
    for rater, ratings in judges.groupby("rater", observed=True):
        pairs = ratings.dropna(subset="score").merge(shared[["response", "crowd"]], on="response")
        if rater in own_scale:
            reason = sentence("its scores are ranks or wins, on a different scale")
            rows.append(SelfComparisonRow(str(rater), "judge", undefined(reason, n=len(pairs))))
        else:
            rows.append(row(str(rater), "judge", pairs))
    return _sorted(rows, lower_first=coefficient == "mae")


def _crowd_score(crowd: pd.DataFrame, *, ordered: bool) -> pd.Series[float]:
    """Return by response the mean of these ratings, or their most frequent label, missing if several are."""
    by_response = crowd.dropna(subset="score").groupby("response")["score"]
    return by_response.mean() if ordered else by_response.agg(only_mode)


def _estimate(
    pairs: pd.DataFrame,
    item_of: Mapping[int, int],
    draws: ItemDraws,
    *,
    coefficient: str,
    scale: Scale,
    in_crowd: bool,
) -> Estimate:
    if not scale.ordered and coefficient != "exact":
        return undefined(sentence("the labels of this criterion have no order"), n=len(pairs))
    least = LEAST[coefficient]
    if len(pairs) < least:
        shared = counted("{n} shared response", "{n} shared responses", len(pairs))
        if in_crowd:  # compared with the others in it, without the person
            shared = counted(
                "{n} shared response that a third rater rated too",
                "{n} shared responses that a third rater rated too",
                len(pairs),
            )
        return undefined(
            sentence("{shared}; at least {least} are needed", shared=shared, least=least), n=len(pairs)
        )
    return pooled_estimate(
        pairs["crowd"].to_numpy(dtype=np.float64),
        pairs["score"].to_numpy(dtype=np.float64),
        item=np.array([item_of[response] for response in pairs["response"]], dtype=np.int64),
        draws=draws,
        coefficient=coefficient,
        scale=scale,
    )


def _sorted(rows: list[SelfComparisonRow], *, lower_first: bool) -> list[SelfComparisonRow]:
    def place(row: SelfComparisonRow) -> tuple[bool, float, bool, str]:
        value = row.estimate.value
        return value is None, (value or 0.0) * (1 if lower_first else -1), not row.own, row.rater

    return sorted(rows, key=place)
