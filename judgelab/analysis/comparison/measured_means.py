"""Mean scores of systems: by people, by a judge, and by a judge corrected with people's scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.comparison.rated_at_random import NOT_RANDOM, SAY_IF_RANDOM, recorded_random_sampling
from judgelab.analysis.comparison.share_of_right import share_of_right
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.analysis.data.system_scores import POINTS, paired_differences, response_scores, system_points
from judgelab.errors import NotFound
from judgelab.metaeval.core.bounded_means import Ends, bounded_mean, difference_ends, scale_ends
from judgelab.metaeval.core.paired_means import mean_difference
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean, powered_difference, powered_mean
from judgelab.scales import why_no_order
from judgelab.wording import mark

MOST_SYSTEMS = 40


@dataclass(frozen=True)
class SystemMean:
    """One system's mean: by people, by the judge, by both.

    Attributes:
        system: the system's name.
        people: mean by people over all items they rated; n counts items.
        rated_responses: responses that people rated.
        labelled: items that people and the judge both scored; `mean.human` is based on them.
        unlabelled: items that only the judge scored.
        scored_by_both: responses that people and the judge both scored.
        scored_by_judge_only: responses that only the judge scored.
        mean: means by people on the labelled items, by the judge, and by both; None without a judge.
    """

    system: str
    people: Estimate
    rated_responses: int
    labelled: int
    unlabelled: int
    scored_by_both: int
    scored_by_judge_only: int
    mean: PoweredMean | None


@dataclass(frozen=True)
class SystemDifference:
    """First minus second system on the items of both; counts as in `SystemMean`."""

    first: str
    second: str
    people: Estimate
    labelled: int
    unlabelled: int
    difference: PoweredMean | None


@dataclass(frozen=True)
class SystemMeans:
    """System means of one criterion, by people alone and with one judge.

    Attributes:
        project: the project's slug.
        judge: the judge's name; None for the people's means alone.
        criterion: key of the criterion.
        at_random: whether labelled items are a random sample; unless True, powered estimates are undefined.
        systems: highest human mean first; a row named "" has the responses that name no system.
        differences: every two systems.
        share: share of right answers among those that only the judge scored (Rogan and Gladen), for binary
            criteria only; n counts them.
        policy: the filter applied to the people's ratings.
        no_order: whether the criterion's labels have no order, so that nothing has a mean.
        of_pairs: whether the means are win rates in comparisons: 1 for a win, 0.5 for a tie, 0 for a loss.
            Differences are then of the pairs of the two systems alone, counts of pairs.
        n_decided: scores or pairs decided by an adjudicator; None if decisions are not used.
    """

    project: str
    judge: str | None
    criterion: str
    at_random: bool | None
    systems: tuple[SystemMean, ...]
    differences: tuple[SystemDifference, ...]
    share: Estimate | None
    policy: FilterInfo | None
    no_order: bool = False
    of_pairs: bool = False
    n_decided: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab means --json` prints."""
        return {
            "project": self.project,
            "judge": self.judge,
            "criterion": self.criterion,
            "labelled_at_random": self.at_random,
            "comparisons": self.of_pairs,
            "filter": None if self.policy is None else self.policy.to_json(),
            "decisions": self.n_decided,
            "systems": [
                {
                    "system": row.system,
                    "human": row.people.to_json(),
                    "rated_responses": row.rated_responses,
                    **_mean_json(row.mean, row.labelled, row.unlabelled),
                }
                for row in self.systems
            ],
            "differences": [
                {
                    "first": row.first,
                    "second": row.second,
                    "human": row.people.to_json(),
                    **_mean_json(row.difference, row.labelled, row.unlabelled),
                }
                for row in self.differences
            ],
            "share": None if self.share is None else self.share.to_json(),
        }


def measure_means(
    data: ProjectScores,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    at_random: bool | None = None,
) -> SystemMeans:
    """Return the systems' means by people, by a judge, and by both together.

    The people's mean uses all their ratings. Labelled items have scores by people and the judge, unlabelled
    items by the judge only. Several responses of a system to an item count as their mean, so that intervals
    are over items.

    Args:
        data: the scores, or the comparisons as scores of pairs, whose means are win rates.
        judge: a judge or metric; None for the people's means alone.
        criterion: key of the criterion; may be omitted if the project has only one.
        at_random: whether the labelled items are a random sample; if not given, what was recorded
            (`recorded_random_sampling`).

    Raises:
        NotFound: no such judge or criterion.
        InvalidInput: there are several criteria and none was given.
    """
    key = resolve_criterion(data, criterion)
    random = at_random if at_random is not None else recorded_random_sampling(data.project.settings, key)
    scores = data.scores[data.scores["criterion"] == key]
    others = scores[~scored_by_people(scores)]
    if judge is not None and judge not in set(others["rater"].unique()):
        raise NotFound(mark("judge or metric"), judge, sorted(set(others["rater"].unique())))
    if data.compared is not None:
        responses, no_order = system_points(scores, data.compared.pairs, judge), None
        settings = _Settings(judge is not None, random, POINTS, POINTS)
    else:
        responses, judged = response_scores(data, scores, judge, key)
        no_order = None if data.project.scales[key].ordered else undefined(why_no_order(key))
        settings = _settings(data, others, judge, judged, key, random, no_order)
    systems = [
        _system_mean(str(name), part, settings) for name, part in responses.groupby("system", sort=False)
    ]
    systems.sort(key=lambda system: -(system.people.value if system.people.value is not None else -np.inf))
    names = [system.system for system in systems][:MOST_SYSTEMS]
    by_item = ["system", "item" if data.compared is None else "met"]
    item_means = responses.groupby(by_item)[["judge", "human"]].mean()
    # Beside the judge, only ratings of responses that it scored, as on *Trust*.
    of_judged = responses.dropna(subset="judge").groupby(by_item)[["judge", "human"]].mean()
    differences = [
        _system_difference(item_means, of_judged, first, second, settings)
        for first, second in combinations(names, 2)
    ]
    share = None
    if judge is not None and data.project.scales[key].mean_is_share:
        as_share = settings.judge_ends is not None
        share = share_of_right(item_means.dropna(subset="judge"), random, as_share=as_share)
    return SystemMeans(
        data.project.slug, judge, key, random, tuple(systems), tuple(differences), share, data.policy,
        no_order is not None, data.compared is not None, data.decided_under(key),
    )  # fmt: skip


def _settings(
    data: ProjectScores,
    others: pd.DataFrame,
    judge: str | None,
    judged: pd.Series[float],
    key: str,
    random: bool | None,
    no_order: Estimate | None,
) -> _Settings:
    scale, values = scale_ends(data.project.scales[key]), judged.to_numpy(dtype=float)
    within_scale = scale is not None and bool(((values >= scale[0]) & (values <= scale[1])).all())
    names = set(others.loc[others["rater_kind"] == "judge", "rater"].unique())
    on_scale = within_scale and judge not in data.own_scale and judge in names
    return _Settings(
        judge is not None and no_order is None, random, scale, scale if on_scale else None, no_order
    )


class _Settings(NamedTuple):
    """Whether a judge has means, whether labelled items are a random sample, and the ends of both scales.

    `no_mean` is the undefined estimate for labels without an order, which have no mean.
    """

    with_judge: bool
    at_random: bool | None
    human_ends: Ends | None
    judge_ends: Ends | None
    no_mean: Estimate | None = None

    def for_differences(self) -> _Settings:
        """Return the settings for differences of two scores."""
        human_ends, judge_ends = difference_ends(self.human_ends), difference_ends(self.judge_ends)
        return self._replace(human_ends=human_ends, judge_ends=judge_ends)


def _system_mean(name: str, part: pd.DataFrame, settings: _Settings) -> SystemMean:
    human, judge = part["human"].notna(), part["judge"].notna()
    human_means = part[human].groupby("item")["human"].mean().to_numpy(dtype=float)
    common = part[judge].groupby("item")[["human", "judge"]].mean()
    labelled = int(common["human"].notna().sum())
    return SystemMean(
        system=name,
        people=settings.no_mean or bounded_mean(human_means, settings.human_ends),
        rated_responses=int(human.sum()),
        labelled=labelled,
        unlabelled=len(common) - labelled,
        scored_by_both=int((human & judge).sum()),
        scored_by_judge_only=int((judge & ~human).sum()),
        mean=_combined(powered_mean, common, settings) if settings.with_judge else None,
    )


def _combined(mean: Callable[..., PoweredMean], scores: pd.DataFrame, settings: _Settings) -> PoweredMean:
    human_scores, judge_scores = (scores[who].to_numpy(dtype=np.float64) for who in ("human", "judge"))
    labelled = np.isfinite(human_scores)
    estimate = mean(
        human_scores[labelled],
        judge_scores[labelled],
        judge_scores[~labelled],
        ends=settings.human_ends,
        judge_ends=settings.judge_ends,
    )
    return _require_random(estimate, settings.at_random)


def _require_random(estimate: PoweredMean, at_random: bool | None) -> PoweredMean:
    """Return the means, with the powered one undefined unless the random sample was confirmed."""
    if at_random or estimate.powered.value is None or not estimate.powered.params.get("unlabelled"):
        return estimate
    reason = SAY_IF_RANDOM if at_random is None else NOT_RANDOM
    return replace(estimate, powered=undefined(reason, n=estimate.powered.n), gain=None)


def _system_difference(
    item_means: pd.DataFrame, of_judged: pd.DataFrame, first: str, second: str, settings: _Settings
) -> SystemDifference:
    settings = settings.for_differences()
    by_people = paired_differences(item_means, first, second)["human"].dropna().to_numpy(dtype=float)
    people = settings.no_mean or mean_difference(by_people, settings.human_ends)
    judged = paired_differences(of_judged, first, second).dropna(subset="judge")
    labelled = int(judged["human"].notna().sum())
    powered = _combined(powered_difference, judged, settings) if settings.with_judge else None
    return SystemDifference(first, second, people, labelled, len(judged) - labelled, powered)


def _mean_json(mean: PoweredMean | None, labelled: int, unlabelled: int) -> dict[str, Any]:
    if mean is None:
        return {}
    return {
        "labelled": labelled,
        "unlabelled": unlabelled,
        "human_where_judged": mean.human.to_json(),
        "judge_only": mean.judge.to_json(),
        "powered": mean.powered.to_json(),
        "shift": mean.shift.to_json(),
        "gain": mean.gain,
    }
