"""Pairs on which a judge picks another winner than the raters, and what everybody chose there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.store.db.engine import Store
from judgelab.store.frames import details
from judgelab.store.frames.comparison_details import GivenChoice, given_choices
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.projects.projects import find_project

COLUMNS = (
    *("first", "second", "item", "question", "system_first", "system_second"),
    *("n_first", "n_tie", "n_second", "raters", "judge", "agreeing"),
)


@dataclass(frozen=True)
class PairDetail:
    """Two responses with everybody's choices.

    Attributes:
        first: the response whose system (or id) comes first by name.
        second: the other one.
        choices: people's choices, then judges', by name; `chosen` and `shown_first` are row ids.
    """

    first: ResponseDetail
    second: ResponseDetail
    choices: tuple[GivenChoice, ...]


def choice_differences(store: Store, slug: str, *, criterion: str, judge: str) -> pd.DataFrame:
    """Return the pairs that people and the judge compared, those with the fewest raters on its side first.

    Of these, pairs whose raters chose the opposite winner come before those on which either has a tie.

    Columns (`COLUMNS`): the two responses by row id, `n_first`, `n_tie` and `n_second` raters who chose so,
    `raters` and `judge` the label (1 first, 2 tie, 3 second) of most raters (missing without a majority) and
    of the judge, `agreeing` the share of raters who chose as the judge.
    """
    pairs = compared_pairs(store, slug, criterion=criterion)
    found, responses = pairs.found, pairs.responses
    people = found.scores[found.scores["rater_kind"] == "human"]
    counts = people.groupby(["response", "score"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=[FIRST, TIE, SECOND], fill_value=0)
    judged = found.scores[(found.scores["rater"] == judge) & (found.scores["rater_kind"] != "human")]
    labels = judged.set_index("response")["score"]
    counts = counts[counts.index.isin(labels.index)]
    rows = found.pairs.set_index("pair").loc[counts.index].reset_index(drop=True)
    votes, label = counts.to_numpy(), labels.reindex(counts.index).to_numpy()
    most = votes.max(axis=1)
    decided = (votes == most[:, None]).sum(axis=1) == 1
    frame = rows.assign(
        question=responses.set_index("response")["question"].reindex(rows["first"]).to_numpy(),
        n_first=votes[:, 0],
        n_tie=votes[:, 1],
        n_second=votes[:, 2],
        raters=np.where(decided, votes.argmax(axis=1) + FIRST, np.nan),
        judge=label,
        agreeing=votes[np.arange(len(votes)), (label - FIRST).astype(int)] / votes.sum(axis=1),
    )
    size = votes.sum(axis=1)
    opposed = np.where(label == FIRST, votes[:, 2], np.where(label == SECOND, votes[:, 0], 0)) / size
    frame = frame.assign(opposed=opposed, size=size).sort_values(
        ["agreeing", "opposed", "size"], ascending=[True, False, False], kind="stable"
    )
    return frame[list(COLUMNS)].reset_index(drop=True)


def pair_detail(store: Store, slug: str, *, criterion: str, first: int, second: int) -> PairDetail:
    """Return two responses of an item with everybody's choices between them.

    Raises:
        NotFound: no such project, criterion or response.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        project.criterion(criterion)
        return PairDetail(
            details.response_detail(session, project.id, first),
            details.response_detail(session, project.id, second),
            tuple(given_choices(session, project.id, criterion, first, second)),
        )
