"""LINKAGE's measures: best and worst answer found, draws of the lists, sizes of the collections."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.metaeval.agreement.best_answers import (
    BEST,
    BEST_AND_WORST,
    best_answers,
    mean_and_sd_over_draws,
)
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.replication.cells import COUNT
from judgelab.replication.material import Material
from judgelab.replication.measures.agreement import plain_agreement
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.wording import sentence

NO_RATING = sentence("this project has no ratings yet")


@measures.register(BEST)
def best_found(material: Material, request: MeasureRequest) -> Estimate:
    """Return the share of questions whose best answer a rater puts first; ties earn their share."""
    return _found(material, request)[BEST]


@measures.register(BEST_AND_WORST)
def best_and_worst_found(material: Material, request: MeasureRequest) -> Estimate:
    """Return the share of questions whose best answer a rater puts first and the worst one last."""
    return _found(material, request)[BEST_AND_WORST]


@measures.register("draws_mean")
def draws_mean(material: Material, request: MeasureRequest) -> Estimate:
    """Return the mean of a coefficient over the judge's draws of the reference lists."""
    return _over_draws(material, request)["mean"]


@measures.register("draws_sd")
def draws_sd(material: Material, request: MeasureRequest) -> Estimate:
    """Return the standard deviation (n - 1) of a coefficient over the judge's draws of the lists."""
    return _over_draws(material, request)["sd"]


@measures.register("questions")
def questions(material: Material, request: MeasureRequest) -> Estimate:
    """Return how many questions have a rated answer."""
    items = _rated(material)["item"].nunique()
    return Estimate(float(items), ci_method=COUNT, n=items) if items else undefined(NO_RATING)


@measures.register("responses_an_item")
def responses_an_item(material: Material, request: MeasureRequest) -> Estimate:
    """Return the mean number of rated answers per question, or of those with the option's `grade`.

    Grades count from the lowest point of the scale, which is 0; a mean of ratings gets the nearest grade.
    """
    rated = _rated(material)
    items = rated["item"].nunique()
    if not items:
        return undefined(NO_RATING)
    grade = request.recipe.options.get("grade")
    if grade is not None:
        points = [point.value for point in material.project.scales[material.criteria[0]].points()]
        if not points:
            return undefined(sentence("the scale has no points, so its scores cannot be used as grades"))
        distance = np.abs(rated["human"].to_numpy(dtype=float)[:, None] - np.array(points)[None, :])
        # Of two points equally near the upper one.
        nearest = len(points) - 1 - distance[:, ::-1].argmin(axis=1)
        rated = rated[nearest == int(grade)]
    return Estimate(len(rated) / items, ci_method=COUNT, n=items, params={"responses": len(rated)})


def _found(material: Material, request: MeasureRequest) -> dict[str, Estimate]:
    recipe = request.recipe
    ties = str(recipe.options.get("ties", "share"))
    return material.once(
        ("best_answers", request.rater, recipe.criterion, ties),
        lambda: best_answers(
            material.scores,
            request.rater,
            criterion=recipe.criterion or None,
            ties=ties,
            resamples=material.resamples,
            seed=material.seed,
            aggregation=material.aggregation,
        ),
    )


def _over_draws(material: Material, request: MeasureRequest) -> dict[str, Estimate]:
    draws_by_judge: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name in (request.rater, *request.others):
        judge = material.judges.get(name)
        if judge is not None:
            draws_by_judge[_but_for_draw(judge)].setdefault(str(judge.options.get("draw")), name)
    # Of judges that differ in more than the draw, those with the most draws.
    drawn = max(draws_by_judge.values(), key=len, default={"": request.rater})
    names = [drawn[draw] for draw in sorted(drawn)]
    values = [
        plain_agreement(material, MeasureRequest(request.recipe, name, request.rater_kind)).value
        for name in names
    ]
    return mean_and_sd_over_draws(values)


def _but_for_draw(judge: JudgeInfo) -> str:
    options = {name: value for name, value in judge.options.items() if name != "draw"}
    return repr(
        (
            judge.protocol,
            judge.model,
            judge.samples,
            sorted(judge.parameters.items()),
            sorted(options.items()),
        )
    )


def _rated(material: Material) -> pd.DataFrame:
    def compute() -> pd.DataFrame:
        aggregation = material.aggregation if material.aggregation.on_scale else MEAN
        human = human_scores(material.scores, aggregation, scales=material.project.scales)
        keys = material.scores[["response", "item"]].drop_duplicates()
        first = human[human["criterion"].isin(material.criteria[:1])].dropna(subset=["human"])
        return first[["response", "human"]].merge(keys, on="response")

    return material.once("rated_answers", compute)
