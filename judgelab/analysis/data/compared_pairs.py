"""A project's comparisons under one criterion, as scores of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.pair_filter import filter_choices
from judgelab.analysis.data.scores import IN_USE, NO_FILTER, chosen_filter
from judgelab.annotation.filters.apply_filter import FilterOutcome
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.pair_scores import PEOPLE, PairScores, pair_scores
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.frames.preference_frames import (
    compared_keys,
    decided_frame,
    preference_frame,
    without_choice,
)
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence


@dataclass(frozen=True)
class ComparedPairs:
    """The comparisons under one criterion.

    Attributes:
        project: the project.
        criterion: the key of the criterion.
        preferences: the comparisons as given (`PREFERENCE_COLUMNS`), people's if the filter keeps them, and
            adjudicators' decisions if they are used.
        responses: the responses, without their texts.
        found: the same comparisons as scores of pairs, with the choices that scores imply; agreement is
            measured on `found.measured`.
        missing: by judge, the number of its comparisons in files without a choice.
        rated_items: the items that people compared or decided about under any criterion, whatever the filter
            keeps; all resamples draw from them, as in `ProjectScores.rated_items`.
        policy: the filter; None without one.
        outcome: what the filter did; None without a filter, or if it is for other criteria.
    """

    project: ProjectInfo
    criterion: str
    preferences: pd.DataFrame
    responses: pd.DataFrame
    found: PairScores
    missing: Mapping[str, int]
    rated_items: pd.Index[Any]
    policy: FilterInfo | None = None
    outcome: FilterOutcome | None = None


def compared_criteria(store: Store, slug: str) -> tuple[str, ...]:
    """Return the keys of the criteria under which people or judges compared responses, in order."""
    with store.reading() as session:
        return compared_keys(session, find_project(session, slug).id)


def compared_pairs(
    store: Store,
    slug: str,
    *,
    criterion: str | None = None,
    decisions: bool = False,
    policy: str = IN_USE,
) -> ComparedPairs:
    """Return the comparisons under a criterion, or under the only one that has some.

    `policy` is the filter of people's choices: "in use", "none", or a filter's name. With `decisions`,
    `found` and `preferences` also have adjudicators' decisions, which replace the raters' choices of their
    pairs, whatever the filter keeps.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: nobody compared responses, or a criterion must be chosen.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        preferences = preference_frame(session, project.id)
        responses = score_frames.response_frame(session, project.id, answers=False)
        missing = without_choice(session, project.id)
        decided = decided_frame(session, project.id) if decisions else None
    key = _one_criterion(project, preferences, criterion)
    everything = preferences
    if decided is not None and len(decided):
        everything = pd.concat([preferences, decided], ignore_index=True)
    preferences = everything[everything["criterion"] == key]
    scores = snapshots.score_frame(store, project.id, kinds=("judge", "metric"))
    found = pair_scores(
        preferences,
        responses,
        scores=scores[scores["criterion"] == key],
        words=snapshots.word_counts(store, project.id),
        lower_is_better=[each.key for each in project.criteria if not each.higher_is_better],
    )
    lost = {judge: n for (judge, of), n in missing.items() if of == key}
    saved = chosen_filter(store, slug, policy)
    choices = None if saved is None else filter_choices(everything, responses, saved.policy, keys=(key,))
    items = _rated_items(project, everything)
    pairs = ComparedPairs(project, key, preferences, responses, found, lost, items, policy=saved)
    if choices is None:
        return pairs
    scores_left = choices.scores_left(found.scores, found.pairs).reset_index(drop=True)
    return replace(
        pairs,
        preferences=choices.preferences_left(preferences),
        found=replace(found, scores=scores_left),
        outcome=choices.outcome,
    )


def judges_of_pairs(store: Store, slug: str, *, criterion: str) -> tuple[str, ...]:
    """Return the judges and metrics with a choice under a criterion, those that compared pairs first."""
    project, preferences, _ = _comparisons(store, slug, criterion)
    scores = snapshots.score_frame(store, project.id, kinds=("judge", "metric"))
    if not (scores["criterion"] == criterion).any():  # no choice follows from scores
        return tuple(sorted(preferences.loc[preferences["rater_kind"] == "judge", "rater"].unique()))
    found = compared_pairs(store, slug, criterion=criterion, policy=NO_FILTER).found.measured
    names = map(str, found.scores.loc[found.scores["rater_kind"] != "human", "rater"].unique())
    return tuple(sorted(names, key=lambda name: (name in found.metrics, name in found.implied, name)))


def compared_systems(store: Store, slug: str, *, criterion: str) -> tuple[tuple[str, str], ...]:
    """Return the two systems of each pair that people compared, without repeats; "" for a response of none.

    It is empty if no person compared responses under the criterion.
    """
    _, preferences, responses = _comparisons(store, slug, criterion)
    pairs = pair_scores(preferences[preferences["rater_kind"] == "human"], responses).pairs
    sides = pairs[["system_first", "system_second"]].drop_duplicates()
    return tuple((str(first), str(second)) for first, second in sides.to_numpy())


def _comparisons(store: Store, slug: str, criterion: str) -> tuple[ProjectInfo, pd.DataFrame, pd.DataFrame]:
    """Return the project, its comparisons under a criterion, and its responses without their texts."""
    with store.reading() as session:
        project = find_project(session, slug)
        preferences = preference_frame(session, project.id)
        responses = score_frames.response_frame(session, project.id, answers=False)
    return project, preferences[preferences["criterion"] == criterion], responses


def _rated_items(project: ProjectInfo, preferences: pd.DataFrame) -> pd.Index[Any]:
    """Return the items of people's comparisons, then those of decisions, by criterion in their order."""
    by_people = [preferences[preferences["rater_kind"] == kind] for kind in PEOPLE]
    parts = [
        part.loc[part["criterion"] == each.key, "item"] for part in by_people for each in project.criteria
    ]
    items: pd.Index[Any] = pd.Index(pd.concat(parts).unique())
    return items


def _one_criterion(project: ProjectInfo, preferences: pd.DataFrame, criterion: str | None) -> str:
    if criterion is not None:
        return project.criterion(criterion).key
    compared = set(preferences["criterion"].unique())
    keys = [each.key for each in project.criteria if each.key in compared]
    if len(keys) == 1:
        return keys[0]
    if keys:
        raise InvalidInput(sentence("choose one criterion: {names}.", names=", ".join(keys)))
    raise InvalidInput(
        sentence("project '{project}' has no comparisons; import or collect some.", project=project.slug)
    )
