"""Measures of systems: the mean score of one, and the distance of means from the people's (QA-eval)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.bounded_means import Ends, bounded_mean, scale_ends
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.replication.material import Material
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.wording import sentence

# Metrics that count a share of words, by their first word as raters.
SHARES = ("exact_match", "token_f1", "rouge1", "rouge2", "rougeL", "rougeLsum", "meteor")
NO_SYSTEM = sentence("this project has no system with that name")


@measures.register("system_mean")
def system_mean(material: Material, request: MeasureRequest) -> Estimate:
    """Return a system's mean score by one rater: its accuracy where scores are right and wrong.

    Shares have Wilson's interval, other means between the ends of a scale that of `bounded_means`; those of
    other numbers, as of a metric without ends, the normal one. Responses of several items are independent.
    """
    scores = _scores(material, request)
    of_system = scores[scores["system"].isin(request.recipe.system)]["score"].to_numpy(dtype=float)
    if not len(of_system):
        return undefined(NO_SYSTEM if not len(scores) else _nothing(request))
    if _right_or_wrong(material, request) and np.isin(of_system, (0.0, 1.0)).all():
        return share(int(of_system.sum()), len(of_system), nothing=_nothing(request))
    return bounded_mean(of_system, _ends(material, request, of_system))


@measures.register("system_mae")
def system_mae(material: Material, request: MeasureRequest) -> Estimate:
    """Return the mean absolute difference between a rater's and the people's means of systems.

    Only systems and responses that both scored count; the interval resamples items.
    """
    paired = _humans(material).merge(_scores(material, request), on="response", suffixes=("_h", ""))
    scored = paired.dropna(subset=["human", "score"])
    paired = scored[scored["system"] != ""]
    humans = _humans(material).dropna(subset=["human"])
    counts = {
        "responses": len(paired),
        "n_missing": len(humans) - len(scored),
        "n_without_system": len(scored) - len(paired),
        "systems_left_out": len(set(humans["system"].unique()) - {""} - set(paired["system"].unique())),
    }
    if paired["system"].nunique() < 2:
        return undefined(sentence("fewer than two systems have both human scores and judge or metric scores"))
    items, item = np.unique(paired["item"].to_numpy(dtype=str), return_inverse=True)
    systems, system = np.unique(paired["system"].to_numpy(dtype=str), return_inverse=True)
    gap = np.zeros((len(systems), len(items)))
    count = np.zeros_like(gap)
    np.add.at(gap, (system, item), (paired["score"] - paired["human"]).to_numpy(dtype=float))
    np.add.at(count, (system, item), 1.0)
    value = float(np.abs(gap.sum(axis=1) / count.sum(axis=1)).mean())
    draws = ItemDraws(len(items), material.resamples, material.seed)
    weights = draws.counts.astype(float) if draws.resamples else np.zeros((0, len(items)))
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.abs((gap @ weights.T) / (count @ weights.T)).mean(axis=0)
    if not len(drawn):
        return Estimate(value, ci_method=NOT_ASKED, n=len(systems), params=counts)
    interval = percentile_interval(drawn, items=len(items))
    return Estimate(
        value, ci=interval.ends, ci_method=interval.method, n=len(systems), seed=material.seed, params=counts
    )


def _scores(material: Material, request: MeasureRequest) -> pd.DataFrame:
    """Return one score per response (response, item, system, score) of a rater, or of the people."""
    if request.rater_kind == "human":
        return _humans(material).rename(columns={"human": "score"}).dropna(subset=["score"])
    rows = material.scores
    rows = rows[(rows["rater"] == request.rater) & (rows["rater_kind"] == request.rater_kind)]
    criterion = request.recipe.criterion or (material.criteria[0] if material.criteria else "")
    if criterion:
        rows = rows[rows["criterion"] == criterion]
    keys = ["response", "item", "system"]
    return rows.groupby(keys, sort=False, observed=True)["score"].mean().reset_index()


def _ends(material: Material, request: MeasureRequest, values: Floats) -> Ends | None:
    """Return the lowest and highest possible number: the scale's, a metric's own, None if unknown."""
    if request.rater_kind == "metric":
        return (0.0, 1.0) if request.rater.split(" ")[0].split("-")[0] in SHARES else None
    criterion = request.recipe.criterion or (material.criteria[0] if material.criteria else "")
    ends = scale_ends(material.project.scales.get(criterion))
    return ends if ends is not None and ((values >= ends[0]) & (values <= ends[1])).all() else None


def _right_or_wrong(material: Material, request: MeasureRequest) -> bool:
    criterion = request.recipe.criterion or (material.criteria[0] if material.criteria else "")
    scale = material.project.scales.get(criterion)
    return scale is not None and scale.mean_is_share


def _humans(material: Material) -> pd.DataFrame:
    def compute() -> pd.DataFrame:
        aggregation = material.aggregation if material.aggregation.on_scale else MEAN
        human = human_scores(material.scores, aggregation, scales=material.project.scales)
        keys = material.scores[["response", "item", "system"]].drop_duplicates()
        return human[["response", "criterion", "human"]].merge(keys, on="response")

    humans = material.once("humans", compute)
    first = material.criteria[:1]
    return humans[humans["criterion"].isin(first)].drop(columns="criterion")


def _nothing(request: MeasureRequest) -> str:
    if not request.rater:
        return sentence("no judge has scored these responses")
    return sentence("{rater} has scored none of these responses", rater=request.rater)
