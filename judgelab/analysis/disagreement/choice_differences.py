"""Pairs on which a judge disagrees with the raters, and what everybody chose there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.store.db.engine import Store
from judgelab.store.frames import details, snapshots
from judgelab.store.frames.comparison_details import GivenChoice, given_choices
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.projects.projects import find_project

COLUMNS = (
    *("first", "second", "item", "question", "system_first", "system_second"),
    *("n_first", "n_tie", "n_second", "raters", "judge", "agreeing"),
)


IMPLIED_COLUMNS = ("first", "second", "rater", "kind", "choice", "score_first", "score_second")


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

    Of these, pairs whose raters chose the opposite winner come before those on which either has a tie. Pairs
    on which a margin for a tie was chosen are left out.

    Columns (`COLUMNS`): the two responses by row id, `n_first`, `n_tie` and `n_second` raters who chose so,
    `raters` and `judge` the label (1 first, 2 tie, 3 second) of most raters (missing without a majority) and
    of the judge, `agreeing` the share of raters who chose as the judge.
    """
    pairs = compared_pairs(store, slug, criterion=criterion)
    found, responses = pairs.found.measured, pairs.responses
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


def implied_choices(store: Store, slug: str, *, criterion: str) -> pd.DataFrame:
    """Return the choices that judges' and metrics' scores of single responses imply, judges first.

    Columns (`IMPLIED_COLUMNS`): the two responses by row id, `kind` ("judge" or "metric"), `choice` the label
    (1 first, 2 tie, 3 second), and the scores of both responses, averaged over runs and samples.
    """
    pairs = compared_pairs(store, slug, criterion=criterion, policy=NO_FILTER)
    found = pairs.found
    rows = found.scores[found.scores["rater"].isin(found.implied)]
    rows = rows[rows["rater_kind"] != "human"]
    sides = found.pairs.set_index("pair").loc[rows["response"], ["first", "second"]]
    scores = snapshots.score_frame(store, pairs.project.id, kinds=("judge", "metric"))
    means = (
        scores[scores["criterion"] == criterion].groupby(["rater", "response"], observed=True)["score"].mean()
    )
    frame = pd.DataFrame(
        {
            "first": sides["first"].to_numpy(),
            "second": sides["second"].to_numpy(),
            "rater": rows["rater"].astype(str).to_numpy(),
            "kind": np.where(rows["rater"].isin(found.metrics), "metric", "judge"),
            "choice": rows["score"].to_numpy(),
        }
    )
    for side in ("first", "second"):
        frame[f"score_{side}"] = means.reindex(pd.MultiIndex.from_frame(frame[["rater", side]])).to_numpy()
    return frame[list(IMPLIED_COLUMNS)].sort_values(["kind", "rater"], kind="stable", ignore_index=True)


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
