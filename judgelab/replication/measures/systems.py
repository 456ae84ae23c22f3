"""Figures about systems: the mean score of one, and how far the means lie from the people's (QA-eval)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judgelab.analysis.data.scores import human_scores
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.bounded_means import Ends, bounded_mean, scale_ends
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.replication.material import Material
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.wording import sentence

# Metrics that count a share of words, by their first word as raters.
SHARES = ("exact_match", "token_f1", "rouge1", "rouge2", "rougeL", "rougeLsum", "meteor")
NO_SYSTEM = sentence("this project has no system of that name")


@measures.register("system_mean")
def system_mean(material: Material, asked: MeasureRequest) -> Estimate:
    """Return a system's mean score by one rater: its accuracy where scores are right and wrong.

    Shares have Wilson's interval, other means between the ends of a scale that of `bounded_means`; those of
    other numbers, as of a metric without ends, the normal one. Responses of several items are independent.
    """
    scores = _scores(material, asked)
    own = scores[scores["system"].isin(asked.recipe.system)]["score"].to_numpy(dtype=float)
    if not len(own):
        return undefined(NO_SYSTEM if not len(scores) else _nothing(asked))
    if _right_or_wrong(material, asked) and np.isin(own, (0.0, 1.0)).all():
        return share(int(own.sum()), len(own), nothing=_nothing(asked))
    return bounded_mean(own, _ends(material, asked, own))


@measures.register("system_mae")
def system_mae(material: Material, asked: MeasureRequest) -> Estimate:
    """Return the mean absolute difference between a rater's and the people's means of systems.

    Only systems and responses that both scored count; the interval draws items again.
    """
    both = _humans(material).merge(_scores(material, asked), on="response", suffixes=("_h", ""))
    known = both.dropna(subset=["human", "score"])
    both = known[known["system"] != ""]
    humans = _humans(material).dropna(subset=["human"])
    noted = {
        "responses": len(both),
        "n_missing": len(humans) - len(known),
        "n_without_system": len(known) - len(both),
        "systems_left_out": len(set(humans["system"]) - {""} - set(both["system"])),
    }
    if both["system"].nunique() < 2:
        return undefined(sentence("fewer than two systems have both human scores and others"))
    items, item = np.unique(both["item"].to_numpy(dtype=str), return_inverse=True)
    systems, system = np.unique(both["system"].to_numpy(dtype=str), return_inverse=True)
    gap = np.zeros((len(systems), len(items)))
    count = np.zeros_like(gap)
    np.add.at(gap, (system, item), (both["score"] - both["human"]).to_numpy(dtype=float))
    np.add.at(count, (system, item), 1.0)
    value = float(np.abs(gap.sum(axis=1) / count.sum(axis=1)).mean())
    draws = ItemDraws(len(items), material.resamples, material.seed)
    weights = draws.counts.astype(float) if draws.resamples else np.zeros((0, len(items)))
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.abs((gap @ weights.T) / (count @ weights.T)).mean(axis=0)
    if not len(drawn):
        return Estimate(value, ci_method="none: not asked for", n=len(systems), params=noted)
    interval = percentile_interval(drawn, items=len(items))
    return Estimate(
        value, ci=interval.ends, ci_method=interval.method, n=len(systems), seed=material.seed, params=noted
    )


def _scores(material: Material, asked: MeasureRequest) -> pd.DataFrame:
    """Return one score a response (response, item, system, score) of a rater, or of the people."""
    if asked.rater_kind == "human":
        return _humans(material).rename(columns={"human": "score"}).dropna(subset=["score"])
    own = material.scores
    own = own[(own["rater"] == asked.rater) & (own["rater_kind"] == asked.rater_kind)]
    criterion = asked.recipe.criterion or (material.criteria[0] if material.criteria else "")
    if criterion:
        own = own[own["criterion"] == criterion]
    keys = ["response", "item", "system"]
    return own.groupby(keys, sort=False, observed=True)["score"].mean().reset_index()


def _ends(material: Material, asked: MeasureRequest, own: Floats) -> Ends | None:
    """Return the lowest and highest number there can be: the scale's, a metric's own, None where unknown."""
    if asked.rater_kind == "metric":
        return (0.0, 1.0) if asked.rater.split(" ")[0].split("-")[0] in SHARES else None
    criterion = asked.recipe.criterion or (material.criteria[0] if material.criteria else "")
    ends = scale_ends(material.project.scales.get(criterion))
    return ends if ends is not None and ((own >= ends[0]) & (own <= ends[1])).all() else None


def _right_or_wrong(material: Material, asked: MeasureRequest) -> bool:
    criterion = asked.recipe.criterion or (material.criteria[0] if material.criteria else "")
    scale = material.project.scales.get(criterion)
    return scale is not None and scale.kind == "binary"


def _humans(material: Material) -> pd.DataFrame:
    def compute() -> pd.DataFrame:
        way = material.aggregation if material.aggregation.on_scale else MEAN
        found = human_scores(material.scores, way)
        keys = material.scores[["response", "item", "system"]].drop_duplicates()
        return found[["response", "criterion", "human"]].merge(keys, on="response")

    humans = material.once("humans", compute)
    first = material.criteria[:1]
    return humans[humans["criterion"].isin(first)].drop(columns="criterion")


def _nothing(asked: MeasureRequest) -> str:
    return sentence("{rater} has scored none of these responses", rater=asked.rater or "nobody")
