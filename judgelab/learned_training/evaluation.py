"""How good a learned judge is compared with free metrics, by the statistics of the Agreement page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judgelab.domain import SCORE_COLUMNS
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.features import GROUNDING, LENGTH
from judgelab.learned_training.training_data import TrainingData
from judgelab.metaeval.agreement.agreement import AgreementRow, agreement
from judgelab.metaeval.coefficients.levels import measure
from judgelab.metaeval.coefficients.registry import coefficient
from judgelab.metaeval.core.pairing import PairedScores
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.statistic_defaults import defaults_for_scale
from judgelab.metaeval.core.units import unit_tables
from judgelab.words import word_count

UNSEEN_ITEMS, UNSEEN_BOTH = "learned, unseen items", "learned, unseen items and systems"
# Features that are metrics themselves, by metric name; the first two are the controls.
PLAIN: Mapping[str, str] = {
    "length": LENGTH,
    "grounding": GROUNDING,
    "rouge1": "rouge1_best",
    "rouge2": "rouge2_best",
    "rougeL": "rougeL_best",
    "embedding": "reference_cosine_best",
    "token_f1": "answer_f1",
    "exact_match": "answer_exact",
}
CONTROLS = ("length", "grounding")
# Named as features: the metrics of these names have an encoder of their own, and so other values.
BY_ENCODER = ("grounding", "embedding")


class HeldOutScore:
    """The leading coefficient of predictions, without an interval, computed fast.

    Args:
        data: the training data.
        criterion: the criterion.
        level: "item" or "none".
        binary: whether predictions are probabilities of a verdict.
    """

    def __init__(self, data: TrainingData, criterion: str, *, level: str, binary: bool) -> None:
        self.data, self.criterion, self.level, self.binary = data, criterion, level, binary
        self.scores = data.scores(criterion)
        scale = data.scale(criterion)
        name = defaults_for_scale(scale).coefficient
        self._coefficient = coefficient(name, scale=scale)

    def __call__(self, rows: Ints, predicted: Floats) -> float:
        """Return the coefficient of predictions with the raters' own scores of these rows."""
        return self.of(rows, self.scores[rows], predicted)

    def of(self, rows: Ints, human: Floats, predicted: Floats) -> float:
        """Return the coefficient of predictions with other scores, such as shuffled ones."""
        no_label = np.full(len(rows), -1, dtype=np.int64)
        item = np.unique(self.data.table.item[rows], return_inverse=True)[1].astype(np.int64)
        judge = verdicts(predicted, self.data, self.criterion) if self.binary else predicted
        human_scores = verdicts(human, self.data, self.criterion) if self.binary else human
        value = measure(
            PairedScores(human_scores, judge, item, no_label, no_label),
            self._coefficient,
            level=self.level,
            constant_groups="zero",
            draws=ItemDraws(int(item.max(initial=0)) + 1, 0, 0),
        )
        return float(value.value)


def verdicts(values: Floats, data: TrainingData, criterion: str) -> Floats:
    """Return the nearer of the scale's two points; a value halfway is the upper one."""
    low, high = (float(point.value) for point in data.scale(criterion).points())
    return np.where(values >= (low + high) / 2, high, low)


def metric_comparison(
    data: TrainingData,
    criterion: str,
    *,
    level: str,
    binary: bool,
    predicted: Mapping[str, Floats],
    seed: int,
) -> list[AgreementRow]:
    """Return the learned judge under each split, controls, metrics and trivial baselines, with intervals.

    Args:
        data: the project.
        criterion: the criterion.
        level: "item" or "none".
        binary: whether a score is a verdict.
        predicted: by name, a score of each response; NaN where there is none.
        seed: of the resampling.
    """
    humans = data.data.scores
    humans = humans[(humans["rater_kind"] == "human") & (humans["criterion"] == criterion)]
    rated = set(humans["response"].unique())
    parts = [humans]
    for name, values in predicted.items():
        scores = verdicts(values, data, criterion) if binary else values
        parts.append(_frame(data, criterion, name, "judge", np.where(np.isfinite(values), scores, np.nan)))
    for name, feature in PLAIN.items():
        if feature in data.table.names:
            values = data.table.chosen([feature])[:, 0]
            parts.append(_frame(data, criterion, name, "metric", values))
    own_metrics = set(PLAIN)
    metrics = data.data.scores
    metrics = metrics[(metrics["rater_kind"] == "metric") & (metrics["criterion"] == criterion)]
    parts.append(metrics[~metrics["rater"].isin(own_metrics)])
    frame = pd.concat([part for part in parts if len(part)], ignore_index=True)
    frame = frame[frame["response"].isin(rated)]
    words = pd.Series(
        [float(word_count(text)) for text in data.responses["text"]], index=data.responses["response"]
    )
    return agreement(
        frame,
        scales=data.data.project.scales,
        levels=(level,),
        coefficients=defaults_for_scale(data.scale(criterion)).coefficients,
        seed=seed,
        aggregation=data.data.aggregation,
        tables=unit_tables(
            frame,
            data.data.aggregation,
            scales=data.data.project.scales,
            words=words,
            drawn_items=data.data.rated_items.index,
        ),
    )


def best_plain(rows: Sequence[Mapping[str, Any]], leading: str) -> str | None:
    """Return the metric with the highest value, controls excluded; None without one."""
    metrics = [
        row
        for row in rows
        if row["rater_kind"] == "metric"
        and row["rater"] not in CONTROLS
        and row["coefficient"] == leading
        and row["value"] is not None
    ]
    return max(metrics, key=lambda row: float(row["value"]))["rater"] if metrics else None


def _frame(data: TrainingData, criterion: str, name: str, kind: str, values: Floats) -> pd.DataFrame:
    defined = np.isfinite(values)
    responses = data.responses[defined]
    columns = {
        "item": responses["item"],
        "response": responses["response"],
        "system": responses["system"],
        "group": responses["group"],
        "criterion": criterion,
        "rater": name,
        "rater_kind": kind,
        "score": values[defined],
        "run": pd.NA,
        "sample": pd.NA,
        "rated_at": pd.NaT,
    }
    return pd.DataFrame(columns)[list(SCORE_COLUMNS)]
