"""How metrics without an encoder rank the systems of SummEval; `benchmarks/metric_rows.py` prints all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.metric_rows import correlations, summaries
from judgelab.metrics import MetricInput, metrics


@pytest.fixture(scope="module")
def frame(datasets: Path) -> pd.DataFrame:
    return summaries(datasets / "summeval")


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("bleu", {"references": "first"}, 0.0704),
        ("meteor", {"references": "first", "tokenizer": "space"}, 0.1792),
        ("novelty", {}, -0.2734),
    ],
)
def test_mean_rank_correlation_with_the_experts(
    frame: pd.DataFrame, name: str, options: dict[str, str], expected: float
) -> None:
    batch = [MetricInput(row.summary, row.references, "", row.source) for row in frame.itertuples()]
    scores = [score.value for score in metrics.get(name).score(batch, options)]
    assert np.mean(correlations(frame, scores)) == pytest.approx(expected, abs=5e-5)
