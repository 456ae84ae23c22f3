"""A project's scores, with the people's ratings filtered."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd

from judgelab.analysis.data import juries
from judgelab.analysis.data.filter_info import UNSAVED, FilterInfo
from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.project_scores import ProjectScores, aggregation_on, unit_tables_of
from judgelab.analysis.data.saved_filters import filter_in_use, find_filter, load_rater_controls
from judgelab.analysis.data.write_cache import WriteCache
from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.metaeval.core.units import UnitTable
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.judging.judges import judges_on_own_scale
from judgelab.store.judging.manual_scores import entered_by_judge
from judgelab.store.judging.no_scores import missing_by_judge, passed_by_people
from judgelab.store.projects.projects import find_project

IN_USE = "in use"
NO_FILTER = "none"
MOST_ROWS = 4_000_000  # about 120 bytes each, many of them shared


_cache: WriteCache[ProjectScores] = WriteCache(MOST_ROWS)


def project_scores(
    store: Store,
    slug: str,
    *,
    policy: str | FilterPolicy = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
) -> ProjectScores:
    """Return the project's scores under the filter `policy`: "in use", "none", a name, or one not saved.

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
    policy: str | FilterPolicy = IN_USE,
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


def forget(url: str) -> None:
    """Drop the scores that are kept of a database that is gone."""
    snapshots.forget(url)
    _cache.forget(url)


def _count_rows(data: ProjectScores) -> int:
    kept = 0 if data.outcome is None else len(data.outcome.kept)
    return len(data.scores) + len(data.humans) + kept


def _load_scores(
    store: Store, slug: str, *, policy: str | FilterPolicy, aggregate: str | None, decisions: bool
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
    aggregation = aggregation_on(project, aggregation)
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
    words = snapshots.word_counts(store, data.project.id) if data.compared is None else None
    return unit_tables_of(data, scores, words=words)


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


def chosen_filter(store: Store, slug: str, policy: str | FilterPolicy) -> FilterInfo | None:
    """Return the filter `policy`: the one in use, none, the newest of this name, or one not saved."""
    if isinstance(policy, FilterPolicy):
        return FilterInfo(
            "filter", UNSAVED, policy, in_use=False, locked_at=None, created_at=datetime.now(UTC)
        )
    if policy == NO_FILTER:
        return None
    return filter_in_use(store, slug) if policy == IN_USE else find_filter(store, slug, policy)
