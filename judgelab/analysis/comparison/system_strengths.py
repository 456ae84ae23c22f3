"""Bradley-Terry strengths of a project's systems from pairwise comparisons, by people and by each judge."""

from __future__ import annotations

import pandas as pd

from judgelab.analysis.comparison.measured_strengths import StrengthTable, strength_rows
from judgelab.analysis.data.pair_filter import filter_choices
from judgelab.analysis.data.scores import IN_USE, chosen_filter
from judgelab.domain import DECISION
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.frames.preference_frames import decided_frame, preference_frame
from judgelab.store.projects.projects import find_project


def strength_table(
    store: Store,
    slug: str,
    *,
    criterion: str | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
    resamples: int = 200,
    seed: int = 0,
) -> StrengthTable:
    """Return Bradley-Terry strengths by people and by each judge, from choices and rankings.

    Comparisons within one system, or of responses that name none, are left out. A ranking counts as one
    choice for each pair of its responses. Intervals resample items. People's choices are those that the
    filter `policy` keeps: "in use", "none", or a filter's name. With `decisions`, an adjudicator's decision
    counts as the only choice of people in its pair.

    Raises:
        NotFound: no such project, criterion or filter.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        if criterion is not None:
            project.criterion(criterion)
        frame = preference_frame(session, project.id)
        responses = score_frames.response_frame(session, project.id, answers=False)
        decided = decided_frame(session, project.id) if decisions else None
    saved = chosen_filter(store, slug, policy)
    if saved is not None:
        keys = list(frame["criterion"].unique()) if criterion is None else [criterion]
        choices = filter_choices(frame, responses, saved.policy, keys=keys)
        frame = frame if choices is None else choices.preferences_left(frame)
    if decided is not None and len(decided):
        frame = pd.concat([frame, decided], ignore_index=True)
    if criterion is not None:
        frame = frame[frame["criterion"] == criterion]
    rows = strength_rows(frame, responses, resamples=resamples, seed=seed)
    count = int((frame["rater_kind"] == DECISION).sum()) if decisions else None
    return StrengthTable(slug, saved, rows, count)
