"""A project's scores for the cells of its tables, each statistic computed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, TypeVar

import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.project_scores import ALL_CRITERIA, ProjectScores
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.metaeval.core.aggregation import Aggregation
from judgelab.store.db.engine import Session, Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.no_scores import missing_by_part
from judgelab.store.judging.unscored_counts import UnscoredCounts, sum_missing
from judgelab.store.prepared.derived import rated_responses
from judgelab.store.prepared.reference_lists import list_sets
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.metric_scores import options_of

T = TypeVar("T")
STUDY_DATASET = "study_dataset"  # the project setting that names its data set


@dataclass(frozen=True)
class Material:
    """Scores of a project under one quality rule, or of a part of its items.

    Attributes:
        store: where further material (texts, replies) can be read.
        scores: the long frame (`SCORE_COLUMNS`): people's ratings that are kept, all judges, all metrics.
        judges: the project's judges by name.
        aggregation: how people's ratings are aggregated to one score.
        policy: the quality rule; None without one.
        rated_items: all items that people rated, with their groups, as in `ProjectScores`.
        resamples: resamples of the intervals.
        seed: of the resampling.
        only_groups: the groups of items it is limited to; empty for all.
        without: judgments without a score by judge, criterion ("*" for all at once), group, system.
        common: numbers of responses that all of some raters, and that any of them, have scored, if the
            material is limited to the former.
        lists: source and pattern of the project's sets of reference lists by name.
        metric_options: the options by the name of each metric; empty for numbers that were imported.
    """

    store: Store
    project: ProjectInfo
    scores: pd.DataFrame
    judges: Mapping[str, JudgeInfo]
    aggregation: Aggregation
    policy: FilterInfo | None
    rated_items: pd.Series[str]
    resamples: int = 1000
    seed: int = 0
    only_groups: tuple[str, ...] = ()
    without: Mapping[tuple[str, str, str, str], UnscoredCounts] = field(default_factory=dict)
    common: tuple[int, int] | None = None
    lists: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    metric_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return the result of `make`, computed once for this material."""
        if key not in self.cache:
            self.cache[key] = make()
        value: T = self.cache[key]
        return value

    @property
    def groups(self) -> list[str]:
        """Return the names of the groups of items, empty ones left out."""
        return self.once("groups", lambda: sorted({str(g) for g in self.scores["group"].unique() if str(g)}))

    @property
    def groups_rated(self) -> list[str]:
        """Return the names of the groups in which people rated."""
        people = self.scores["rater_kind"] == "human"
        return self.once(
            "groups rated", lambda: sorted({str(g) for g in self.scores.loc[people, "group"] if str(g)})
        )

    @property
    def drawn_items(self) -> pd.Index[Any]:
        """Return the items that resamples draw from: all that people rated in the groups it is limited to."""
        items = self.rated_items
        return (items[items.isin(self.only_groups)] if self.only_groups else items).index

    @property
    def systems(self) -> list[str]:
        """Return the names of systems in the order of the data."""
        return self.once("systems", lambda: [str(s) for s in dict.fromkeys(self.scores["system"]) if str(s)])

    @property
    def criteria(self) -> list[str]:
        """Return the keys of the criteria under which people rated, in the project's order."""
        rated = self.once(
            "criteria", lambda: set(self.scores.loc[self.scores["rater_kind"] == "human", "criterion"])
        )
        return [criterion.key for criterion in self.project.criteria if criterion.key in rated]

    @property
    def raters(self) -> dict[str, str]:
        """Return every judge and metric that has scores, with its kind."""

        def raters_with_scores() -> dict[str, str]:
            not_people = self.scores[self.scores["rater_kind"].isin(("judge", "metric"))]
            pairs = not_people[["rater", "rater_kind"]].drop_duplicates()
            return {str(name): str(kind) for name, kind in pairs.itertuples(index=False)}

        return self.once("raters", raters_with_scores)

    @property
    def own_scale(self) -> frozenset[str]:
        """Return the judges whose scores are wins, ranks or votes, not points of the criterion's scale."""
        return frozenset(name for name, judge in self.judges.items() if judge.own_scale)

    def encoder(self, metric: str) -> str:
        """Return the name of the encoder that a metric was computed with; "" where it needs none."""
        return PurePath(str(self.metric_options.get(metric, {}).get("encoder") or "")).name

    def without_score(self, judge: str, criterion: str = "", systems: Sequence[str] = ()) -> UnscoredCounts:
        """Return how many judgments of a judge have no score.

        Args:
            judge: the judge's name.
            criterion: only judgments under this criterion, if it is a rated one.
            systems: only those of responses of these systems, if any are given.
        """
        criteria = (criterion, ALL_CRITERIA) if criterion in self.criteria else ()
        return sum_missing(
            count
            for (name, under, group, system), count in self.without.items()
            if name == judge
            and (not criteria or under in criteria)
            and (not self.only_groups or group in self.only_groups)
            and (not systems or system in systems)
        )

    def of_groups(self, groups: Sequence[str]) -> Material:
        """Return the material of the items in these groups."""
        names = tuple(groups)

        def cut() -> Material:
            part = self.scores[self.scores["group"].isin(names)]
            return replace(self, scores=part, only_groups=names, cache={})

        return self.once(("groups", names), cut)

    def of_common(self, raters: Collection[str], *, by_group: bool = False) -> Material:
        """Return the material of the responses that all of these raters have scored.

        `by_group` asks this in each group of only the raters with scores there.
        """
        names = frozenset(raters)

        def cut() -> Material:
            not_people = self.scores[self.scores["rater_kind"].isin(("judge", "metric"))]
            scored = not_people[not_people["rater"].isin(names)].dropna(subset=["score"])
            groups = scored.groupby("group", dropna=False, sort=False) if by_group else [("", scored)]
            shared: set[int] = set().union(*(_scored_by_all(rows) for _group, rows in groups))
            people = self.scores["rater_kind"] == "human"
            rated = set(self.scores.loc[people, "response"])
            counts = len(shared & rated), len(set(scored["response"]) & rated)
            part = self.scores[self.scores["response"].isin(shared)]
            return replace(self, scores=part, common=counts, cache={})

        return self.once(("common", names, by_group), cut) if names else self


def _scored_by_all(scored: pd.DataFrame) -> set[int]:
    """Return the responses that each rater of these rows has scored."""
    by_rater = [set(rows["response"]) for _name, rows in scored.groupby("rater", sort=False)]
    return set.intersection(*by_rater) if by_rater else set()


def load(store: Store, slug: str, *, policy: str = IN_USE, resamples: int = 1000, seed: int = 0) -> Material:
    """Return the material of a project; raises `NotFound`."""
    project_scores_ = project_scores(store, slug, policy=policy)
    with store.reading() as session:
        judges = {judge.name: judge for judge in list_judges(session, project_scores_.project.id)}
        lists = {
            list_set.name: (list_set.source, list_set.pattern)
            for list_set in list_sets(session, project_scores_.project.id)
        }
        metric_options = _metric_options(session, project_scores_)
        without = missing_by_part(session, project_scores_.project.id)
    return Material(
        store=store,
        project=project_scores_.project,
        scores=project_scores_.scores,
        judges=judges,
        aggregation=project_scores_.aggregation,
        policy=project_scores_.policy,
        rated_items=project_scores_.rated_items,
        resamples=resamples,
        seed=seed,
        without=without,
        lists=lists,
        metric_options=metric_options,
    )


def rated_counts(store: Store, slug: str) -> tuple[int, dict[str, int]]:
    """Return how many responses there are, and by criterion how many of them have a human score."""
    with store.reading() as session:
        project = find_project(session, slug)
        rated = {
            criterion.key: len(rated_responses(session, project.id, criterion.key))
            for criterion in project.criteria
        }
        return len(response_frame(session, project.id)), rated


def _metric_options(session: Session, scores: ProjectScores) -> dict[str, Mapping[str, Any]]:
    scored = scores.scores.loc[scores.scores["rater_kind"] == "metric", "rater"].unique()
    return {str(metric): options_of(session, scores.project.id, str(metric)) or {} for metric in scored}
