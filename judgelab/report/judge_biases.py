"""The judges' habits in a report: leniency, spread and length bias, each with the raters' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from judgelab.analysis.trust.bias_statements import bias_statements
from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.analysis.trust.length_statements import length_statements
from judgelab.analysis.trust.test_families import Family, family_of_tests
from judgelab.escaping import escape_markdown
from judgelab.metaeval.core.result import Estimate, printed_difference
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.report.facts import Facts

HABIT_LABELS = {
    "leniency": "mean score",
    "spread": "standard deviation",
    "length": "points for one sd of length",
}


def habit_rows(facts: Facts) -> pd.DataFrame:
    """Return a row for each judge, criterion and habit: both values, difference and test."""
    return pd.DataFrame(list(_rows(facts)))


def habit_table(facts: Facts) -> pd.DataFrame:
    """Return the habits as a table to be printed."""
    return pd.DataFrame(
        [
            {
                "Judge": judge,
                "Criterion": biases.label,
                "Habit": HABIT_LABELS[name],
                "Judge's own": _cell(habit.own.value, habit.own),
                "Raters' own": _cell(habit.raters.value, habit.raters),
                "Difference": _cell(printed_difference(habit.own, habit.raters, 2), habit.difference, "+"),
                "p": "–" if habit.test.adjusted is None else f"{habit.test.adjusted:z.3f}",
                "n": f"{habit.difference.n:,}",
            }
            for judge, by_criterion in facts.habits.items()
            for biases in by_criterion.values()
            for name, habit in habits_by_name(biases).items()
        ]
    )


def habit_sentences(facts: Facts) -> list[str]:
    """Return the certain statements about habits, judge by judge, then how the p-values were corrected."""
    sentences = []
    for judge, by_criterion in facts.habits.items():
        criteria = list(by_criterion.values())
        sentences += [
            escape_markdown(f"{judge}: {statement.text}")
            for statement in (*bias_statements(criteria), *length_statements(criteria))
        ]
    families = {
        family.description: None
        for by_criterion in facts.habits.values()
        for name in HABIT_LABELS
        if (family := _family(by_criterion, name)) is not None
    }
    return [*sentences, *(f"p, by judge and habit: {family}." for family in families)]


def habits_by_name(biases: JudgeBiases) -> dict[str, BiasEstimate]:
    """Return a judge's habits under a criterion, by name."""
    length = biases.verbosity
    return {
        "leniency": biases.leniency,
        "spread": biases.spread,
        "length": BiasEstimate(length.own, length.raters, length.slope, length.test),
    }


def _rows(facts: Facts) -> Iterator[dict[str, Any]]:
    for judge, by_criterion in facts.habits.items():
        for name in HABIT_LABELS:
            family = _family(by_criterion, name)
            for key, biases in by_criterion.items():
                habit = habits_by_name(biases)[name]
                yield {
                    "judge": judge,
                    "criterion": key,
                    "habit": name,
                    **_numbers("own", habit.own),
                    **_numbers("raters", habit.raters),
                    **_numbers("difference", habit.difference),
                    "n": habit.difference.n,
                    "interval": habit.difference.ci_method,
                    "test": habit.test.name,
                    "p": habit.test.p,
                    "p_floor": habit.test.floor,
                    "p_corrected": habit.test.adjusted,
                    "correction": habit.test.correction,
                    "corrected_over": None if family is None else family.tests,
                    "reason": habit.difference.reason or habit.test.reason or "",
                }


def _family(by_criterion: Mapping[str, JudgeBiases], habit: str) -> Family | None:
    return family_of_tests(
        {key: [habits_by_name(biases)[habit].test] for key, biases in by_criterion.items()}
    )


def _numbers(name: str, estimate: Estimate) -> dict[str, float | None]:
    low, high = estimate.ci or (None, None)
    return {name: estimate.value, f"{name}_ci_low": low, f"{name}_ci_high": high}


def _cell(value: float | None, estimate: Estimate, sign: str = "") -> str:
    if value is None:
        return "–"
    interval = "" if estimate.ci is None else f" [{estimate.ci[0]:z.2f}, {estimate.ci[1]:z.2f}]"
    return f"{value:{sign}.2f}{interval}".replace("-", "−")
