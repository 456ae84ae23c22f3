"""Mean scores of systems by people alone, by a judge alone, and by a judge corrected with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.quality import PolicyInfo
from judgelab.analysis.scores import IN_USE, human_scores, only_criterion, project_scores
from judgelab.domain import DECISION
from judgelab.errors import NotFound
from judgelab.metaeval.aggregation import MEAN
from judgelab.metaeval.prediction_powered import PoweredMean, powered_mean, rogan_gladen
from judgelab.metaeval.result import Estimate, undefined
from judgelab.store.engine import Store
from judgelab.store.projects import find_project, update_project
from judgelab.wording import mark, sentence

RANDOM = "labelled_at_random"  # the project's setting: by criterion, what a person said of the labelled items
ASK = sentence("say first whether the items that people rated were drawn at random from the pool")
NOT_RANDOM = sentence("the items that people rated were not drawn at random from the pool")
MOST_SYSTEMS = 40


@dataclass(frozen=True)
class SystemMean:
    """One system's mean: by people, by the judge, by both; `labelled` and `unlabelled` count its items."""

    system: str
    labelled: int
    unlabelled: int
    mean: PoweredMean


@dataclass(frozen=True)
class SystemDifference:
    """How far the first system is ahead of the second, item by item."""

    first: str
    second: str
    labelled: int
    unlabelled: int
    difference: PoweredMean


@dataclass(frozen=True)
class Means:
    """System means of one criterion with one judge.

    Attributes:
        at_random: what was said of the labelled items; powered figures are undefined unless True.
        systems: by the people's mean, highest first; one row named "" where responses name no system.
        differences: of every two systems.
        share: of right answers in the pool by Rogan and Gladen, binary criteria only, else None.
    """

    project: str
    judge: str
    criterion: str
    at_random: bool | None
    systems: tuple[SystemMean, ...]
    differences: tuple[SystemDifference, ...]
    share: Estimate | None
    policy: PolicyInfo | None

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab means --json` prints."""
        return {
            "project": self.project,
            "judge": self.judge,
            "criterion": self.criterion,
            "labelled_at_random": self.at_random,
            "filter": None if self.policy is None else self.policy.to_json(),
            "systems": [
                {"system": s.system, "labelled": s.labelled, "unlabelled": s.unlabelled, **_json(s.mean)}
                for s in self.systems
            ],
            "differences": [
                {
                    "first": d.first, "second": d.second, "labelled": d.labelled, "unlabelled": d.unlabelled,
                    **_json(d.difference),
                }
                for d in self.differences
            ],
            "share": None if self.share is None else self.share.to_json(),
        }  # fmt: skip


def means(
    store: Store,
    slug: str,
    judge: str,
    *,
    criterion: str | None = None,
    at_random: bool | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
    seed: int = 0,
) -> Means:
    """Return the systems' means by people, by a judge, and by both together.

    Labelled are the responses people scored, unlabelled those only the judge did. Responses of one system to
    one item count as their mean, so that items are what the intervals stand on.

    Args:
        store: the database.
        slug: the project.
        judge: a judge or metric that scored everything.
        criterion: the only one of the project if not given.
        at_random: whether the labelled items are a random sample; what was recorded (`record_random`) if not
            given. Without a yes there are no powered figures.
        policy: the quality rule, as in `agreement_table`.
        decisions: whether adjudicated scores come before ratings.
        seed: of the bootstrap of Rogan and Gladen's share.

    Raises:
        NotFound: no such project, judge, criterion or rule.
        InvalidInput: several criteria and none was named.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    key = only_criterion(data, criterion)
    said = at_random if at_random is not None else recorded_random(data.project.settings, key)
    scores = data.scores[data.scores["criterion"] == key]
    others = scores[~scores["rater_kind"].isin(("human", DECISION))]
    if judge not in set(others["rater"]):
        raise NotFound(mark("judge or metric"), judge, sorted(set(others["rater"])))
    judged = others[others["rater"] == judge].groupby("response")["score"].mean().rename("judge")
    # Z-scores cannot stand beside the judge's points: as everywhere else, the mean does then.
    humans = human_scores(scores, data.aggregation if data.aggregation.on_scale else MEAN)
    labelled = humans.set_index("response")["human"] if len(humans) else pd.Series(dtype=float, name="human")
    places = scores.drop_duplicates("response").set_index("response")[["item", "system"]]
    table = places.join(judged, how="inner").join(labelled, how="left")
    table = table.groupby(["system", "item"], as_index=False)[["judge", "human"]].mean()
    rows = [
        SystemMean(str(name), *_counts(part), _asked(_powered(part["human"], part["judge"]), said))
        for name, part in table.groupby("system", sort=False)
    ]
    rows.sort(key=lambda row: -(row.mean.human.value if row.mean.human.value is not None else -np.inf))
    names = [row.system for row in rows][:MOST_SYSTEMS]
    differences = [_difference(table, first, second, said) for first, second in combinations(names, 2)]
    share = None
    if data.project.scales[key].kind == "binary":
        share = _share(table, said, seed)
    return Means(slug, judge, key, said, tuple(rows), tuple(differences), share, data.policy)


def record_random(store: Store, slug: str, criterion: str, *, at_random: bool) -> None:
    """Keep with the project whether the items people rated under a criterion were drawn at random.

    Raises `NotFound` for an unknown project or criterion.
    """
    with store.writing() as session:
        project = find_project(session, slug)
        project.criterion(criterion)
        said = {**project.settings.get(RANDOM, {}), criterion: at_random}
        update_project(session, project.id, settings={RANDOM: said})


def recorded_random(settings: Mapping[str, Any], criterion: str) -> bool | None:
    """Return what was recorded; None where nobody has said."""
    said = settings.get(RANDOM, {}).get(criterion)
    return None if said is None else bool(said)


def _counts(part: pd.DataFrame) -> tuple[int, int]:
    known = int(part["human"].notna().sum())
    return known, len(part) - known


def _powered(human: pd.Series[float], judge: pd.Series[float]) -> PoweredMean:
    h, j = np.array(human, dtype=np.float64), np.array(judge, dtype=np.float64)
    known = np.isfinite(h)
    return powered_mean(h[known], j[known], j[~known])


def _asked(found: PoweredMean, said: bool | None) -> PoweredMean:
    """Return the figures without the powered one where its assumption was not affirmed."""
    if said or found.powered.value is None or not found.powered.params.get("unlabelled"):
        return found
    why = ASK if said is None else NOT_RANDOM
    return replace(found, powered=undefined(why, n=found.powered.n), gain=None)


def _difference(table: pd.DataFrame, first: str, second: str, said: bool | None) -> SystemDifference:
    a, b = (table[table["system"] == name].set_index("item")[["judge", "human"]] for name in (first, second))
    both = a.merge(b, left_index=True, right_index=True, suffixes=("_a", "_b"))
    human, judge = both["human_a"] - both["human_b"], both["judge_a"] - both["judge_b"]
    known = int(human.notna().sum())
    return SystemDifference(first, second, known, len(both) - known, _asked(_powered(human, judge), said))


def _share(table: pd.DataFrame, said: bool | None, seed: int) -> Estimate:
    human, judge = table["human"].to_numpy(dtype=float), table["judge"].to_numpy(dtype=float)
    known = np.isfinite(human)
    if not said and not known.all():
        return undefined(ASK if said is None else NOT_RANDOM, n=len(table))
    return rogan_gladen(human[known] >= 0.5, judge[known] >= 0.5, judge[~known] >= 0.5, seed=seed)


def _json(found: PoweredMean) -> dict[str, Any]:
    return {
        "human": found.human.to_json(),
        "judge_only": found.judge.to_json(),
        "powered": found.powered.to_json(),
        "shift": found.shift.to_json(),
        "gain": found.gain,
    }
