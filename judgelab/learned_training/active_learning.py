"""Active learning: which items to rate next, by the learned judge's uncertainty and judges' disagreement."""

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
from judgelab.scales import why_no_order
from judgelab.store.db.engine import Store
from judgelab.store.scoring.learned import propose_units

MEMBERS = 12


@dataclass(frozen=True)
class Proposal:
    """An item to rate next, with the learned judge's uncertainty and the judges' disagreement.

    Both are means over the item's unrated responses and criteria, relative to the scale's width;
    `disagreement` is None if fewer than two judges scored it.
    """

    item: str
    responses: int
    uncertainty: float
    disagreement: float | None


@dataclass(frozen=True)
class Proposals:
    """Items in the order in which to rate them; `units` is the number of units that were prioritised."""

    items: tuple[Proposal, ...]
    units: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return the proposals as `propose --json` prints them."""
        return {"items": [vars(proposal) for proposal in self.items], "units": self.units, "seed": self.seed}


def propose(store: Store, slug: str, *, policy: str = IN_USE, seed: int = 0, encoder: str = "") -> Proposals:
    """Return the items with unrated responses, most worth rating first, and store their order.

    Raters notice nothing but a different order.

    Raises:
        InvalidInput: every response is rated, or too few are for a judge to be learned.
        NotFound: no such project or rule.
    """
    data = training_data(store, slug, policy=policy, encoder=encoder)
    criteria = [criterion for criterion in data.criteria() if data.scale(criterion).ordered]
    if not criteria:
        raise InvalidInput(why_no_order(data.criteria()[0]))
    unsure: list[Floats] = []
    lacking = np.zeros(len(data.responses), dtype=bool)
    problem: InvalidInput | None = None
    for criterion in criteria:
        scores = data.scores(criterion)
        rows = np.flatnonzero(np.isfinite(scores))
        lacking |= ~np.isfinite(scores)
        try:
            check_enough(data.table.item[rows], scores[rows], criterion)
        except InvalidInput as error:
            problem = error
            continue
        settings = data.model_settings(criterion, kind="ordinal", seed=seed)
        members = committee(data.table, scores, rows, settings, members=MEMBERS, seed=seed)
        predictions = np.array([member.predict(data.table) for member in members])
        unsure.append(uncertainty(predictions, low=settings.low, high=settings.high, binary=settings.binary))
    if not unsure:
        assert problem is not None
        raise problem
    rows = np.flatnonzero(lacking)
    if not len(rows):
        raise InvalidInput("all responses have a rating that counts; there is nothing left to propose.")
    disagreements = _apart(data, criteria)
    order = in_order(data.table.item, rows, np.mean(unsure, axis=0), disagreements, values=data.table.values)
    proposals = _proposals(data, order, rows, np.mean(unsure, axis=0), disagreements)
    turn_of_item = {item: turn for turn, item in enumerate(order, start=1)}
    turns = {
        int(data.responses["response"].iloc[row]): turn_of_item[int(data.table.item[row])] for row in rows
    }
    with store.writing() as session:
        units = propose_units(session, data.data.project.id, turns)
    return Proposals(tuple(proposals), units, seed)


def _apart(data: TrainingData, criteria: Sequence[str]) -> Floats:
    """Return the judges' disagreement on each response, relative to the scale; NaN with fewer than two."""
    frame = data.data.scores
    frame = frame[(frame["rater_kind"] == "judge") & ~frame["rater"].isin(data.data.own_scale)]
    by_criterion = []
    for criterion in criteria:
        of_criterion = frame[frame["criterion"] == criterion]
        wide = of_criterion.pivot_table(index="response", columns="rater", values="score", observed=True)
        if wide.shape[1] < 2:
            continue
        wide = wide.reindex(data.responses["response"])
        scale = data.scale(criterion)
        by_criterion.append(disagreement(wide.to_numpy(dtype=np.float64), low=scale.low, high=scale.high))
    if not by_criterion:
        return np.full(len(data.responses), np.nan)
    stacked = np.array(by_criterion)
    defined = np.isfinite(stacked)
    total = np.where(defined, stacked, 0.0).sum(axis=0)
    return np.where(defined.any(axis=0), total / np.maximum(defined.sum(axis=0), 1), np.nan)


def _proposals(
    data: TrainingData, order: Sequence[int], rows: Ints, unsure: Floats, disagreement: Floats
) -> list[Proposal]:
    items: Mapping[int, str] = dict(
        zip(data.table.item.tolist(), data.responses["item"].astype(str).tolist(), strict=True)
    )
    proposals = []
    for item in order:
        rows_of_item = rows[data.table.item[rows] == item]
        disagreements = disagreement[rows_of_item][np.isfinite(disagreement[rows_of_item])]
        proposals.append(
            Proposal(
                items[item],
                len(rows_of_item),
                round(float(unsure[rows_of_item].mean()), 4),
                round(float(disagreements.mean()), 4) if len(disagreements) else None,
            )
        )
    return proposals
