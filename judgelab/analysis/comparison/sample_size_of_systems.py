"""Sample sizes: how many more items, pairs or raters would show that people tell two systems apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import (
    SYSTEMS,
    SampleSizeAnswer,
    in_pairs,
    most_items,
)
from judgelab.analysis.comparison.sample_size_words import not_enough, systems_answer
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.analysis.data.system_scores import POINTS, paired_differences, system_points
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.arrays import Floats, stable_difference
from judgelab.metaeval.core.bounded_means import Ends, difference_ends, scale_ends
from judgelab.metaeval.core.pair_scores import FIRST, SECOND
from judgelab.metaeval.core.paired_means import mean_difference
from judgelab.metaeval.core.result import undefined
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.metaeval.inference import planning
from judgelab.scales import why_no_order
from judgelab.wording import mark, sentence


def systems_sample_size(
    data: ProjectScores,
    first: str,
    second: str,
    *,
    criterion: str | None = None,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items, or raters per response, would show that people score two systems differently.

    Of comparisons: how many pairs, or raters per pair, would show that one system wins more often.

    Raises as `judges_sample_size`, and `NotFound` for an unknown system.
    """
    key = resolve_criterion(data, criterion)
    scores = data.scores[scored_by_people(data.scores) & (data.scores["criterion"] == key)]
    slug = data.project.slug
    recipe: dict[str, Any] = {"test": "t", "seed": seed, "resamples": resamples}
    recipe |= {"ratings": ratings_text(data.policy)}
    rated = _rated_systems(data, scores, key, first, second)
    if rated is None:
        reason = sentence("no response or pair has a human rating")
        plans = planning.no_plan("items", 0, reason), planning.no_plan("raters", 0, reason)
        said = undefined(reason), None, *plans, not_enough(reason)
        return SampleSizeAnswer(slug, key, SYSTEMS, first, second, *said, recipe, data.compared is not None)
    n = len(rated.differences)
    most = most_items(most, items=n, pairs=rated.pairs)
    plan = planning.mean_difference_plan(rated.differences, most=most, resamples=resamples, seed=seed)
    plan = in_pairs(plan, rated.pairs)
    raters_plan = planning.raters_plan(rated.differences, rated.noise, raters=rated.raters)
    difference = mean_difference(rated.differences, difference_ends(rated.ends))
    answer = systems_answer(plan, raters_plan, difference, first, second)
    return SampleSizeAnswer(
        slug,
        key,
        SYSTEMS,
        first,
        second,
        difference,
        None,
        plan,
        raters_plan,
        answer,
        recipe,
        data.compared is not None,
    )


class _RatedSystems(NamedTuple):
    """First minus second system by item, as people rate them.

    `noise` is the variance of one person's ratings of a difference around the mean of all, `raters` the mean
    number of ratings of a response, or of a pair of which there are `pairs`. `ends` are those of the scale.
    """

    differences: Floats
    noise: float
    raters: float
    ends: Ends | None
    pairs: int | None = None


def _rated_systems(
    data: ProjectScores, scores: pd.DataFrame, key: str, first: str, second: str
) -> _RatedSystems | None:
    """Return what people's ratings say of two systems; None without ratings."""
    if data.compared is not None:
        return None if scores.empty else _compared_systems(scores, data.compared.pairs, first, second)
    if not data.project.scales[key].ordered:
        raise InvalidInput(why_no_order(data.project.criterion(key).label))
    table = next(iter(unit_tables(scores, data.on_scale_aggregation, scales=data.project.scales)), None)
    if table is None:
        return None
    _check_systems(table.systems, first, second)
    ends = scale_ends(data.project.scales[key])
    return _RatedSystems(*_system_differences(table, first, second), ends)


def _compared_systems(scores: pd.DataFrame, pairs: pd.DataFrame, first: str, second: str) -> _RatedSystems:
    points = system_points(scores, pairs, None)
    _check_systems(tuple(sorted(points["system"].unique())), first, second)
    item_means = points.groupby(["system", "met"])[["judge", "human"]].mean()
    differences = paired_differences(item_means, first, second)["human"].to_numpy(dtype=float)
    sides = pairs.set_index("pair")[["system_first", "system_second"]]
    of_both = sides.index[
        sides.isin((first, second)).all(axis=1) & (sides["system_first"] != sides["system_second"])
    ]
    choices = scores[scores["response"].isin(of_both)]
    by_pair = choices.groupby("response")["score"]
    votes, squares = by_pair.size(), by_pair.var(ddof=1) * (by_pair.size() - 1)
    twice = votes >= 2
    # From a win to a loss, the difference of the two systems' points changes from 1 to -1.
    scale = 2 / (SECOND - FIRST)
    noise = scale**2 * float(squares[twice].sum() / (votes[twice] - 1).sum()) if twice.any() else float("nan")
    return _RatedSystems(
        differences, noise, float(votes.mean()) if len(votes) else 0.0, POINTS, pairs=len(votes)
    )


def _check_systems(known: tuple[str, ...], first: str, second: str) -> None:
    for name in (first, second):
        if name not in known:
            raise NotFound(mark("system"), name, known)


def _system_differences(table: UnitTable, first: str, second: str) -> tuple[Floats, float, float]:
    """Return item differences of two systems, one rater's noise variance in them, and raters per response."""
    numbers = [table.systems.index(name) for name in (first, second)]
    means = []
    for number in numbers:
        rated_units = (table.system == number) & np.isfinite(table.human_score)
        means.append(pd.Series(table.human_score[rated_units]).groupby(table.item[rated_units]).mean())
    paired = pd.concat(means, axis=1, join="inner")
    differences = stable_difference(paired.iloc[:, 0].to_numpy(float), paired.iloc[:, 1].to_numpy(float))
    unit, _, score = table.humans
    ratings = np.bincount(unit, minlength=len(table.item)).astype(float)
    unit_mean = np.bincount(unit, score, minlength=len(table.item)) / np.maximum(ratings, 1)
    in_pair = np.isin(table.system, numbers)
    squares = np.bincount(unit, (score - unit_mean[unit]) ** 2, minlength=len(table.item))
    rated_twice = in_pair & (ratings >= 2)
    # A difference involves two responses, so it has twice the variance of one rating about its mean.
    noise = (
        2 * float(squares[rated_twice].sum() / (ratings[rated_twice] - 1).sum())
        if rated_twice.any()
        else float("nan")
    )
    rated_at_all = in_pair & (ratings >= 1)
    return differences, noise, float(ratings[rated_at_all].mean()) if rated_at_all.any() else 0.0
