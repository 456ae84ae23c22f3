"""A project's scores, with the people's ratings filtered by a quality rule."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.quality import PolicyInfo, in_use, named
from judgelab.annotation.quality import FilterOutcome, apply_filter
from judgelab.store import frames
from judgelab.store.engine import Store
from judgelab.store.projects import ProjectInfo, find_project

IN_USE = "in use"
NO_RULE = "none"


@dataclass(frozen=True)
class ProjectScores:
    """All scores of a project under one quality rule.

    Attributes:
        scores: the people's ratings that are kept, and every score of judges and metrics.
        humans: all ratings by people, kept or not.
        outcome: what the rule did; None without a rule.
        unscored: by judge, how many judgments hold no score.
    """

    project: ProjectInfo
    scores: pd.DataFrame
    humans: pd.DataFrame
    outcome: FilterOutcome | None
    policy: PolicyInfo | None
    unscored: dict[str, int]


def project_scores(store: Store, slug: str, *, policy: str = IN_USE) -> ProjectScores:
    """Return the project's scores under the rule `policy`: "in use", "none", or a rule's name."""
    with store.reading() as session:
        project = find_project(session, slug)
        scores = frames.score_frame(session, project.id)
        unscored = frames.unscored_counts(session, project.id)
    chosen = _policy(store, slug, policy)
    humans = scores[scores["rater_kind"] == "human"]
    if chosen is None:
        return ProjectScores(project, scores, humans, None, None, unscored)
    outcome = apply_filter(humans, chosen.policy, scales=project.scales)
    kept = pd.concat([outcome.kept, scores[scores["rater_kind"] != "human"]], ignore_index=True)
    return ProjectScores(project, kept, humans, outcome, chosen, unscored)


def fingerprint(store: Store, slug: str) -> str:
    """Return a word that changes whenever a figure of the project could change."""
    with store.reading() as session:
        return frames.fingerprint(session, find_project(session, slug).id)


def _policy(store: Store, slug: str, policy: str) -> PolicyInfo | None:
    if policy == NO_RULE:
        return None
    return in_use(store, slug) if policy == IN_USE else named(store, slug, policy)
