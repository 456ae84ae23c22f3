"""What every metric must keep, found by name."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgelab.errors import NotFound
from judgelab.metrics import Metric, MetricInput, metrics

EVERY = pytest.mark.parametrize("metric", [one for _, one in metrics.items()], ids=metrics.names())
INPUTS = st.lists(st.builds(MetricInput, st.text(), st.lists(st.text(), max_size=3)), max_size=5)


@EVERY
def test_it_introduces_itself(metric: Metric) -> None:
    assert metric.name in metrics.names() and metric.title
    assert metric.summary.endswith(".") and metric.limits.endswith(".")
    for option in metric.options:
        assert option.help.endswith(".") and option.read(option.default) == option.default


@EVERY
@settings(max_examples=50)
@given(batch=INPUTS)
def test_numbers_are_finite_and_do_not_depend_on_the_batch(metric: Metric, batch: list[MetricInput]) -> None:
    scores = metric.score(batch, {})
    assert len(scores) == len(batch)
    for given_, score in zip(batch, scores, strict=True):
        assert score == metric.score([given_], {})[0]
        assert bool(score.reason) if score.value is None else math.isfinite(score.value)


@EVERY
def test_without_a_reference_there_is_no_made_up_number(metric: Metric) -> None:
    [score] = metric.score([MetricInput("A cat sat.")], {})
    assert (score.value is None) == metric.needs_references
    assert (score.reason == "no reference") == metric.needs_references


@EVERY
def test_a_text_of_a_hundred_thousand_words(metric: Metric) -> None:
    long = "many words again " * 33_334
    assert metric.score([MetricInput(long, ["many words", long])], {})[0].value is not None


@EVERY
def test_the_same_text_is_the_best_answer(metric: Metric) -> None:
    if metric.needs_references:
        same, other = metric.score(
            [MetricInput("a cat sat", [text]) for text in ("a cat sat", "no dog ran")], {}
        )
        assert same.value == pytest.approx(1)
        assert other.value is not None and other.value < 1


@EVERY
def test_an_unknown_option_is_named(metric: Metric) -> None:
    with pytest.raises(NotFound, match="stemer"):
        metric.score([], {"stemer": "true"})


def test_finding_the_metrics_loads_no_heavy_library() -> None:
    program = (
        "import sys; from judgelab.metrics import metrics; metrics.names(); "
        "print([name for name in ('nltk', 'torch', 'transformers', 'streamlit') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
