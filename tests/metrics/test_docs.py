"""The pages about metrics: the worked example runs, and every metric and option has its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judgelab.metrics import Metric, MetricInput
from judgelab.metrics.base import metrics
from judgelab.registry import Registry

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "metrics.md").read_text("utf-8")
# A new metric is one file: until its line is written, the reference, made from the code, has it.
TOLD = [metric for name, metric in metrics.items() if f"`{name}`" in PAGE]


def test_the_worked_example_is_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    [example] = re.findall(
        r"```python\n(.*?)```", (DOCS / "adding-a-metric.md").read_text("utf-8"), flags=re.DOTALL
    )
    own: Registry[Metric] = Registry("metric", "judgelab.scales")
    monkeypatch.setattr("judgelab.metrics.base.metrics", own)
    exec(compile(example, "questions.py", "exec"), {"__name__": "judgelab.metrics.questions"})
    metric = own.get("questions")
    batch = [MetricInput("Who knows? I do."), MetricInput(""), MetricInput("Wer? 誰？")]
    assert [score.value for score in metric.score(batch, {})] == [0.5, None, 1.0]
    assert metric.score(batch[2:], {"count": "number"})[0].value == 2
    usual = metric.settle({})
    assert metric.rater(metric.settle({"count": "number"}), usual) == "questions (count=number)"


@pytest.mark.parametrize("metric", TOLD, ids=[metric.name for metric in TOLD])
def test_a_metric_is_told_of_with_all_its_options(metric: Metric) -> None:
    lines = PAGE.splitlines()
    own = [line for line in lines if line.startswith("|") and f"`{metric.name}`" in line]
    rouge = [line for line in lines if line.startswith("| `rouge1`")]
    description = " ".join(own + (rouge if metric.name.startswith("rouge") else []))
    for option in metric.options:
        assert f"`{option.name}" in description, option.name
