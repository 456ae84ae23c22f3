"""What only comparisons show of a rater: circular choices, and how often the response shown first wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.analysis.data.to_json import json_values
from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.raters.transitivity import circular_share
from judgelab.store.db.engine import Store
from judgelab.wording import sentence

SIGNS = {"a": 1, "tie": 0, "b": -1}


@dataclass(frozen=True)
class ChoiceHabits:
    """How one rater chooses between two responses.

    Attributes:
        circular: share of the triples of responses of one item, all compared by the rater, that are circular.
        first: share of the choices other than ties that pick the response shown first, where that is known.
    """

    circular: Estimate
    first: Estimate

    def to_json(self) -> dict[str, object]:
        """Return both shares by name."""
        return {"circular": json_values(self.circular), "first": json_values(self.first)}


def choice_habits(store: Store, slug: str, *, criterion: str) -> dict[str, ChoiceHabits]:
    """Return how each rater chooses under one criterion, by name; choices from rankings are never circular.

    Raises:
        NotFound: no such project or criterion.
    """
    preferences = compared_pairs(store, slug, criterion=criterion, policy=NO_FILTER).preferences
    people = preferences[preferences["rater_kind"] == "human"]
    item, items = pd.factorize(people["item"])
    draws = ItemDraws(len(items), RESAMPLES, 0)
    people = people.assign(place=item, sign=people["choice"].map(SIGNS))
    return {str(rater): _habits(rows, draws) for rater, rows in people.groupby("rater", sort=True)}


def has_habits(habits: Mapping[str, ChoiceHabits]) -> tuple[bool, bool]:
    """Return whether some rater has a circular share, and whether some rater has a share of first ones."""
    return (
        any(habit.circular.value is not None for habit in habits.values()),
        any(habit.first.value is not None for habit in habits.values()),
    )


def _habits(rows: pd.DataFrame, draws: ItemDraws) -> ChoiceHabits:
    circular = circular_share(
        rows["response_a"].tolist(),
        rows["response_b"].tolist(),
        rows["sign"].astype(int).tolist(),
        rows["place"].to_numpy(dtype="int64"),
        draws,
    )
    decided = rows[(rows["order"] != "") & (rows["choice"] != "tie")]
    first = int((decided["choice"] == decided["order"]).sum())
    unknown = sentence("no choice with a winner in a known order")
    return ChoiceHabits(circular, share(first, len(decided), nothing=unknown))
