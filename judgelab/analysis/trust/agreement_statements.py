"""Sentences on a judge's agreement and on replacing a rater by it, always next to the trivial baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from judgelab.analysis.trust.alternative_test import FAILS, NOT_POSSIBLE, PASSES
from judgelab.analysis.trust.bias_statements import significant_sign
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.statements import (
    Statement,
    criterion_keys,
    criterion_labels,
    n_range,
    quoted_labels,
    range_of,
)
from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import BREVITY, NAMES, SEVERAL
from judgelab.metaeval.agreement.vs_ceiling_rows import (
    ABOVE,
    AS_GOOD,
    BELOW,
    NO_BETTER,
    UNCLEAR,
    UNKNOWN,
    BestBaseline,
    VsCeilingRow,
    beats_baseline,
)
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import Estimate, no_interval_reason
from judgelab.metaeval.core.statistic_defaults import LENGTH, LONGER, ONE_ANSWER, PREVALENCE
from judgelab.wording import joined, mark, sentence

VERDICT_TEXTS = {
    AS_GOOD: mark("On {criteria}, {judge} agrees with the raters as well as they agree with one another."),
    ABOVE: mark("On {criteria}, {judge} agrees with the raters better than they agree with one another."),
    BELOW: mark("On {criteria}, {judge} agrees with the raters less than they agree with one another."),
    UNCLEAR: mark(
        "On {criteria}, there are too few data to tell whether {judge} agrees with the raters as well as "
        "they agree with one another."
    ),
}
BASELINE_TEXTS = {  # by which of the two is significantly better, the judge first
    1: mark("{first} It is significantly better than {baseline}."),
    0: mark("{first} It is not significantly better than {baseline}."),
    -1: mark("{first} It is significantly worse than {baseline}."),
}
# For a judge at the ceiling, by whether the best baseline is at the ceiling as well.
NO_BETTER_THAN = {
    True: mark(
        "On {criteria}, even the best trivial baseline agrees with the raters as well as they agree with one "
        "another: {baseline}. {judge} does, too, but is not significantly better than it."
    ),
    False: mark(
        "On {criteria}, {judge} agrees with the raters as well as they agree with one another, but not "
        "significantly better than {baseline}."
    ),
}
NO_BASELINE = mark(
    "On {criteria}, {judge} agrees with the raters as well as they agree with one another, but could not "
    "be compared with a trivial baseline."
)
BASELINE_PHRASES = {
    LENGTH: mark("word count alone ({values})"),
    BREVITY: mark("brevity alone ({values})"),
    ONE_ANSWER: mark("always giving the same answer ({values})"),
    PREVALENCE: mark("answering at random with the raters' shares ({values})"),
    LONGER: mark("always choosing the longer response ({values})"),
    SEVERAL: mark("the best trivial baseline of each criterion ({values})"),
}
WITH_THEIR = {  # by whether it chose between two responses
    False: mark(
        "On {criterion}, it agrees with their scores at {value}. Agreement of trivial baselines: {baselines}."
    ),
    True: mark(
        "On {criterion}, it agrees with their choices at {value}. Agreement of trivial baselines: "
        "{baselines}."
    ),
}
SHARES = ("exact",)  # coefficients that are read in per cent
GOOD = {AS_GOOD: True, ABOVE: True, BELOW: False, UNCLEAR: None}


def agreement_statements(trust: JudgeTrust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return sentences on agreement with raters and with the best baseline, then on missing scores."""
    groups = [_verdict_statements(trust, criteria, verdict) for verdict in (AS_GOOD, ABOVE)]
    groups.append(_no_better_statements(trust, criteria))
    groups += [_verdict_statements(trust, criteria, verdict) for verdict in (BELOW, UNCLEAR)]
    return [
        *(statement for group in groups for statement in group),
        *_unknown_statements(trust, criteria),
        *_missing_statements(trust),
    ]


def _verdict_statements(
    trust: JudgeTrust, criteria: Sequence[CriterionTrust], verdict: str
) -> list[Statement]:
    statements = []
    for side in BASELINE_TEXTS:
        matching = [
            criterion
            for criterion in criteria
            if criterion.verdict == verdict and _beside_baseline(criterion) == side
        ]
        if matching:
            first = sentence(VERDICT_TEXTS[verdict], criteria=criterion_labels(matching), judge=trust.judge)
            baselines = best_baselines_phrase(matching)
            text = first
            if baselines is not None:
                text = sentence(BASELINE_TEXTS[side], first=first, baseline=baselines)
            statements.append(_statement(matching, text, GOOD[verdict]))
    return statements


def _no_better_statements(trust: JudgeTrust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    statements = []
    for baseline_as_good, template in NO_BETTER_THAN.items():
        matching = [
            criterion
            for criterion in criteria
            if criterion.verdict == NO_BETTER and criterion.baseline_as_good is baseline_as_good
        ]
        if matching:
            baselines = best_baselines_phrase(matching)
            values = {"criteria": criterion_labels(matching), "judge": trust.judge}
            text = sentence(NO_BASELINE, **values)
            if baselines is not None:
                text = sentence(template, baseline=baselines, **values)
            statements.append(_statement(matching, text, False if baseline_as_good else None))
    return statements


def alternative_test_statements(trust: JudgeTrust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return sentences on the alternative annotator test.

    Passing speaks for the judge only if it also agrees significantly better than the best baseline.
    """
    epsilon = f"{trust.epsilon:g}"
    outcomes: list[tuple[Callable[[CriterionTrust], bool], bool | None, str]] = [
        (lambda one: one.alternative.passed is True and _beats_baseline(one), True, PASSES),
        (
            lambda one: one.alternative.passed is True and not _has_baseline(one),
            None,
            mark(
                "It passes the alternative annotator test (ε = {epsilon}) on {criteria}, but could not be "
                "compared with a trivial baseline there."
            ),
        ),
        (
            lambda one: one.alternative.passed is True and _has_baseline(one) and not _beats_baseline(one),
            None,
            mark(
                "It passes the alternative annotator test (ε = {epsilon}) on {criteria}, but is not "
                "significantly better than a trivial baseline there."
            ),
        ),
        (lambda one: one.alternative.passed is False and not _below(one), False, FAILS),
        (
            lambda one: one.alternative.passed is False and _below(one),
            False,
            mark("The judge also fails the alternative annotator test (ε = {epsilon}) on {criteria}."),
        ),
    ]
    statements = []
    for belongs, good, template in outcomes:
        matching = [criterion for criterion in criteria if belongs(criterion)]
        if matching:
            text = sentence(template, epsilon=epsilon, criteria=criterion_labels(matching))
            counts = range_of([criterion_trust.alternative.advantage.n for criterion_trust in matching])
            statements.append(Statement("stand_in", text, good, criterion_keys(matching), **counts))
    matching = [criterion for criterion in criteria if criterion.alternative.passed is None]
    if matching:
        text = sentence(
            NOT_POSSIBLE,
            criteria=criterion_labels(matching), why=matching[0].alternative.winning_rate.reason,
        )  # fmt: skip
        statements.append(Statement("stand_in", text, None, criterion_keys(matching), **n_range(matching)))
    return statements


def _below(criterion: CriterionTrust) -> bool:
    return criterion.verdict == BELOW or bool(criterion.verdict == NO_BETTER and criterion.baseline_as_good)


def baseline_phrase(baseline: BestBaseline) -> str | None:
    """Return a phrase such as `word count alone (0.65)`, or None if the baseline has no value."""
    return None if baseline.estimate.value is None else _phrase(baseline.name, [_value(baseline.estimate)])


def baseline_row_phrase(rater: str, estimate: Estimate, *, share: bool = False) -> str:
    """Return the phrase for a table row of a baseline that has a value; a share is in per cent."""
    return _phrase(next(key for key, name in NAMES.items() if name == rater), [_value(estimate, share=share)])


def best_baselines_phrase(criteria: Sequence[CriterionTrust]) -> str | None:
    """Return the best baseline of each criterion with its value, or None if no baseline has one."""
    by_name: dict[str, list[str]] = {}
    for criterion in criteria:
        row = criterion.beside
        if row is not None and row.baseline is not None and row.baseline.estimate.value is not None:
            label = f"{criterion.label} " if len(criteria) > 1 else ""
            shown = _value(row.baseline.estimate, share=row.coefficient in SHARES)
            by_name.setdefault(row.baseline.name, []).append(f"{label}{shown}")
    return joined([_phrase(name, values) for name, values in by_name.items()]) if by_name else None


def _phrase(name: str, values: Sequence[str]) -> str:
    return sentence(BASELINE_PHRASES[name], values=", ".join(values))


def _value(estimate: Estimate, *, share: bool = False) -> str:
    value = estimate.value or 0.0
    return f"{100 * value:.0f} %" if share else f"{value:z.2f}".replace("-", "−")


def _beats_baseline(criterion: CriterionTrust) -> bool:
    return criterion.beside is not None and beats_baseline(criterion.beside)


def _beside_baseline(criterion: CriterionTrust) -> int:
    """Return 1 if the judge is significantly better than the best baseline, -1 if worse, else 0."""
    row = criterion.beside
    if row is None or row.baseline is None:
        return 0
    sign = -1 if row.coefficient in ERRORS else 1
    return sign * significant_sign(row.baseline.difference)


def _has_baseline(criterion: CriterionTrust) -> bool:
    """Return whether a trivial baseline was measured (there is none of length without texts)."""
    return criterion.beside is not None and criterion.beside.baseline is not None


def _statement(criteria: Sequence[CriterionTrust], text: str, good: bool | None) -> Statement:
    counts = range_of(
        [criterion.n if criterion.beside is None else criterion.beside.estimate.n for criterion in criteria]
    )
    return Statement("agreement", text, good, criterion_keys(criteria), **counts)


def _unknown_statements(trust: JudgeTrust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    unknown = [criterion for criterion in criteria if criterion.verdict == UNKNOWN]
    if not unknown:
        return []
    text = sentence(
        "On {criteria}, {judge} can't be compared with the raters among themselves: {why}.",
        criteria=criterion_labels(unknown), judge=trust.judge, why=_why_unmeasured(unknown[0].beside),
    )  # fmt: skip
    statements = [Statement("agreement", text, None, criterion_keys(unknown), **n_range(unknown))]
    for measured in unknown:
        judge_rows = [
            row for row in measured.against_all if row.rater == trust.judge and row.estimate.value is not None
        ]
        baselines = [
            baseline_row_phrase(row.rater, row.estimate, share=row.coefficient in SHARES)
            for row in measured.against_all
            if row.rater_kind == BASELINE and row.estimate.value is not None
        ]
        if judge_rows and baselines:
            row = judge_rows[0]
            text = sentence(
                WITH_THEIR[measured.of_pairs is not None],
                criterion=quoted_labels([measured.label]), baselines=joined(baselines),
                value=_value(row.estimate, share=row.coefficient in SHARES),
            )  # fmt: skip
            statements.append(Statement("agreement", text, None, (measured.criterion,), row.estimate.n))
    return statements


def _why_unmeasured(row: VsCeilingRow | None) -> str:
    """Return why the judge's distance from the raters is not known."""
    if row is None:
        return sentence("no response or pair has two human ratings")
    return row.difference.reason or no_interval_reason(row.difference) or row.difference.ci_method


def _missing_statements(trust: JudgeTrust) -> list[Statement]:
    statements = []
    if trust.criteria_without_scores:
        labels = [trust.labels.get(key, key) for key in trust.criteria_without_scores]
        text = sentence(
            "{judge} has no score on {criteria}.", judge=trust.judge, criteria=quoted_labels(labels)
        )
        statements.append(Statement("agreement", text, None, trust.criteria_without_scores, 0))
    if trust.criteria_without_ratings:
        labels = [trust.labels.get(key, key) for key in trust.criteria_without_ratings]
        text = sentence("No scored response has a rating on {criteria}.", criteria=quoted_labels(labels))
        statements.append(Statement("agreement", text, None, trust.criteria_without_ratings, 0))
    return statements
