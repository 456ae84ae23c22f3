"""One criterion of a learned judge: out-of-fold predictions, explanations, and evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from judgelab.errors import InvalidInput
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
from judgelab.metaeval.core.statistic_defaults import defaults_for_scale
from judgelab.scales import why_no_order
from judgelab.store.scoring.learned import LearnedVerdict
from judgelab.store.scoring.learned import StoredLearnedModel as ModelToKeep

STRONGEST = 12  # features shown with a report


@dataclass(frozen=True)
class TrainingRequest:
    """How one criterion is to be learned.

    Attributes:
        criterion: its key.
        kind: "ordinal", "ridge" or "stack".
        seed: of folds, shuffles and trees.
        shuffles: of the ratings for the null.
        later: whether unrated responses are scored as well.
    """

    criterion: str
    kind: str
    seed: int
    shuffles: int
    later: bool


@dataclass(frozen=True)
class LearnedCriterion:
    """The result for one criterion; `later` counts the verdicts on unrated responses."""

    criterion: str
    model: Mapping[str, Any]
    hash: str
    report: Mapping[str, Any]
    verdicts: tuple[LearnedVerdict, ...]
    later: int

    def kept(self, rule: str) -> ModelToKeep:
        """Return the model to store, with the quality rule that selected the ratings."""
        return ModelToKeep(self.criterion, self.hash, self.model, {**self.report, "policy": rule})

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, from which `from_json` makes an equal object."""
        return {**vars(self), "verdicts": [verdict._asdict() for verdict in self.verdicts]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LearnedCriterion:
        """Return what `to_json` described."""
        return cls(**{**data, "verdicts": tuple(LearnedVerdict(**verdict) for verdict in data["verdicts"])})


def rated_rows(data: TrainingData, criterion: str) -> Ints:
    """Return the rows of the training data with a rating that counts."""
    return np.flatnonzero(np.isfinite(data.scores(criterion)))


def fits(data: TrainingData, order: TrainingRequest) -> int:
    """Return how often `tick` is called while a criterion is learned."""
    rows = rated_rows(data, order.criterion)
    items = len(np.unique(data.table.item[rows]))
    systems = 0 if data.system is None else len(np.unique(data.system[rows]))
    return crossvalidation.fits(items, systems, shuffles=order.shuffles)


def training_fingerprint(data: TrainingData, order: TrainingRequest) -> str:
    """Return a fingerprint of the training input: equal fingerprints give equal results."""
    hash_of_ratings = _hash_of(data, order, rated_rows(data, order.criterion))
    all_texts = "\0".join(data.responses["text"]) if order.later else ""
    digest = sha256(f"{hash_of_ratings} {order.shuffles} {all_texts}".encode("utf-8", "surrogatepass"))
    return f"{hash_of_ratings}-{digest.hexdigest()[:16]}"


def learned(data: TrainingData, order: TrainingRequest, *, tick: Tick = lambda: None) -> LearnedCriterion:
    """Return the result for one criterion.

    Args:
        data: the project's training data.
        order: what to learn, and how.
        tick: called after each fitted judge; an exception from it ends the training.

    Raises:
        InvalidInput: too few ratings, or no such kind.
    """
    criterion = order.criterion
    if not data.scale(criterion).ordered:
        raise InvalidInput(why_no_order(data.data.project.criterion(criterion).label))
    table, scores = data.table, data.scores(criterion)
    rows = rated_rows(data, criterion)
    check_enough(table.item[rows], scores[rows], criterion)
    settings = data.model_settings(criterion, kind=order.kind, seed=order.seed)
    by_item = crossvalidation.out_of_fold(table, scores, rows, settings, explain=True, tick=tick)
    predicted = {UNSEEN_ITEMS: by_item.scores}
    if data.system is not None:
        by_item_and_system = crossvalidation.out_of_fold(
            table, scores, rows, settings, system=data.system, tick=tick
        )
        predicted[UNSEEN_BOTH] = by_item_and_system.scores
    model = fit(table, scores, rows, settings)
    report = _report(data, criterion, settings, rows, predicted, shuffles=order.shuffles, tick=tick)
    rated_verdicts = _verdicts(data, criterion, settings, rows, by_item)
    later_verdicts = _unrated_verdicts(data, criterion, settings, rows, model) if order.later else []
    hash_of_ratings = _hash_of(data, order, rows)
    report = {
        **report,
        "data_hash": hash_of_ratings,
        "strongest": _strongest(model, data, rows),
        "later": len(later_verdicts),
    }
    return LearnedCriterion(
        criterion,
        model.to_json(),
        hash_of_ratings,
        report,
        (*rated_verdicts, *later_verdicts),
        len(later_verdicts),
    )


def _hash_of(data: TrainingData, order: TrainingRequest, rows: Ints) -> str:
    rated_table = replace(data.table, values=data.table.values[rows], item=data.table.item[rows])
    texts = data.responses["text"].iloc[rows].tolist()
    table_hash = data_hash(rated_table, data.scores(order.criterion)[rows], texts)
    return f"{table_hash}-{order.kind}-{order.seed}"


def _report(
    data: TrainingData,
    criterion: str,
    settings: ModelSettings,
    rows: Ints,
    predicted: Mapping[str, Floats],
    *,
    shuffles: int,
    tick: Tick,
) -> dict[str, Any]:
    defaults = defaults_for_scale(data.scale(criterion))
    level = defaults.level(data.data.rated_per_item)
    scores = data.scores(criterion)
    figure = HeldOutScore(data, criterion, level=level, binary=settings.binary)
    table = [
        row.to_json()
        for row in metric_comparison(
            data, criterion, level=level, binary=settings.binary, predicted=predicted, seed=settings.seed
        )
    ]
    curve = crossvalidation.learning_curve(data.table, scores, rows, settings, figure, tick=tick)
    null_values = crossvalidation.null(
        data.table, scores, rows, settings, figure.of, shuffles=shuffles, tick=tick
    )
    return {
        "criterion": criterion,
        "kind": settings.kind,
        "seed": settings.seed,
        "encoder": data.table.encoder,
        "features": len(data.table.names),
        "responses": len(rows),
        "items": len(np.unique(data.table.item[rows])),
        "systems": 0 if data.system is None else len(np.unique(data.system[rows])),
        "level": level,
        "coefficient": defaults.coefficient,
        "rows": table,
        "best_metric": best_plain(table, defaults.coefficient),
        "curve": [{"items": point.items, "values": _finite(point.values)} for point in curve],
        "null": _finite(null_values),
    }


def _verdicts(
    data: TrainingData, criterion: str, settings: ModelSettings, rows: Ints, predictions: OutOfFold
) -> list[LearnedVerdict]:
    return [
        _verdict(
            data,
            criterion,
            settings,
            int(row),
            predictions.scores[row],
            predictions.contributions[row],
            rows,
            held_out=True,
        )
        for row in rows
        if np.isfinite(predictions.scores[row])
    ]


def _unrated_verdicts(
    data: TrainingData, criterion: str, settings: ModelSettings, rows: Ints, model: LearnedModel
) -> list[LearnedVerdict]:
    scores = model.predict(data.table)
    contributions = model.contributions(data.table)
    unrated = np.setdiff1d(np.arange(len(scores)), rows)
    return [
        _verdict(data, criterion, settings, int(row), scores[row], contributions[row], rows, held_out=False)
        for row in unrated
    ]


def _verdict(
    data: TrainingData,
    criterion: str,
    settings: ModelSettings,
    row: int,
    score: float,
    contributions: Floats,
    rows: Ints,
    *,
    held_out: bool,
) -> LearnedVerdict:
    standard = Standard.of(data.table.values[rows])
    verdict_score, probability, confidence = float(score), None, None
    if settings.binary:
        verdict_score = float(verdicts(np.array([score]), data, criterion)[0])
        probability = float((score - settings.low) / (settings.high - settings.low))
        confidence = max(probability, 1 - probability)  # the verdict is the likelier point
    verdict_reasons = reasons(
        data.table.names, data.table.values[row], contributions, mean=standard.mean, spread=standard.spread
    )
    text = rationale(
        verdict_score,
        verdict_reasons,
        width=settings.high - settings.low,
        held_out=held_out,
        probability=confidence,
    )
    return LearnedVerdict(
        response_id=int(data.responses["response"].iloc[row]),
        criterion=criterion,
        score=verdict_score,
        rationale=str(text),
        confidence=confidence,
        detail={
            "held_out": held_out,
            "probability": probability,
            "reasons": reasons_to_json(verdict_reasons),
        },
    )


def _strongest(model: LearnedModel, data: TrainingData, rows: Ints) -> list[dict[str, Any]]:
    """Return the features that move scores most: the mean size of their contribution, and its direction."""
    rated_table = replace(data.table, values=data.table.values[rows], item=data.table.item[rows])
    contributions = model.contributions(rated_table)
    size = np.abs(contributions).mean(axis=0)
    values = np.nan_to_num(rated_table.values - np.nanmean(rated_table.values, axis=0))
    order = np.argsort(-size, kind="stable")[:STRONGEST]
    return [
        {
            "feature": model.names[place],
            "moves": round(float(size[place]), 4),
            "more_is": "higher" if (contributions * values).sum(axis=0)[place] >= 0 else "lower",
        }
        for place in order
    ]


def _finite(values: Sequence[float]) -> list[float]:
    return [round(float(value), 6) for value in values if np.isfinite(value)]
