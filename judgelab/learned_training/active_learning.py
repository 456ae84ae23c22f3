"""Active rating: which items to rate next, by what the learned judge is unsure of and judges differ about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgelab.analysis.data.scores import IN_USE
from judgelab.errors import InvalidInput
from judgelab.learned.crossvalidation import committee
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.models import check_enough
from judgelab.learned.proposals import disagreement, in_order, uncertainty
from judgelab.learned_training.training_data import TrainingData, training_data
from judgelab.store.db.engine import Store
from judgelab.store.scoring.learned import propose_units

MEMBERS = 12


@dataclass(frozen=True)
class Proposal:
    """An item to rate next: how unsure the learned judge is of its responses, how far judges lie apart.

    Both are means over the item's unrated responses and criteria, as parts of the scale's width;
    `disagreement` is None where fewer than two judges scored it.
    """

    item: str
    responses: int
    uncertainty: float
    disagreement: float | None


@dataclass(frozen=True)
class Proposals:
    """Items in the order in which to rate them; `units` of them were given their turn."""

    items: tuple[Proposal, ...]
    units: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return the proposals as `propose --json` prints them."""
        return {"items": [vars(one) for one in self.items], "units": self.units, "seed": self.seed}


def propose(store: Store, slug: str, *, policy: str = IN_USE, seed: int = 0, encoder: str = "") -> Proposals:
    """Return the items whose responses lack ratings, most worth rating first, and store their turns.

    Raters see nothing of it: the order is all that changes.

    Raises:
        InvalidInput: every response is rated, or too few are for a judge to be learned.
        NotFound: no such project or rule.
    """
    seen = training_data(store, slug, policy=policy, encoder=encoder)
    criteria = seen.criteria()
    unsure: list[Floats] = []
    lacking = np.zeros(len(seen.responses), dtype=bool)
    problem: InvalidInput | None = None
    for criterion in criteria:
        scores = seen.scores(criterion)
        rows = np.flatnonzero(np.isfinite(scores))
        lacking |= ~np.isfinite(scores)
        try:
            check_enough(seen.table.item[rows], scores[rows], criterion)
        except InvalidInput as error:
            problem = error
            continue
        wish = seen.wish(criterion, kind="ordinal", seed=seed)
        members = committee(seen.table, scores, rows, wish, members=MEMBERS, seed=seed)
        said = np.array([member.predict(seen.table) for member in members])
        unsure.append(uncertainty(said, low=wish.low, high=wish.high, binary=wish.binary))
    if not unsure:
        assert problem is not None
        raise problem
    rows = np.flatnonzero(lacking)
    if not len(rows):
        raise InvalidInput("every response has a rating that counts; there is nothing left to propose.")
    apart = _apart(seen, criteria)
    order = in_order(seen.table.item, rows, np.mean(unsure, axis=0), apart, values=seen.table.values)
    found = _proposals(seen, order, rows, np.mean(unsure, axis=0), apart)
    place = {item: turn for turn, item in enumerate(order, start=1)}
    turns = {int(seen.responses["response"].iloc[row]): place[int(seen.table.item[row])] for row in rows}
    with store.writing() as session:
        units = propose_units(session, seen.data.project.id, turns)
    return Proposals(tuple(found), units, seed)


def _apart(seen: TrainingData, criteria: Sequence[str]) -> Floats:
    """Return how far judges lie apart on each response, as a part of the scale; NaN with fewer than two."""
    frame = seen.data.scores
    frame = frame[(frame["rater_kind"] == "judge") & ~frame["rater"].isin(seen.data.own_scale)]
    found = []
    for criterion in criteria:
        own = frame[frame["criterion"] == criterion]
        wide = own.pivot_table(index="response", columns="rater", values="score", observed=True)
        if wide.shape[1] < 2:
            continue
        wide = wide.reindex(seen.responses["response"])
        scale = seen.scale(criterion)
        found.append(disagreement(wide.to_numpy(dtype=np.float64), low=scale.low, high=scale.high))
    if not found:
        return np.full(len(seen.responses), np.nan)
    stacked = np.array(found)
    known = np.isfinite(stacked)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)


def _proposals(
    seen: TrainingData, order: Sequence[int], rows: Ints, unsure: Floats, apart: Floats
) -> list[Proposal]:
    items: Mapping[int, str] = dict(
        zip(seen.table.item.tolist(), seen.responses["item"].astype(str).tolist(), strict=True)
    )
    found = []
    for item in order:
        own = rows[seen.table.item[rows] == item]
        differ = apart[own][np.isfinite(apart[own])]
        found.append(
            Proposal(
                items[item],
                len(own),
                round(float(unsure[own].mean()), 4),
                round(float(differ.mean()), 4) if len(differ) else None,
            )
        )
    return found
