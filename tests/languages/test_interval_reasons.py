"""Why a number has no interval is shown in the reader's language, and exported in English."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import judgelab
from judgelab.languages import _, in_language
from judgelab.languages.collect import texts_in
from judgelab.languages.locales import messages
from judgelab.metaeval.core.resampling import interval_method, no_variation_reason, too_few_values
from judgelab.metaeval.core.result import Estimate, no_interval, no_interval_reason
from judgelab.metaeval.inference.cluster_robust import cluster_mean
from judgelab.ui.shared.findings import recipe
from judgelab.wording import Sentence, sentence

CODE = Path(judgelab.__file__).parent


def texts_of_reasons() -> Iterator[str]:
    """Yield the texts that the code gives `no_interval` itself, counted ones in both forms."""
    for path in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "no_interval":
                for text in texts_in(ast.unparse(node)):
                    yield from [text] if isinstance(text, str) else text


def test_every_reason_has_a_german_text() -> None:
    reasons, german = set(texts_of_reasons()), messages("de")
    assert len(reasons) > 15
    assert {reason for reason in reasons if german.get(reason, reason) == reason} == set()


def test_no_reason_is_written_without_its_template() -> None:
    plain = [
        f"{path.relative_to(CODE)}:{node.lineno}"
        for path in CODE.rglob("*.py")
        if path.name != "result.py" and "ui" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and str(node.value).startswith("none: ")
    ]
    assert plain == []


@pytest.mark.parametrize(
    ("items", "english", "german"),
    [
        (1, "none: only 1 item; an interval needs 3", "keines: nur 1 Item; ein Intervall braucht 3"),
        (2, "none: only 2 items; an interval needs 3", "keines: nur 2 Items; ein Intervall braucht 3"),
    ],
)
def test_a_reason_with_a_number_follows_the_reader(items: int, english: str, german: str) -> None:
    interval = too_few_values(np.array([0.1, 0.2]), items=items)
    assert interval is not None and interval.method == english
    with in_language("de"):
        assert _(interval.method) == german


def test_a_reason_is_also_a_sentence_of_its_own() -> None:
    few = cluster_mean(np.array([1.0, 1, 3, 3]), np.array([0, 0, 1, 1])).estimate
    assert few.ci_method == "none: 2 items; 3 are needed"
    assert no_interval_reason(few) == "2 items; 3 are needed" and no_variation_reason(few) is None
    constant = cluster_mean(np.ones(6), np.array([0, 0, 1, 1, 2, 2])).estimate
    assert isinstance(no_variation_reason(constant), Sentence)
    assert (
        no_interval_reason(Estimate(0.5, ci=(0.4, 0.6), ci_method=no_interval(sentence("no value")))) is None
    )


def test_the_line_below_a_table_says_that_there_is_no_interval() -> None:
    estimate = Estimate(0.5, n=4, ci_method=no_interval(sentence("not asked for")))
    line = {"level": "none", "coefficient": "pearson", "ratings": "r", "constant_groups": "exclude"}
    with in_language("en"):
        assert recipe({"A": estimate}, **line).endswith(" There is no interval: not asked for.")
    with in_language("de"):
        assert recipe({"A": estimate}, **line).endswith(" Es gibt kein Intervall: nicht verlangt.")


def test_the_line_below_a_table_names_the_rows_without_an_interval() -> None:
    without = Estimate(0.5, n=4, ci_method=no_interval(sentence("not asked for")))
    rows = {"A": replace(without, ci=(0.4, 0.6), ci_method="bootstrap"), "B": without}
    line = {"level": "none", "coefficient": "pearson", "ratings": "r", "constant_groups": "exclude"}
    with in_language("en"):
        assert recipe(rows, **line).endswith(
            " Intervals: bootstrap. There is no interval for B: not asked for."
        )


def test_the_line_below_a_table_gives_the_range_of_lost_resamples() -> None:
    line = {"level": "none", "coefficient": "pearson", "ratings": "r", "constant_groups": "exclude"}

    def recipe_of(*lost: int) -> str:
        estimates = [
            Estimate(0.5, n=4, ci=(0.4, 0.6), ci_method=interval_method(1000, count), seed=0)
            for count in lost
        ]
        return recipe(dict(zip("AB", estimates, strict=True)), **line)

    with in_language("en"):
        method = "percentile bootstrap over items, 1,000 resamples"
        assert recipe_of(0, 0).endswith(f" Intervals: {method}, seed 0.")
        assert recipe_of(2, 2).endswith(f" Intervals: {method}, 2 of them without a value, seed 0.")
        for low, high in ((2, 43), (0, 43)):
            words = f"Depending on the row, {low} to {high} of the resamples have no value."
            assert recipe_of(high, low).endswith(f" Intervals: {method}, seed 0. {words}")
