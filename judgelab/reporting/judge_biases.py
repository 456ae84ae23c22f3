"""The judges' biases in a report: leniency, spread and length, each with the raters' own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pandas as pd

from judgelab.analysis.trust.bias_statements import bias_statements
from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.analysis.trust.length_statements import length_statements
from judgelab.analysis.trust.test_families import Family, family_of_tests
from judgelab.escaping import escape_markdown
from judgelab.metaeval.core.result import Estimate, printed_difference, printed_ends
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import join_names

BIAS_LABELS = {
    "leniency": "mean score",
    "spread": "standard deviation",
    "length": "points per SD of log length",
}

NOTES: Final = (
    "Differences are between the rounded numbers printed.",
    "Points per SD of log length: points of score per standard deviation of the logarithm of length.",
    "“Passes the bias tests?” also covers larger errors in a part of the data, which are not in this table.",
)


def bias_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return a row for each judge, criterion and bias: both values, difference and test."""
    return pd.DataFrame(list(_rows(facts)))


def bias_table(facts: ReportFacts) -> pd.DataFrame:
    """Return the biases as a table to be printed."""
    return pd.DataFrame(
        [
            {
                "Judge": judge,
                "Criterion": biases.label,
                "Bias": BIAS_LABELS[name],
                "Judge's own": _cell(bias.own.value, bias.own),
                "Raters' own": _cell(bias.raters.value, bias.raters),
                "Difference": _cell(printed_difference(bias.own, bias.raters, 2), bias.difference, "+"),
                "p": _p_value(bias.test.adjusted),
                "n": f"{bias.difference.n:,}",
            }
            for judge, by_criterion in facts.biases.items()
            for biases in by_criterion.values()
            for name, bias in biases_by_name(biases).items()
        ]
    )


def bias_sentences(facts: ReportFacts) -> list[str]:
    """Return the certain statements about biases, judge by judge, then on rounding and p-values."""
    sentences = []
    for judge, by_criterion in facts.biases.items():
        criteria = list(by_criterion.values())
        sentences += [
            escape_markdown(f"{judge}: {statement.text}")
            for statement in (*bias_statements(criteria), *length_statements(criteria))
        ]
    return [*sentences, *(NOTES if facts.biases else ()), *_p_notes(facts.biases)]


def biases_by_name(biases: JudgeBiases) -> dict[str, BiasEstimate]:
    """Return a judge's biases under a criterion, by name."""
    length = biases.verbosity
    return {
        "leniency": biases.leniency,
        "spread": biases.spread,
        "length": BiasEstimate(length.own, length.raters, length.slope, length.test),
    }


def _rows(facts: ReportFacts) -> Iterator[dict[str, Any]]:
    for judge, by_criterion in facts.biases.items():
        for name in BIAS_LABELS:
            family = _family(by_criterion, name)
            for key, biases in by_criterion.items():
                bias = biases_by_name(biases)[name]
                yield {
                    "judge": judge,
                    "criterion": key,
                    "habit": name,
                    **_numbers("own", bias.own),
                    **_numbers("raters", bias.raters),
                    **_numbers("difference", bias.difference),
                    "n": bias.difference.n,
                    "interval": bias.difference.ci_method,
                    "test": bias.test.name,
                    "p": bias.test.p,
                    "p_floor": bias.test.floor,
                    "p_corrected": bias.test.adjusted,
                    "correction": bias.test.correction,
                    "corrected_over": None if family is None else family.tests,
                    "reason": bias.difference.reason or bias.test.reason or "",
                }


def _family(by_criterion: Mapping[str, JudgeBiases], name: str) -> Family | None:
    return family_of_tests({key: [biases_by_name(biases)[name].test] for key, biases in by_criterion.items()})


def _p_notes(biases_by_judge: Mapping[str, Mapping[str, JudgeBiases]]) -> list[str]:
    """Return how p was obtained, a sentence for each number of tests corrected together."""
    methods: dict[str, dict[str, None]] = {}
    tested: dict[str, dict[str, list[str]]] = {}  # by scope and judge, the biases
    for judge, by_criterion in biases_by_judge.items():
        for name, label in BIAS_LABELS.items():
            if (family := _family(by_criterion, name)) is not None:
                methods.setdefault(family.scope, {})[family.methods] = None
                tested.setdefault(family.scope, {}).setdefault(judge, []).append(label)
    if len(methods) == 1:
        return [f"p: {'; '.join(used)}; for each judge and bias, {scope}." for scope, used in methods.items()]
    scopes_by_judge = Counter(judge for by_judge in tested.values() for judge in by_judge)
    notes = []
    for scope, used in methods.items():
        judges = [
            f"“{judge}”" if scopes_by_judge[judge] == 1 else f"“{judge}” ({join_names(labels)})"
            for judge, labels in tested[scope].items()
        ]
        named = escape_markdown(join_names(judges))
        each = "judge and bias" if len(judges) > 1 else "bias"
        notes.append(f"p of {named}: {'; '.join(used)}; for each {each}, {scope}.")
    return notes


def _numbers(name: str, estimate: Estimate) -> dict[str, float | None]:
    low, high = estimate.ci or (None, None)
    return {name: estimate.value, f"{name}_ci_low": low, f"{name}_ci_high": high}


def _p_value(p: float | None) -> str:
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _cell(value: float | None, estimate: Estimate, sign: str = "") -> str:
    if value is None:
        return "–"
    return f"{value:{sign}.2f}{printed_ends(estimate.ci, 2)}".replace("-", "−")
