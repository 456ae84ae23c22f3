"""A project's scores, with the people's ratings filtered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from judgelab.analysis.data import juries
from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.saved_filters import filter_in_use, find_filter, load_rater_controls
from judgelab.analysis.data.write_cache import WriteCache
from judgelab.annotation.filters.apply_filter import FilterOutcome, apply_filter
from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MEAN, Aggregation, aggregation_of_labels
from judgelab.metaeval.core.statistic_defaults import StatisticDefaults, defaults_for_scales
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.judging.judges import judges_on_own_scale
from judgelab.store.judging.manual_scores import entered_by_judge
from judgelab.store.judging.no_scores import missing_by_judge, passed_by_people
from judgelab.store.judging.unscored_counts import UnscoredCounts, sum_missing
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence

IN_USE = "in use"
NO_FILTER = "none"
ALL_CRITERIA = "*"
MOST_ROWS = 4_000_000  # about 120 bytes each, many of them shared


@dataclass(frozen=True)
class ProjectScores:
    """All scores of a project under one filter.

    Attributes:
        project: the project.
        scores: the people's ratings that are kept, and all scores of judges and metrics; of pairs, without
            those on which a margin for a tie was chosen (`ComparedUnits.examples`).
        humans: all ratings by people, kept or not.
        outcome: what the filter did; None without a filter.
        policy: the filter; None without one.
        unscored_by_criterion: counts of judgments without a score, by judge and criterion ("*" for judgments
            of all criteria at once).
        aggregation: how the people's ratings of a response become one score.
        n_decided: number of scores decided by an adjudicator; None if decisions are not used.
        entered_by_hand: by judge, number of scores that a person read in a reply and entered by hand.
        own_scale: judges whose scores (wins, ranks, votes) are not on the criteria's scales.
        rated_per_item: number of rated responses, kept or not, of the item that has most of them.
        cannot_judge: by criterion, number of ratings that say "cannot judge"; they are no scores.
        compared: the pairs, if the scores are of pairs of responses (`compared_scores`); otherwise None.
    """

    project: ProjectInfo
    scores: pd.DataFrame
    humans: pd.DataFrame
    outcome: FilterOutcome | None
    policy: FilterInfo | None
    unscored_by_criterion: Mapping[tuple[str, str], UnscoredCounts]
    aggregation: Aggregation = MEAN
    n_decided: int | None = None
    entered_by_hand: Mapping[str, int] = field(default_factory=dict)
    own_scale: frozenset[str] = frozenset()
    rated_per_item: int = 0
    cannot_judge: Mapping[str, int] = field(default_factory=dict)
    compared: ComparedUnits | None = None

    @property
    def defaults(self) -> StatisticDefaults:
        """Return the project's default coefficient, level and aggregation; of comparisons, accuracy first."""
        defaults = defaults_for_scales(self.project.scales.values())
        return defaults if self.compared is None else replace(defaults, coefficients=("exact", "kappa"))

    def decided_under(self, criterion: str) -> int | None:
        """Return the number of decided scores under one criterion; None if decisions are not used."""
        if self.n_decided is None:
            return None
        decided = self.scores["rater_kind"] == DECISION
        return int((decided & (self.scores["criterion"] == criterion)).sum())

    @property
    def level(self) -> str:
        """Return the default level of agreement; it does not depend on the filter."""
        return self.defaults.level(self.rated_per_item)

    @property
    def with_examples(self) -> pd.DataFrame:
        """Return `scores` together with those of pairs on which a margin for a tie was chosen."""
        examples = None if self.compared is None else self.compared.examples
        return self.scores if examples is None else pd.concat([self.scores, examples], ignore_index=True)

    @property
    def kept_ratings(self) -> pd.DataFrame:
        """Return people's ratings that the filter keeps, those of pairs on which a margin was chosen too."""
        kept = self.with_examples
        return kept[kept["rater_kind"] == "human"]

    @cached_property
    def rated_items(self) -> pd.Series[str]:
        """Return the items that people rated or decided about under any criterion, with their groups.

        They do not depend on the filter. All resamples draw from them, so that figures of one criterion, or
        under a filter, have the intervals that they have in a table of all criteria.
        """
        everything = self.with_examples
        decided = everything[everything["rater_kind"] == DECISION]
        by_people = pd.concat([self.humans[["item", "group", "score"]], decided[["item", "group", "score"]]])
        by_people = by_people[by_people["score"].notna()].drop_duplicates("item")
        return by_people.set_index("item")["group"]

    @property
    def on_scale_aggregation(self) -> Aggregation:
        """Return the aggregation, or the mean if it gives z-scores, which are not on the scale."""
        return self.aggregation if self.aggregation.on_scale else MEAN

    @property
    def unscored(self) -> dict[str, UnscoredCounts]:
        """Return counts of judgments without a score, by judge."""
        counts_by_judge: dict[str, list[UnscoredCounts]] = {}
        for (judge, _), count in self.unscored_by_criterion.items():
            counts_by_judge.setdefault(judge, []).append(count)
        return {judge: sum_missing(counts) for judge, counts in counts_by_judge.items()}

    def unscored_of(self, judge: str, criterion: str) -> UnscoredCounts:
        """Return counts of a judge's judgments without a score under one criterion."""
        return unscored_under(self.unscored_by_criterion, judge, [criterion])


def unscored_under(
    by_criterion: Mapping[tuple[str, str], UnscoredCounts], judge: str, criteria: Iterable[str]
) -> UnscoredCounts:
    """Return counts of a judge's judgments without a score under some criteria; those of all count once."""
    return sum_missing(
        count for key in {*criteria, ALL_CRITERIA} if (count := by_criterion.get((judge, key))) is not None
    )


_cache: WriteCache[ProjectScores] = WriteCache(MOST_ROWS)


def project_scores(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
) -> ProjectScores:
    """Return the project's scores under the filter `policy`: "in use", "none", or a filter's name.

    `aggregate` overrides how the filter aggregates ratings; without a filter the default is the mean. With
    `decisions`, `scores` also has adjudicators' decisions as rows of kind "decision": each is the human score
    of its response, whatever its ratings are and even if the filter keeps none of them. Juries whose members
    have changed are recomputed first.
    """
    juries.refresh_juries(store, slug, lambda: _human_scores_in_use(store, slug))
    return _cached_scores(store, slug, policy=policy, aggregate=aggregate, decisions=decisions)


def _cached_scores(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
) -> ProjectScores:
    def make() -> ProjectScores:
        return _load_scores(store, slug, policy=policy, aggregate=aggregate, decisions=decisions)

    data = _cache.get(store, (slug, policy, aggregate, decisions), make, rows=_count_rows)
    # Callers may add columns to their copy.
    return replace(data, scores=data.scores.copy(deep=False), humans=data.humans.copy(deep=False))


def clear_caches() -> None:
    """Clear the caches of all projects, so that benchmarks can time a cold start."""
    snapshots.clear()
    _cache.clear()


def _count_rows(data: ProjectScores) -> int:
    kept = 0 if data.outcome is None else len(data.outcome.kept)
    return len(data.scores) + len(data.humans) + kept


def _load_scores(
    store: Store, slug: str, *, policy: str, aggregate: str | None, decisions: bool
) -> ProjectScores:
    with store.reading() as session:
        project = find_project(session, slug)
        unscored, passed = missing_by_judge(session, project.id), passed_by_people(session, project.id)
        entered = entered_by_judge(session, project.id)
        own_scale = judges_on_own_scale(session, project.id)
        rated_per_item = score_frames.rated_per_item(session, project.id)
        decision_rows = score_frames.decision_frame(session, project.id) if decisions else None
    scores = snapshots.score_frame(store, project.id)
    saved = chosen_filter(store, slug, policy)
    human_rows = int((scores["rater_kind"] == "human").sum())
    # People's scores come first, so both parts are slices: a boolean mask would copy every row.
    humans, others = scores.iloc[:human_rows], scores.iloc[human_rows:]
    default_aggregation = defaults_for_scales(project.scales.values()).aggregation
    filter_aggregation = default_aggregation if saved is None else saved.policy.aggregation
    aggregation = filter_aggregation if aggregate is None else replace(filter_aggregation, method=aggregate)
    if project.scales and not any(scale.ordered for scale in project.scales.values()):
        aggregation = aggregation_of_labels(aggregation)
    n_decided = None if decision_rows is None else len(decision_rows)
    added = [] if decision_rows is None or decision_rows.empty else [decision_rows]
    if saved is None:
        outcome = None
        kept = pd.concat([scores, *added], ignore_index=True) if added else scores
    else:
        controls = load_rater_controls(store, project, saved.policy)
        outcome = apply_filter(humans, saved.policy, scales=project.scales, controls=controls)
        kept = pd.concat([outcome.kept, others, *added], ignore_index=True)
    return ProjectScores(
        project,
        kept,
        humans,
        outcome,
        saved,
        unscored,
        aggregation,
        n_decided,
        entered,
        own_scale,
        rated_per_item,
        passed,
    )


def build_unit_tables(store: Store, data: ProjectScores, scores: pd.DataFrame) -> list[UnitTable]:
    """Return unit tables of these scores, with judges, metrics and trivial baselines to measure."""
    options: dict[str, Any] = {"scales": data.project.scales, "drawn_items": data.rated_items.index}
    if data.compared is not None:
        return unit_tables(scores, data.aggregation, longer=data.compared.longer, **options)
    words = snapshots.word_counts(store, data.project.id)
    return unit_tables(scores, data.aggregation, words=words, **options)


def resolve_criterion(data: ProjectScores, criterion: str | None) -> str:
    """Return the key of the criterion, or of the project's only one; raises `InvalidInput` otherwise."""
    if criterion is not None:
        return data.project.criterion(criterion).key
    keys = [criterion.key for criterion in data.project.criteria]
    if not keys:
        raise InvalidInput(
            sentence(
                "project '{project}' has no criteria yet; add one or import ratings.",
                project=data.project.slug,
            )
        )
    if len(keys) != 1:
        raise InvalidInput(sentence("choose one criterion: {names}.", names=", ".join(keys)))
    return keys[0]


def scored_by_people(scores: pd.DataFrame) -> pd.Series[bool]:
    """Return which scores are by people: ratings and adjudicators' decisions."""
    return scores["rater_kind"].isin(("human", DECISION))


def _human_scores_in_use(store: Store, slug: str) -> pd.DataFrame:
    """Return the human scores from which juries learn, under the filter in use."""
    data = _cached_scores(store, slug)
    return human_scores(data.scores, data.on_scale_aggregation, scales=data.project.scales)


def fingerprint(store: Store, slug: str) -> str:
    """Return a fingerprint that changes whenever any result of the project could change.

    It has three parts joined by dashes; the second covers judges and metrics, the last ratings.
    """
    juries.refresh_juries(store, slug, lambda: _human_scores_in_use(store, slug))
    with store.reading() as session:
        project = find_project(session, slug)
    return snapshots.fingerprint(store, project.id)


def chosen_filter(store: Store, slug: str, policy: str) -> FilterInfo | None:
    """Return the saved filter `policy`: the one in use, none, or the newest version with this name."""
    if policy == NO_FILTER:
        return None
    return filter_in_use(store, slug) if policy == IN_USE else find_filter(store, slug, policy)
