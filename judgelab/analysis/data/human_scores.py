"""One score per response and criterion: of the people together, or of one rater."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import (
    Aggregation,
    aggregate,
    aggregation_of_labels,
    score_per_rater_and_unit,
)
from judgelab.metaeval.core.units import NO_Z_SCORES
from judgelab.scales import Scale


def human_scores(
    scores: pd.DataFrame, aggregation: Aggregation, *, scales: Mapping[str, Scale]
) -> pd.DataFrame:
    """Return one human score per response and criterion: response, criterion, human, raters, decided.

    Under criteria whose scale has no order, that is the most frequent label, however others are aggregated.

    `human` is missing if the ratings give no score (a tied vote). `decided` marks scores that come from an
    adjudicator; such a response may have no ratings.
    """
    ratings = _aggregated(scores[scores["rater_kind"] == "human"], aggregation, scales)
    decision_rows = scores.loc[scores["rater_kind"] == DECISION, ["response", "criterion", "score"]]
    if decision_rows.empty:
        return ratings.assign(decided=False)
    if not aggregation.on_scale:
        raise InvalidInput(NO_Z_SCORES)
    merged = ratings.merge(decision_rows, on=["response", "criterion"], how="outer")
    merged["decided"] = merged["score"].notna()
    merged["human"] = merged["score"].fillna(merged["human"])
    merged["raters"] = merged["raters"].fillna(0).astype("int64")
    return merged.drop(columns="score")


def score_per_response(scores: pd.DataFrame, scale: Scale | None) -> pd.Series[float]:
    """Return one rater's score of each response under one criterion: the mean of several, as of runs.

    On a scale without an order, it is the most frequent label, and a response with a tie is left out.
    """
    by_response = scores.groupby("response")["score"]
    if scale is None or scale.ordered:
        return by_response.mean()
    unit, responses = pd.factorize(scores["response"], sort=True)
    rated = score_per_rater_and_unit(
        unit.astype(np.int64),
        np.zeros(len(unit), dtype=np.int64),
        scores["score"].to_numpy(dtype=float),
        ordered=False,
        several=scale.several,
    )
    return pd.Series(rated.score, index=pd.Index(responses[rated.unit], name="response"), name="score")


def _aggregated(humans: pd.DataFrame, aggregation: Aggregation, scales: Mapping[str, Scale]) -> pd.DataFrame:
    parts = []
    for criterion, of_criterion in humans.groupby("criterion", sort=False):
        unit, responses = pd.factorize(of_criterion["response"])
        rater, names = pd.factorize(of_criterion["rater"])
        scale = scales.get(str(criterion))
        ordered, several = scale is None or scale.ordered, scale is not None and scale.several
        ratings = score_per_rater_and_unit(
            unit.astype(np.int64),
            rater.astype(np.int64),
            of_criterion["score"].to_numpy(dtype=float),
            ordered=ordered,
            several=several,
        )
        how = aggregation if ordered else aggregation_of_labels(aggregation, several=several)
        score = aggregate(ratings, units=len(responses), raters=len(names), aggregation=how)
        count = np.bincount(ratings.unit, minlength=len(responses))
        parts.append(
            pd.DataFrame({"response": responses, "criterion": criterion, "human": score, "raters": count})
        )
    if parts:
        return pd.concat(parts, ignore_index=True)
    # With the types of the ratings, so that the empty table merges with others.
    none = humans.loc[[], ["response", "criterion"]].reset_index(drop=True)
    return none.assign(human=pd.Series(dtype=float), raters=pd.Series(dtype="int64"))
