"""One criterion of a learned judge: what it says out of fold, why, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from judgelab.learned import crossvalidation
from judgelab.learned.crossvalidation import OutOfFold, Tick
from judgelab.learned.explanation import rationale, reasons, reasons_to_json
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.linear import Standard
from judgelab.learned.models import LearnedModel, ModelSettings, check_enough, data_hash, fit
from judgelab.learned_training.evaluation import (
    UNSEEN_BOTH,
    UNSEEN_ITEMS,
    HeldOutScore,
    best_plain,
    metric_comparison,
    verdicts,
)
from judgelab.learned_training.training_data import TrainingData
from judgelab.metaeval.core.defaults import for_scale
from judgelab.store.scoring.learned import LearnedModel as ModelToKeep
from judgelab.store.scoring.learned import LearnedVerdict

STRONGEST = 12  # features shown with a report


@dataclass(frozen=True)
class TrainingOrder:
    """How one criterion is to be learned.

    Attributes:
        criterion: its key.
        kind: "ordinal", "ridge" or "stack".
        seed: of folds, shuffles and trees.
        shuffles: of the ratings for the null.
        later: whether responses that nobody rated are scored as well.
    """

    criterion: str
    kind: str
    seed: int
    shuffles: int
    later: bool


@dataclass(frozen=True)
class LearnedCriterion:
    """What came of one criterion; `later` counts the verdicts on responses that nobody rated."""

    criterion: str
    model: Mapping[str, Any]
    hash: str
    report: Mapping[str, Any]
    verdicts: tuple[LearnedVerdict, ...]
    later: int

    def kept(self, rule: str) -> ModelToKeep:
        """Return the model as the database keeps it, with the quality rule that chose the ratings."""
        return ModelToKeep(self.criterion, self.hash, self.model, {**self.report, "policy": rule})

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values, from which `from_json` makes an equal one."""
        return {**vars(self), "verdicts": [one._asdict() for one in self.verdicts]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LearnedCriterion:
        """Return what `to_json` described."""
        return cls(**{**data, "verdicts": tuple(LearnedVerdict(**one) for one in data["verdicts"])})


def rated_rows(seen: TrainingData, criterion: str) -> Ints:
    """Return the rows of the lesson that somebody rated whose rating counts."""
    return np.flatnonzero(np.isfinite(seen.scores(criterion)))


def fits(seen: TrainingData, order: TrainingOrder) -> int:
    """Return how often `tick` is called while a criterion is learned."""
    rows = rated_rows(seen, order.criterion)
    items = len(np.unique(seen.table.item[rows]))
    systems = 0 if seen.system is None else len(np.unique(seen.system[rows]))
    return crossvalidation.fits(items, systems, shuffles=order.shuffles)


def learned_from(seen: TrainingData, order: TrainingOrder) -> str:
    """Return what tells one learning from another: the same word, the same result."""
    known = _hash_of(seen, order, rated_rows(seen, order.criterion))
    fresh = "\0".join(seen.responses["text"]) if order.later else ""
    marked = sha256(f"{known} {order.shuffles} {fresh}".encode("utf-8", "surrogatepass"))
    return f"{known}-{marked.hexdigest()[:16]}"


def learned(seen: TrainingData, order: TrainingOrder, *, tick: Tick = lambda: None) -> LearnedCriterion:
    """Return what comes of one criterion.

    Args:
        seen: the project's lesson.
        order: what to learn, and how.
        tick: called after each judge that is fitted; what it raises ends the learning.

    Raises:
        InvalidInput: too few ratings, or no such kind.
    """
    criterion = order.criterion
    table, scores = seen.table, seen.scores(criterion)
    rows = rated_rows(seen, criterion)
    check_enough(table.item[rows], scores[rows], criterion)
    wish = seen.wish(criterion, kind=order.kind, seed=order.seed)
    by_item = crossvalidation.out_of_fold(table, scores, rows, wish, explain=True, tick=tick)
    predicted = {UNSEEN_ITEMS: by_item.scores}
    if seen.system is not None:
        both = crossvalidation.out_of_fold(table, scores, rows, wish, system=seen.system, tick=tick)
        predicted[UNSEEN_BOTH] = both.scores
    model = fit(table, scores, rows, wish)
    report = _report(seen, criterion, wish, rows, predicted, shuffles=order.shuffles, tick=tick)
    given = _verdicts(seen, criterion, wish, rows, by_item)
    fresh = _later(seen, criterion, wish, rows, model) if order.later else []
    said = _hash_of(seen, order, rows)
    report = {**report, "data_hash": said, "strongest": _strongest(model, seen, rows), "later": len(fresh)}
    return LearnedCriterion(criterion, model.to_json(), said, report, (*given, *fresh), len(fresh))


def _hash_of(seen: TrainingData, order: TrainingOrder, rows: Ints) -> str:
    here = replace(seen.table, values=seen.table.values[rows], item=seen.table.item[rows])
    texts = seen.responses["text"].iloc[rows].tolist()
    known = data_hash(here, seen.scores(order.criterion)[rows], texts)
    return f"{known}-{order.kind}-{order.seed}"


def _report(
    seen: TrainingData,
    criterion: str,
    wish: ModelSettings,
    rows: Ints,
    predicted: Mapping[str, Floats],
    *,
    shuffles: int,
    tick: Tick,
) -> dict[str, Any]:
    usual = for_scale(seen.scale(criterion))
    level = usual.level(seen.data.rated_per_item)
    scores = seen.scores(criterion)
    figure = HeldOutScore(seen, criterion, level=level, binary=wish.binary)
    table = [
        row.to_json()
        for row in metric_comparison(
            seen, criterion, level=level, binary=wish.binary, predicted=predicted, seed=wish.seed
        )
    ]
    curve = crossvalidation.learning_curve(seen.table, scores, rows, wish, figure, tick=tick)
    nothing = crossvalidation.null(seen.table, scores, rows, wish, figure.of, shuffles=shuffles, tick=tick)
    return {
        "criterion": criterion,
        "kind": wish.kind,
        "seed": wish.seed,
        "encoder": seen.table.encoder,
        "features": len(seen.table.names),
        "responses": len(rows),
        "items": len(np.unique(seen.table.item[rows])),
        "systems": 0 if seen.system is None else len(np.unique(seen.system[rows])),
        "level": level,
        "coefficient": usual.coefficient,
        "rows": table,
        "best_metric": best_plain(table, usual.coefficient),
        "curve": [{"items": point.items, "values": _known(point.values)} for point in curve],
        "null": _known(nothing),
    }


def _verdicts(
    seen: TrainingData, criterion: str, wish: ModelSettings, rows: Ints, found: OutOfFold
) -> list[LearnedVerdict]:
    return [
        _verdict(
            seen, criterion, wish, int(row), found.scores[row], found.contributions[row], rows, held_out=True
        )
        for row in rows
        if np.isfinite(found.scores[row])
    ]


def _later(
    seen: TrainingData, criterion: str, wish: ModelSettings, rows: Ints, model: LearnedModel
) -> list[LearnedVerdict]:
    scores = model.predict(seen.table)
    moved = model.contributions(seen.table)
    rest = np.setdiff1d(np.arange(len(scores)), rows)
    return [
        _verdict(seen, criterion, wish, int(row), scores[row], moved[row], rows, held_out=False)
        for row in rest
    ]


def _verdict(
    seen: TrainingData,
    criterion: str,
    wish: ModelSettings,
    row: int,
    score: float,
    moved: Floats,
    rows: Ints,
    *,
    held_out: bool,
) -> LearnedVerdict:
    standard = Standard.of(seen.table.values[rows])
    given, chance = float(score), None
    if wish.binary:
        given = float(verdicts(np.array([score]), seen, criterion)[0])
        chance = float((score - wish.low) / (wish.high - wish.low))
    why = reasons(seen.table.names, seen.table.values[row], moved, mean=standard.mean, spread=standard.spread)
    said = rationale(given, why, width=wish.high - wish.low, held_out=held_out, probability=chance)
    return LearnedVerdict(
        response_id=int(seen.responses["response"].iloc[row]),
        criterion=criterion,
        score=given,
        rationale=str(said),
        confidence=None if chance is None else max(chance, 1 - chance),
        detail={"held_out": held_out, "probability": chance, "reasons": reasons_to_json(why)},
    )


def _strongest(model: LearnedModel, seen: TrainingData, rows: Ints) -> list[dict[str, Any]]:
    """Return the features that move scores most: the mean size of their part, and its direction."""
    here = replace(seen.table, values=seen.table.values[rows], item=seen.table.item[rows])
    moved = model.contributions(here)
    size = np.abs(moved).mean(axis=0)
    values = np.nan_to_num(here.values - np.nanmean(here.values, axis=0))
    order = np.argsort(-size, kind="stable")[:STRONGEST]
    return [
        {
            "feature": model.names[place],
            "moves": round(float(size[place]), 4),
            "more_is": "higher" if (moved * values).sum(axis=0)[place] >= 0 else "lower",
        }
        for place in order
    ]


def _known(values: Sequence[float]) -> list[float]:
    return [round(float(value), 6) for value in values if np.isfinite(value)]
