"""Bradley-Terry strengths of systems, measured on loaded comparisons by people and by each judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.to_json import json_values
from judgelab.domain import DECISION
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, choice_labels
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.judges.bradley_terry import Strengths, strengths

PEOPLE = "raters"


@dataclass(frozen=True)
class StrengthRow:
    """Strengths under one criterion, by one judge or by all people together (`rater` is "raters")."""

    criterion: str
    rater: str
    rater_kind: str
    comparisons: int
    strengths: Strengths


@dataclass(frozen=True)
class StrengthTable:
    """The strengths of a project's systems; empty if no responses of two systems were compared.

    Attributes:
        project: its short name.
        policy: the quality filter of the raters' choices; None without one.
        rows: the strengths.
        n_decided: number of pairs decided by an adjudicator; None if decisions are not used.
    """

    project: str
    policy: FilterInfo | None
    rows: tuple[StrengthRow, ...]
    n_decided: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab strengths --json` prints."""
        return {
            "project": self.project,
            "filter": None if self.policy is None else self.policy.to_json(),
            "decisions": self.n_decided,
            "rows": [json_values(row) for row in self.rows],
        }


def strength_rows(
    preferences: pd.DataFrame, responses: pd.DataFrame, *, resamples: int, seed: int
) -> tuple[StrengthRow, ...]:
    """Return the strengths by criterion and by who compared, from frames of comparisons and responses.

    A decision among the comparisons takes the place of people's choices of its pair.
    """
    preferences = _decided_first(preferences)
    system = responses.set_index("response")["system"]
    frame = preferences.assign(
        system_a=system.reindex(preferences["response_a"]).to_numpy(),
        system_b=system.reindex(preferences["response_b"]).to_numpy(),
        compared_by=np.where(preferences["rater_kind"] == "human", PEOPLE, preferences["rater"]),
    )
    first, second = frame["system_a"], frame["system_b"]
    named = first.notna() & second.notna() & (first != "") & (second != "")
    frame = frame[named & (first != second)]
    return tuple(
        StrengthRow(str(key), str(rater), str(kind), len(part), _fit(part, resamples, seed))
        for (key, kind, rater), part in frame.groupby(["criterion", "rater_kind", "compared_by"], sort=True)
    )


def _decided_first(preferences: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons with each decision as the only choice of people in its pair."""
    kind = preferences["rater_kind"]
    pairs = pd.MultiIndex.from_frame(preferences[["response_a", "response_b", "criterion"]])
    replaced = (kind == "human") & pairs.isin(pairs[kind == DECISION])
    return preferences[~replaced].assign(rater_kind=kind[~replaced].replace(DECISION, "human"))


def _fit(part: pd.DataFrame, resamples: int, seed: int) -> Strengths:
    names = sorted({*part["system_a"].unique(), *part["system_b"].unique()})
    first, second = (
        pd.Index(names).get_indexer(part[side]).astype(np.int64) for side in ("system_a", "system_b")
    )
    points = (SECOND - choice_labels(part["choice"])) / (SECOND - FIRST)
    item, items = pd.factorize(part["item"])
    draws = ItemDraws(len(items), resamples, seed)
    return strengths(first, second, points, names, item=item.astype(np.int64), draws=draws)
