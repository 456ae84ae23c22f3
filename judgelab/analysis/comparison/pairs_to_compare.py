"""Which pairs of responses to have compared next: those whose majority one more choice may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.analysis.data.scores import IN_USE
from judgelab.domain import DECISION
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.store.db.engine import Store

LABELS = (FIRST, TIE, SECOND)
NAMES = ("first", "tie", "second")
PRIOR = 1 / len(LABELS)  # of a choice, added to each count, so that no label is ruled out
COLUMNS = (
    *("first", "second", "item", "question", "system_first", "system_second"),
    *("n_first", "n_tie", "n_second", "judges_first", "judges_tie", "judges_second", "chance"),
)


@dataclass(frozen=True)
class PairsToCompare:
    """The pairs of a criterion that one more choice may settle.

    Attributes:
        project: the project's slug.
        criterion: key of the criterion.
        pairs: the pairs (`COLUMNS`), most useful first: the responses by row id, numbers of raters and of
            judges who chose the first response, a tie and the second one, and the chance that one more
            choice changes whether the raters have a majority, or which.
        compared: number of pairs that raters compared.
        without_majority: number of these without a majority, not counting those that were adjudicated.
        adjudicated: number of these that an adjudicator decided.
        judged_only: number of pairs that only judges compared; they are not among `pairs`.
    """

    project: str
    criterion: str
    pairs: pd.DataFrame
    compared: int
    without_majority: int
    adjudicated: int
    judged_only: int

    @property
    def by_a_vote(self) -> int:
        """Return the number of pairs whose majority one more choice can undo."""
        return len(self.pairs) - self.without_majority

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab more PROJECT --comparisons --json` prints."""
        return {
            "project": self.project,
            "criterion": self.criterion,
            "compared": self.compared,
            "without_majority": self.without_majority,
            "one_choice_can_undo": self.by_a_vote,
            "adjudicated": self.adjudicated,
            "judged_only": self.judged_only,
            "pairs": [
                {
                    "item": str(row["item"]),
                    "first": str(row["system_first"]),
                    "second": str(row["system_second"]),
                    "raters": {label: int(row[f"n_{label}"]) for label in NAMES},
                    "judges": {label: int(row[f"judges_{label}"]) for label in NAMES},
                    "chance": float(row["chance"]),
                }
                for row in self.pairs.to_dict("records")
            ],
        }


def pairs_to_compare(
    store: Store, slug: str, *, criterion: str | None = None, policy: str = IN_USE
) -> PairsToCompare:
    """Return the pairs that raters compared and whose majority one more choice may change.

    Where the chance is equal, pairs on which fewer judges agree with one another come first. Pairs that an
    adjudicator decided are left out. Metrics are no judges here.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: nobody compared responses, or a criterion must be chosen.
    """
    compared = compared_pairs(store, slug, criterion=criterion, policy=policy, decisions=True)
    found = compared.found
    scores = found.scores
    by_people = _votes(scores[scores["rater_kind"] == "human"])
    judging = (scores["rater_kind"] == "judge") & ~scores["rater"].isin(found.metrics)
    by_judges = _votes(scores[judging])
    judged_only = len(by_judges.index.difference(by_people.index))
    decided = by_people.index.isin(scores.loc[scores["rater_kind"] == DECISION, "response"])
    by_people = by_people[~decided]
    votes = by_people.to_numpy(dtype=float)
    chance = chances_of_change(votes)
    judged = by_judges.reindex(by_people.index, fill_value=0)
    rows = found.pairs.set_index("pair").loc[by_people.index].reset_index(drop=True)
    question = compared.responses.set_index("response")["question"].reindex(rows["first"]).to_numpy()
    frame = rows.assign(question=question, chance=chance)
    frame[["n_first", "n_tie", "n_second"]] = by_people.to_numpy()
    frame[["judges_first", "judges_tie", "judges_second"]] = judged.to_numpy()
    size = judged.sum(axis=1).to_numpy(dtype=float)
    frame["split"] = 1 - judged.max(axis=1).to_numpy(dtype=float) / np.maximum(size, 1)
    frame.loc[size == 0, "split"] = 0.0
    frame["rank"] = frame["chance"].round(9)
    open_pairs = frame[frame["chance"] > 0].sort_values(["rank", "split"], ascending=False, kind="stable")
    return PairsToCompare(
        slug,
        compared.criterion,
        open_pairs[list(COLUMNS)].reset_index(drop=True),
        compared=len(decided),
        without_majority=int((_majority(votes) < 0).sum()),
        adjudicated=int(decided.sum()),
        judged_only=judged_only,
    )


def chances_of_change(votes: Floats) -> Floats:
    """Return the chance that one more choice changes whether there is a majority, or which.

    The next choice is taken to be as likely as the choices so far, one choice shared by the three labels
    added. A majority is a label with more choices than any other.

    Example: 1 : 0 : 1 has none, and a first or second more gives one, so the chance is 2 × (1 + 1/3) / 3 or
    89 %. The majority of 2 : 0 : 1 is lost to one more second, whose chance is (1 + 1/3) / 4 or 33 %. No
    choice changes that of 3 : 0 : 0.

    Args:
        votes: a row a pair: choices of the first response, of a tie, and of the second one.
    """
    majority = _majority(votes)
    likely = (votes + PRIOR) / (votes.sum(axis=1, keepdims=True) + 1)
    chance = np.zeros(len(votes))
    for label in range(votes.shape[1]):
        more = votes.copy()
        more[:, label] += 1
        chance += np.where(_majority(more) != majority, likely[:, label], 0.0)
    return chance


def _majority(votes: Floats) -> Floats:
    """Return the place of the label with most choices, -1 where several have most."""
    if not len(votes):
        return np.zeros(0)
    most = votes.max(axis=1, keepdims=True)
    return np.where((votes == most).sum(axis=1) == 1, votes.argmax(axis=1), -1).astype(float)


def _votes(scores: pd.DataFrame) -> pd.DataFrame:
    """Return by pair how often each label was chosen."""
    counts = scores.groupby(["response", "score"]).size().unstack(fill_value=0)
    return counts.reindex(columns=list(LABELS), fill_value=0)
