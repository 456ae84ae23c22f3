"""Mean scores of systems by people alone, by a judge alone, and by a judge corrected with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scores import IN_USE, human_scores, only_criterion, project_scores
from judgelab.domain import DECISION
from judgelab.errors import NotFound
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metaeval.core.bounded_means import Ends, bounded_mean, scale_ends
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean, powered_mean, rogan_gladen
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from judgelab.wording import mark, sentence

RANDOM_SETTING = (
    "labelled_at_random"  # the project's setting: by criterion, what a person said of the labelled items
)
SAY_IF_RANDOM = sentence("say first whether the items that people rated were drawn at random from the pool")
NOT_RANDOM = sentence("the items that people rated were not drawn at random from the pool")
MOST_SYSTEMS = 40


@dataclass(frozen=True)
class SystemMean:
    """One system's mean: by people, by the judge, by both.

    Attributes:
        people: mean by people alone over all items they rated, whatever the judge scored; n counts the items.
        rated: responses they rated.
        labelled: items that people and the judge both scored, on which `mean.human` stands.
        unlabelled: items only the judge scored.
        both: responses that people and the judge both scored.
        judged_only: responses that only the judge scored.
        mean: by people on the items of both, by the judge, by both together; None without a judge.
    """

    system: str
    people: Estimate
    rated: int
    labelled: int
    unlabelled: int
    both: int
    judged_only: int
    mean: PoweredMean | None


@dataclass(frozen=True)
class SystemDifference:
    """How far the first system is ahead of the second on the items of both; counts as in `SystemMean`."""

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
        at_random: what was said of the labelled items; powered figures are undefined unless True.
        judge: its name, None where people alone were asked for.
        systems: by the people's mean, highest first; one row named "" where responses name no system.
        differences: of every two systems.
        share: of right answers in the pool by Rogan and Gladen, binary criteria only, else None.
    """

    project: str
    judge: str | None
    criterion: str
    at_random: bool | None
    systems: tuple[SystemMean, ...]
    differences: tuple[SystemDifference, ...]
    share: Estimate | None
    policy: FilterInfo | None

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab means --json` prints."""
        return {
            "project": self.project,
            "judge": self.judge,
            "criterion": self.criterion,
            "labelled_at_random": self.at_random,
            "filter": None if self.policy is None else self.policy.to_json(),
            "systems": [
                {
                    "system": row.system, "human": row.people.to_json(), "rated_responses": row.rated,
                    **_mean_json(row.mean, row.labelled, row.unlabelled),
                }
                for row in self.systems
            ],
            "differences": [
                {
                    "first": row.first, "second": row.second, "human": row.people.to_json(),
                    **_mean_json(row.difference, row.labelled, row.unlabelled),
                }
                for row in self.differences
            ],
            "share": None if self.share is None else self.share.to_json(),
        }  # fmt: skip


def estimate_means(
    store: Store,
    slug: str,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    at_random: bool | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
) -> SystemMeans:
    """Return the systems' means by people, by a judge, and by both together.

    The people's mean stands on all that they rated. Labelled are the items people and the judge both scored,
    unlabelled those only the judge did. Responses of one system to one item count as their mean, so that
    items are what the intervals stand on.

    Args:
        store: the database.
        slug: the project.
        judge: a judge or metric that scored everything; None for the people's means alone.
        criterion: the only one of the project if not given.
        at_random: whether the labelled items are a random sample; if not given, what was recorded
            (`record_random_sampling`). Unless True, powered figures are undefined.
        policy: the quality rule, as in `agreement_table`.
        decisions: whether adjudicated scores come before ratings.

    Raises:
        NotFound: no such project, judge, criterion or rule.
        InvalidInput: several criteria and none was named.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    key = only_criterion(data, criterion)
    random = at_random if at_random is not None else recorded_random_sampling(data.project.settings, key)
    scores = data.scores[data.scores["criterion"] == key]
    others = scores[~scores["rater_kind"].isin(("human", DECISION))]
    if judge is not None and judge not in set(others["rater"]):
        raise NotFound(mark("judge or metric"), judge, sorted(set(others["rater"])))
    # Z-scores cannot stand beside the judge's points: as everywhere else, the mean does then.
    humans = human_scores(scores, data.aggregation if data.aggregation.on_scale else MEAN)
    human = humans.set_index("response")["human"] if len(humans) else pd.Series(dtype=float, name="human")
    judged = others[others["rater"] == judge].groupby("response")["score"].mean().rename("judge")
    by_response = scores.drop_duplicates("response").set_index("response")[["item", "system"]]
    responses = (
        by_response.join(judged, how="left")
        .join(human, how="left")
        .dropna(how="all", subset=["judge", "human"])
    )
    scale = scale_ends(data.project.scales[key])
    judge_scores = judged.to_numpy(dtype=float)
    within_scale = scale is not None and bool(((judge_scores >= scale[0]) & (judge_scores <= scale[1])).all())
    judge_ends = scale if within_scale and judge not in data.own_scale and judge in _judges(others) else None
    settings = _Settings(judge is not None, random, scale, judge_ends)
    systems = [
        _system_mean(str(name), part, settings) for name, part in responses.groupby("system", sort=False)
    ]
    systems.sort(key=lambda system: -(system.people.value if system.people.value is not None else -np.inf))
    names = [system.system for system in systems][:MOST_SYSTEMS]
    item_means = responses.groupby(["system", "item"], as_index=False)[["judge", "human"]].mean()
    differences = [
        _system_difference(item_means, first, second, settings) for first, second in combinations(names, 2)
    ]
    share = None
    if judge is not None and data.project.scales[key].kind == "binary":
        share = _share_of_right(item_means.dropna(subset="judge"), random)
    return SystemMeans(slug, judge, key, random, tuple(systems), tuple(differences), share, data.policy)


def record_random_sampling(store: Store, slug: str, criterion: str, *, at_random: bool) -> None:
    """Keep with the project whether the items people rated under a criterion were drawn at random.

    Raises `NotFound` for an unknown project or criterion.
    """
    with store.writing() as session:
        project = find_project(session, slug)
        project.criterion(criterion)
        recorded = {**project.settings.get(RANDOM_SETTING, {}), criterion: at_random}
        update_project(session, project.id, settings={RANDOM_SETTING: recorded})


def recorded_random_sampling(settings: Mapping[str, Any], criterion: str) -> bool | None:
    """Return what was recorded; None where nobody has said."""
    answer = settings.get(RANDOM_SETTING, {}).get(criterion)
    return None if answer is None else bool(answer)


class _Settings(NamedTuple):
    """Whether a judge is asked for, what was said of the labelled items, and the ends of both scales."""

    judged: bool
    said: bool | None
    scale: Ends | None
    of_judge: Ends | None

    def apart(self) -> _Settings:
        """Return the same for differences of two scores."""
        return self._replace(scale=_difference_ends(self.scale), of_judge=_difference_ends(self.of_judge))


def _difference_ends(ends: Ends | None) -> Ends | None:
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])


def _judges(others: pd.DataFrame) -> set[str]:
    return set(others.loc[others["rater_kind"] == "judge", "rater"])


def _system_mean(name: str, part: pd.DataFrame, settings: _Settings) -> SystemMean:
    human, judge = part["human"].notna(), part["judge"].notna()
    human_means = part[human].groupby("item")["human"].mean().to_numpy(dtype=float)
    common = part[judge].groupby("item")[["human", "judge"]].mean()
    labelled = int(common["human"].notna().sum())
    return SystemMean(
        name, bounded_mean(human_means, settings.scale), int(human.sum()), labelled, len(common) - labelled,
        int((human & judge).sum()), int((judge & ~human).sum()),
        _powered_mean(common["human"], common["judge"], settings) if settings.judged else None,
    )  # fmt: skip


def _powered_mean(human: pd.Series[float], judge: pd.Series[float], settings: _Settings) -> PoweredMean:
    human_scores, judge_scores = np.array(human, dtype=np.float64), np.array(judge, dtype=np.float64)
    known = np.isfinite(human_scores)
    estimate = powered_mean(
        human_scores[known],
        judge_scores[known],
        judge_scores[~known],
        ends=settings.scale,
        judge_ends=settings.of_judge,
    )
    return _require_random(estimate, settings.said)


def _require_random(estimate: PoweredMean, at_random: bool | None) -> PoweredMean:
    """Return the figures without the powered one where its assumption was not affirmed."""
    if at_random or estimate.powered.value is None or not estimate.powered.params.get("unlabelled"):
        return estimate
    reason = SAY_IF_RANDOM if at_random is None else NOT_RANDOM
    return replace(estimate, powered=undefined(reason, n=estimate.powered.n), gain=None)


def _system_difference(table: pd.DataFrame, first: str, second: str, settings: _Settings) -> SystemDifference:
    first_scores, second_scores = (
        table[table["system"] == name].set_index("item")[["judge", "human"]] for name in (first, second)
    )
    shared = first_scores.merge(second_scores, left_index=True, right_index=True, suffixes=("_a", "_b"))
    differences = pd.DataFrame(
        {"human": shared["human_a"] - shared["human_b"], "judge": shared["judge_a"] - shared["judge_b"]}
    )
    people = bounded_mean(
        differences["human"].dropna().to_numpy(dtype=float), _difference_ends(settings.scale)
    )
    judged = differences.dropna(subset="judge")
    labelled = int(judged["human"].notna().sum())
    powered = _powered_mean(judged["human"], judged["judge"], settings.apart()) if settings.judged else None
    return SystemDifference(first, second, people, labelled, len(judged) - labelled, powered)


def _share_of_right(table: pd.DataFrame, at_random: bool | None) -> Estimate:
    human, judge = table["human"].to_numpy(dtype=float), table["judge"].to_numpy(dtype=float)
    known = np.isfinite(human)
    if not at_random and not known.all():
        return undefined(SAY_IF_RANDOM if at_random is None else NOT_RANDOM, n=len(table))
    return rogan_gladen(human[known] >= 0.5, judge[known] >= 0.5, judge[~known] >= 0.5)


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
