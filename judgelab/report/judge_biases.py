"""The habits of the judges in a report: level, range and length, each beside the raters' own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from judgelab.analysis.trust.bias_statements import habit_statements
from judgelab.analysis.trust.judge_biases import JudgeHabits
from judgelab.analysis.trust.length_statements import length_statements
from judgelab.analysis.trust.test_families import family_of
from judgelab.escaping import escape_markdown
from judgelab.metaeval.core.result import Estimate, printed_difference
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.report.facts import Facts

NAMES = {"leniency": "mean score", "spread": "standard deviation", "length": "points for one sd of length"}


def habit_rows(facts: Facts) -> pd.DataFrame:
    """Return one row a judge, criterion and habit: the judge's own, the raters', the difference, its test."""
    return pd.DataFrame(list(_rows(facts)))


def habit_table(facts: Facts) -> pd.DataFrame:
    """Return the same as it is printed."""
    return pd.DataFrame(
        [
            {
                "Judge": judge,
                "Criterion": one.label,
                "Habit": NAMES[name],
                "Judge's own": _cell(habit.own.value, habit.own),
                "Raters' own": _cell(habit.raters.value, habit.raters),
                "Difference": _cell(printed_difference(habit.own, habit.raters, 2), habit.difference, "+"),
                "p": "–" if habit.test.adjusted is None else f"{habit.test.adjusted:z.3f}",
                "n": f"{habit.difference.n:,}",
            }
            for judge, found in facts.habits.items()
            for one in found.values()
            for name, habit in habits_of(one).items()
        ]
    )


def habit_sentences(facts: Facts) -> list[str]:
    """Return what is sure of the judges' habits, judge by judge, then how the p-values were made."""
    said = []
    for judge, found in facts.habits.items():
        criteria = list(found.values())
        said += [
            escape_markdown(f"{judge}: {one.text}")
            for one in (*habit_statements(criteria), *length_statements(criteria))
        ]
    made = {
        family.said: None
        for found in facts.habits.values()
        for name in NAMES
        if (family := family_of({key: [habits_of(one)[name].test] for key, one in found.items()})) is not None
    }
    return [*said, *(f"p, by judge and habit: {one}." for one in made)]


def habits_of(one: JudgeHabits) -> dict[str, BiasEstimate]:
    """Return the habits under a criterion by name."""
    length = one.verbosity
    return {
        "leniency": one.leniency,
        "spread": one.spread,
        "length": BiasEstimate(length.own, length.raters, length.slope, length.test),
    }


def _rows(facts: Facts) -> Iterator[dict[str, Any]]:
    for judge, found in facts.habits.items():
        for name in NAMES:
            family = family_of({key: [habits_of(one)[name].test] for key, one in found.items()})
            for key, one in found.items():
                habit = habits_of(one)[name]
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


def _numbers(name: str, found: Estimate) -> dict[str, float | None]:
    low, high = found.ci or (None, None)
    return {name: found.value, f"{name}_ci_low": low, f"{name}_ci_high": high}


def _cell(value: float | None, found: Estimate, sign: str = "") -> str:
    if value is None:
        return "–"
    ends = "" if found.ci is None else f" [{found.ci[0]:z.2f}, {found.ci[1]:z.2f}]"
    return f"{value:{sign}.2f}{ends}".replace("-", "−")
