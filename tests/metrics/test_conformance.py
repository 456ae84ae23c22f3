"""What every metric must keep, found by name."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.errors import NotFound
from judgelab.metrics import Metric, MetricInput, metrics
from judgelab.metrics.base import Surroundings, metric_of
from judgelab.metrics.encoder_files import OFFLINE, has_torch
from judgelab.metrics.encoder_model import NEEDS_TORCH
from judgelab.metrics.neural import NeuralMetric
from tests.examples import examples

EVERY = pytest.mark.parametrize("metric", [one for _, one in metrics.items()], ids=metrics.names())
SAME = "a cat sat on the mat beside another cat"
INPUTS = st.lists(st.builds(MetricInput, st.text(), st.lists(st.text(), max_size=3)), max_size=5)


def needs_torch(metric: Metric) -> bool:
    return isinstance(metric, NeuralMetric) and not has_torch()


@EVERY
def test_it_introduces_itself(metric: Metric) -> None:
    assert metric.name in metrics.names() and metric.title
    assert metric.summary.endswith(".") and metric.limits.endswith(".")
    for option in metric.options:
        assert option.help.endswith(".") and option.read(option.default) == option.default


@EVERY
def test_numbers_are_finite_and_do_not_depend_on_the_batch(metric: Metric) -> None:
    runs_a_model = any(option.name == "encoder" for option in metric.options)

    @examples(3 if runs_a_model else 30)
    @given(batch=INPUTS)
    def holds(batch: list[MetricInput]) -> None:
        corpus = metric.corpus(batch, {}) if metric.wants_corpus({}) else None
        around = Surroundings(corpus)
        scores = metric.score_within(batch, {}, around)
        assert len(scores) == len(batch)
        for given_, score in zip(batch, scores, strict=True):
            [single] = metric.score_within([given_], {}, around)
            # A model's padding moves its last bits.
            assert score == single or (score.value == pytest.approx(single.value, abs=1e-4) and runs_a_model)
            assert bool(score.reason) if score.value is None else math.isfinite(score.value)

    holds()


@EVERY
def test_what_it_compares_with_must_be_there(metric: Metric) -> None:
    [score] = metric.score([MetricInput("A cat sat.")], {})
    missing = "no reference" if metric.needs_references else "no context" if metric.needs_context else ""
    assert (score.value is None, score.reason) == (bool(missing), missing) or score.reason == NEEDS_TORCH


@EVERY
def test_a_text_of_a_hundred_thousand_words(metric: Metric) -> None:
    long = "many words again " * 33_334
    [score] = metric.score([MetricInput(long, ["many words", long], context="many words")], {})
    assert score.value is not None or score.reason == NEEDS_TORCH


@EVERY
def test_the_same_text_is_the_best_answer(metric: Metric) -> None:
    if metric.best is not None and not needs_torch(metric):
        identical, different = metric.score([MetricInput(SAME, [text]) for text in (SAME, "no dog ran")], {})
        assert identical.value == pytest.approx(metric.best, rel=0.001)
        assert different.value is not None and different.value < metric.best


@EVERY
def test_as_a_rater_it_is_named_by_what_differs(metric: Metric) -> None:
    settled = metric.settle({"encoder": OFFLINE} if "encoder" in metric.settle({}) else {})
    assert metric.rater(settled) == metric.rater(settled, settled) == metric.name
    for option in metric.options:
        for choice in option.choices:
            changed = {**settled, option.name: choice}
            assert metric_of(metric.rater(changed, settled)) == metric.rater(changed) == metric.name
            assert (metric.rater(changed, settled) == metric.name) == (choice == option.default)


@EVERY
def test_an_unknown_option_is_named(metric: Metric) -> None:
    with pytest.raises(NotFound, match="stemer"):
        metric.score_within([], {"stemer": "true"}, Surroundings())


def test_finding_the_metrics_loads_no_heavy_library() -> None:
    program = (
        "import sys; from judgelab.metrics import metrics; metrics.names(); "
        "print([name for name in ('nltk', 'torch', 'transformers', 'streamlit') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
