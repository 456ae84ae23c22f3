"""Mean scores of systems by people alone, by a judge alone, and by a judge corrected with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.data.saved_filters import PolicyInfo
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

RANDOM = "labelled_at_random"  # the project's setting: by criterion, what a person said of the labelled items
ASK = sentence("say first whether the items that people rated were drawn at random from the pool")
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
class Means:
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
                {
                    "system": s.system, "human": s.people.to_json(), "rated_responses": s.rated,
                    **({} if s.mean is None else _json(s.mean, s.labelled, s.unlabelled)),
                }
                for s in self.systems
            ],
            "differences": [
                {
                    "first": d.first, "second": d.second, "human": d.people.to_json(),
                    **({} if d.difference is None else _json(d.difference, d.labelled, d.unlabelled)),
                }
                for d in self.differences
            ],
            "share": None if self.share is None else self.share.to_json(),
        }  # fmt: skip


def means(
    store: Store,
    slug: str,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    at_random: bool | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
) -> Means:
    """Return the systems' means by people, by a judge, and by both together.

    The people's mean stands on all that they rated. Labelled are the items people and the judge both scored,
    unlabelled those only the judge did. Responses of one system to one item count as their mean, so that
    items are what the intervals stand on.

    Args:
        store: the database.
        slug: the project.
        judge: a judge or metric that scored everything; None for the people's means alone.
        criterion: the only one of the project if not given.
        at_random: whether the labelled items are a random sample; what was recorded (`record_random`) if not
            given. Without a yes there are no powered figures.
        policy: the quality rule, as in `agreement_table`.
        decisions: whether adjudicated scores come before ratings.

    Raises:
        NotFound: no such project, judge, criterion or rule.
        InvalidInput: several criteria and none was named.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    key = only_criterion(data, criterion)
    said = at_random if at_random is not None else recorded_random(data.project.settings, key)
    scores = data.scores[data.scores["criterion"] == key]
    others = scores[~scores["rater_kind"].isin(("human", DECISION))]
    if judge is not None and judge not in set(others["rater"]):
        raise NotFound(mark("judge or metric"), judge, sorted(set(others["rater"])))
    # Z-scores cannot stand beside the judge's points: as everywhere else, the mean does then.
    humans = human_scores(scores, data.aggregation if data.aggregation.on_scale else MEAN)
    labelled = humans.set_index("response")["human"] if len(humans) else pd.Series(dtype=float, name="human")
    judged = others[others["rater"] == judge].groupby("response")["score"].mean().rename("judge")
    places = scores.drop_duplicates("response").set_index("response")[["item", "system"]]
    responses = (
        places.join(judged, how="left")
        .join(labelled, how="left")
        .dropna(how="all", subset=["judge", "human"])
    )
    scale = scale_ends(data.project.scales[key])
    own = judged.to_numpy(dtype=float)
    fits = scale is not None and bool(((own >= scale[0]) & (own <= scale[1])).all())
    of_judge = scale if fits and judge not in data.own_scale and judge in _judges(others) else None
    asked = _Asked(judge is not None, said, scale, of_judge)
    rows = [_row(str(name), part, asked) for name, part in responses.groupby("system", sort=False)]
    rows.sort(key=lambda row: -(row.people.value if row.people.value is not None else -np.inf))
    names = [row.system for row in rows][:MOST_SYSTEMS]
    table = responses.groupby(["system", "item"], as_index=False)[["judge", "human"]].mean()
    differences = [_difference(table, first, second, asked) for first, second in combinations(names, 2)]
    share = None
    if judge is not None and data.project.scales[key].kind == "binary":
        share = _share(table.dropna(subset="judge"), said)
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


class _Asked(NamedTuple):
    """Whether a judge is asked for, what was said of the labelled items, and the ends of both scales."""

    judged: bool
    said: bool | None
    scale: Ends | None
    of_judge: Ends | None

    def apart(self) -> _Asked:
        """Return the same for differences of two scores."""
        return self._replace(scale=_apart(self.scale), of_judge=_apart(self.of_judge))


def _apart(ends: Ends | None) -> Ends | None:
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])


def _judges(others: pd.DataFrame) -> set[str]:
    return set(others.loc[others["rater_kind"] == "judge", "rater"])


def _row(name: str, part: pd.DataFrame, asked: _Asked) -> SystemMean:
    human, judge = part["human"].notna(), part["judge"].notna()
    by_item = part[human].groupby("item")["human"].mean().to_numpy(dtype=float)
    common = part[judge].groupby("item")[["human", "judge"]].mean()
    known = int(common["human"].notna().sum())
    return SystemMean(
        name, bounded_mean(by_item, asked.scale), int(human.sum()), known, len(common) - known,
        int((human & judge).sum()), int((judge & ~human).sum()),
        _powered(common["human"], common["judge"], asked) if asked.judged else None,
    )  # fmt: skip


def _powered(human: pd.Series[float], judge: pd.Series[float], asked: _Asked) -> PoweredMean:
    h, j = np.array(human, dtype=np.float64), np.array(judge, dtype=np.float64)
    known = np.isfinite(h)
    found = powered_mean(h[known], j[known], j[~known], ends=asked.scale, judge_ends=asked.of_judge)
    return _as_said(found, asked.said)


def _as_said(found: PoweredMean, said: bool | None) -> PoweredMean:
    """Return the figures without the powered one where its assumption was not affirmed."""
    if said or found.powered.value is None or not found.powered.params.get("unlabelled"):
        return found
    why = ASK if said is None else NOT_RANDOM
    return replace(found, powered=undefined(why, n=found.powered.n), gain=None)


def _difference(table: pd.DataFrame, first: str, second: str, asked: _Asked) -> SystemDifference:
    a, b = (table[table["system"] == name].set_index("item")[["judge", "human"]] for name in (first, second))
    both = a.merge(b, left_index=True, right_index=True, suffixes=("_a", "_b"))
    apart = pd.DataFrame(
        {"human": both["human_a"] - both["human_b"], "judge": both["judge_a"] - both["judge_b"]}
    )
    people = bounded_mean(apart["human"].dropna().to_numpy(dtype=float), _apart(asked.scale))
    judged = apart.dropna(subset="judge")
    known = int(judged["human"].notna().sum())
    found = _powered(judged["human"], judged["judge"], asked.apart()) if asked.judged else None
    return SystemDifference(first, second, people, known, len(judged) - known, found)


def _share(table: pd.DataFrame, said: bool | None) -> Estimate:
    human, judge = table["human"].to_numpy(dtype=float), table["judge"].to_numpy(dtype=float)
    known = np.isfinite(human)
    if not said and not known.all():
        return undefined(ASK if said is None else NOT_RANDOM, n=len(table))
    return rogan_gladen(human[known] >= 0.5, judge[known] >= 0.5, judge[~known] >= 0.5)


def _json(found: PoweredMean, labelled: int, unlabelled: int) -> dict[str, Any]:
    return {
        "labelled": labelled,
        "unlabelled": unlabelled,
        "human_where_judged": found.human.to_json(),
        "judge_only": found.judge.to_json(),
        "powered": found.powered.to_json(),
        "shift": found.shift.to_json(),
        "gain": found.gain,
    }
