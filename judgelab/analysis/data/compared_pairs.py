"""A project's comparisons under one criterion, as scores of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.pair_scores import LONGER, PairScores, pair_scores
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.frames.preference_frames import (
    compared_keys,
    decided_frame,
    preference_frame,
    without_choice,
)
from judgelab.store.projects.projects import ProjectInfo, find_project
from judgelab.wording import sentence


@dataclass(frozen=True)
class ComparedPairs:
    """The comparisons under one criterion.

    Attributes:
        project: the project.
        criterion: the key of the criterion.
        preferences: the comparisons as given (`PREFERENCE_COLUMNS`).
        responses: the responses, without their texts.
        found: the comparisons as scores of pairs, with the choices that scores and lengths imply.
        missing: by judge, the number of its comparisons in files without a choice.
    """

    project: ProjectInfo
    criterion: str
    preferences: pd.DataFrame
    responses: pd.DataFrame
    found: PairScores
    missing: Mapping[str, int]


def compared_criteria(store: Store, slug: str) -> tuple[str, ...]:
    """Return the keys of the criteria under which people or judges compared responses, in order."""
    with store.reading() as session:
        return compared_keys(session, find_project(session, slug).id)


def compared_pairs(
    store: Store, slug: str, *, criterion: str | None = None, decisions: bool = False
) -> ComparedPairs:
    """Return the comparisons under a criterion, or under the only one that has some.

    With `decisions`, `found` also has adjudicators' decisions, which replace the raters' majority.

    Raises:
        NotFound: no such project or criterion.
        InvalidInput: nobody compared responses, or a criterion must be chosen.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        preferences = preference_frame(session, project.id)
        responses = score_frames.response_frame(session, project.id, answers=False)
        missing = without_choice(session, project.id)
        decided = decided_frame(session, project.id) if decisions else None
    key = _one_criterion(project, preferences, criterion)
    preferences = preferences[preferences["criterion"] == key]
    scores = snapshots.score_frame(store, project.id, kinds=("judge", "metric"))
    found = pair_scores(
        preferences,
        responses,
        scores=scores[scores["criterion"] == key],
        words=snapshots.word_counts(store, project.id),
        lower_is_better=[each.key for each in project.criteria if not each.higher_is_better],
        decisions=None if decided is None else decided[decided["criterion"] == key],
    )
    lost = {judge: n for (judge, of), n in missing.items() if of == key}
    return ComparedPairs(project, key, preferences, responses, found, lost)


def judges_of_pairs(store: Store, slug: str, *, criterion: str) -> tuple[str, ...]:
    """Return the judges and metrics with a choice under a criterion, those that compared pairs first."""
    found = compared_pairs(store, slug, criterion=criterion).found
    names = found.scores.loc[found.scores["rater_kind"] != "human", "rater"].unique()
    named = [str(name) for name in names if name != LONGER]
    return tuple(sorted(named, key=lambda name: (name in found.metrics, name in found.implied, name)))


def _one_criterion(project: ProjectInfo, preferences: pd.DataFrame, criterion: str | None) -> str:
    if criterion is not None:
        return project.criterion(criterion).key
    compared = set(preferences["criterion"])
    keys = [each.key for each in project.criteria if each.key in compared]
    if len(keys) == 1:
        return keys[0]
    if keys:
        raise InvalidInput(sentence("choose one criterion: {names}.", names=", ".join(keys)))
    raise InvalidInput(
        sentence("project '{project}' has no comparisons; import or collect some.", project=project.slug)
    )
