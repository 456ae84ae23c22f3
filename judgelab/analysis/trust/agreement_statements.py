"""Whether a judge agrees as a rater does, and could stand in for one: never without the trivial baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_trust import Trust
from judgelab.analysis.trust.statements import Statement, keys, least_n, named
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
from judgelab.metaeval.core.defaults import LENGTH, ONE_ANSWER, PREVALENCE
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import joined, mark, sentence

STANDS = {
    AS_GOOD: mark("On {criteria}, {judge} agrees with the raters as well as they agree with one another."),
    ABOVE: mark("On {criteria}, {judge} agrees with the raters better than they agree with one another."),
    BELOW: mark("On {criteria}, {judge} agrees with the raters less than they agree with one another."),
    UNCLEAR: mark(
        "On {criteria}, the data are too few to say whether {judge} agrees with the raters as well as they "
        "agree with one another."
    ),
}
BESIDE_BASELINE = {
    True: mark("{first} It agrees better than {baseline}."),
    False: mark("{first} It does not measurably agree better than {baseline}."),
}
# Of a judge that would be called as good as a rater, by whether the baseline would be, too.
NO_BETTER_THAN = {
    True: mark(
        "On {criteria}, {judge} agrees with the raters as well as they agree with one another, but so does "
        "{baseline}."
    ),
    False: mark(
        "On {criteria}, {judge} agrees with the raters as well as they agree with one another, but not "
        "measurably better than {baseline}."
    ),
}
NO_BASELINE = mark(
    "On {criteria}, {judge} agrees with the raters as well as they agree with one another, but could not be "
    "set beside a trivial baseline."
)
ALONE = {
    LENGTH: mark("word count alone ({values})"),
    BREVITY: mark("brevity alone ({values})"),
    ONE_ANSWER: mark("always giving one answer ({values})"),
    PREVALENCE: mark("answering at random with the raters' shares ({values})"),
    SEVERAL: mark("the best trivial baseline of each criterion ({values})"),
}
GOOD = {AS_GOOD: True, ABOVE: True, BELOW: False, UNCLEAR: None}


def agreement_statements(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return how the judge stands beside the raters and the best baseline, then what is missing."""
    said = [_standing(found, criteria, verdict) for verdict in (AS_GOOD, ABOVE)]
    said.append(_no_better(found, criteria))
    said += [_standing(found, criteria, verdict) for verdict in (BELOW, UNCLEAR)]
    return [*(one for part in said for one in part), *_unknown(found, criteria), *_missing(found)]


def _standing(found: Trust, criteria: Sequence[CriterionTrust], verdict: str) -> list[Statement]:
    said = []
    for beats in (True, False):
        these = [
            criterion for criterion in criteria if criterion.verdict == verdict and _beats(criterion) is beats
        ]
        if these:
            first = sentence(STANDS[verdict], criteria=named(these), judge=found.judge)
            alone = baselines_alone(these)
            text = first if alone is None else sentence(BESIDE_BASELINE[beats], first=first, baseline=alone)
            said.append(_statement(these, text, GOOD[verdict]))
    return said


def _no_better(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    said = []
    for so_does, template in NO_BETTER_THAN.items():
        these = [
            criterion
            for criterion in criteria
            if criterion.verdict == NO_BETTER and criterion.baseline_as_good is so_does
        ]
        if these:
            alone = baselines_alone(these)
            values = {"criteria": named(these), "judge": found.judge}
            text = sentence(NO_BASELINE, **values)
            if alone is not None:
                text = sentence(template, baseline=alone, **values)
            said.append(_statement(these, text, False if so_does else None))
    return said


def stand_in_statements(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return the alternative annotator test; passing it speaks for nobody whom a baseline may equal."""
    epsilon = f"{found.epsilon:g}"
    outcomes: list[tuple[Callable[[CriterionTrust], bool], bool | None, str]] = [
        (
            lambda one: one.alternative.passed is True and _beats(one),
            True,
            mark("It passes the alternative annotator test (ε = {epsilon}) on {criteria}."),
        ),
        (
            lambda one: one.alternative.passed is True and not _measured(one),
            None,
            mark(
                "It passes the alternative annotator test (ε = {epsilon}) on {criteria}, but could not be "
                "set beside a trivial baseline there."
            ),
        ),
        (
            lambda one: one.alternative.passed is True and _measured(one) and not _beats(one),
            None,
            mark(
                "It passes the alternative annotator test (ε = {epsilon}) on {criteria}, but does not "
                "measurably agree better than a trivial baseline there."
            ),
        ),
        (
            lambda one: one.alternative.passed is False,
            False,
            mark("It fails the alternative annotator test (ε = {epsilon}) on {criteria}."),
        ),
    ]
    said = []
    for belongs, good, template in outcomes:
        these = [criterion for criterion in criteria if belongs(criterion)]
        if these:
            text = sentence(template, epsilon=epsilon, criteria=named(these))
            n = min(one.alternative.advantage.n for one in these)
            said.append(Statement("stand_in", text, good, keys(these), n))
    these = [criterion for criterion in criteria if criterion.alternative.passed is None]
    if these:
        text = sentence(
            "The alternative annotator test is not possible on {criteria}: {why}.",
            criteria=named(these), why=these[0].alternative.winning_rate.reason,
        )  # fmt: skip
        said.append(Statement("stand_in", text, None, keys(these), least_n(these)))
    return said


def alone(baseline: BestBaseline) -> str | None:
    """Return `word count alone (0.65)`; None where it has no value."""
    return _alone(baseline.name, [("", baseline.estimate)])


def alone_of(rater: str, estimate: Estimate) -> str:
    """Return the same of a row of a baseline that has a value."""
    said = _alone(next(key for key, name in NAMES.items() if name == rater), [("", estimate)])
    assert said is not None, "a row with a value"
    return said


def baselines_alone(criteria: Sequence[CriterionTrust]) -> str | None:
    """Return the best baseline of each criterion with its value, None where none has one."""
    by_name: dict[str, list[tuple[str, Estimate]]] = {}
    for criterion in criteria:
        best = None if criterion.beside is None else criterion.beside.baseline
        if best is not None and best.estimate.value is not None:
            label = criterion.label if len(criteria) > 1 else ""
            by_name.setdefault(best.name, []).append((label, best.estimate))
    return _listed(_alone(name, values) for name, values in by_name.items())


def _alone(name: str, values: Iterable[tuple[str, Estimate]]) -> str | None:
    said = [f"{label} {one.value:z.2f}".strip() for label, one in values if one.value is not None]
    return sentence(ALONE[name], values=", ".join(said).replace("-", "−")) if said else None


def _listed(parts: Iterable[str | None]) -> str | None:
    said = [part for part in parts if part is not None]
    return joined(said) if said else None


def _beats(one: CriterionTrust) -> bool:
    return one.beside is not None and beats_baseline(one.beside)


def _measured(one: CriterionTrust) -> bool:
    """Return whether the judge is compared with a trivial baseline; without texts there is no length."""
    return one.beside is not None and one.beside.baseline is not None


def _statement(these: Sequence[CriterionTrust], text: str, good: bool | None) -> Statement:
    n = min(one.n if one.beside is None else one.beside.estimate.n for one in these)
    return Statement("agreement", text, good, keys(these), n)


def _unknown(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    these = [criterion for criterion in criteria if criterion.verdict == UNKNOWN]
    if not these:
        return []
    first = these[0].beside
    why = _unmeasured(first)
    text = sentence(
        "On {criteria}, {judge} cannot be measured against the raters among themselves: {why}.",
        criteria=named(these), judge=found.judge, why=why,
    )  # fmt: skip
    said = [Statement("agreement", text, None, keys(these), least_n(these))]
    for one in these:
        own = [row for row in one.against_all if row.rater == found.judge and row.estimate.value is not None]
        others = _listed(
            alone_of(row.rater, row.estimate)
            for row in one.against_all
            if row.rater_kind == BASELINE and row.estimate.value is not None
        )
        if own and others:
            text = sentence(
                "On {criterion}, it agrees with their scores at {value}; for comparison: {baselines}.",
                criterion=one.label, baselines=others,
                value=f"{own[0].estimate.value:z.2f}".replace("-", "−"),
            )  # fmt: skip
            said.append(Statement("agreement", text, None, (one.criterion,), own[0].estimate.n))
    return said


def _unmeasured(row: VsCeilingRow | None) -> str:
    """Return why no distance from the raters is known."""
    if row is None:
        return sentence("no unit has two human ratings")
    return row.difference.reason or no_variation_reason(row.difference) or row.difference.ci_method


def _missing(found: Trust) -> list[Statement]:
    said = []
    if found.lacking:
        labels = [found.labels.get(key, key) for key in found.lacking]
        text = sentence("{judge} has no score on {criteria}.", judge=found.judge, criteria=joined(labels))
        said.append(Statement("agreement", text, None, found.lacking, 0))
    if found.unrated:
        labels = [found.labels.get(key, key) for key in found.unrated]
        text = sentence("No rating stands beside the scores on {criteria}.", criteria=joined(labels))
        said.append(Statement("agreement", text, None, found.unrated, 0))
    return said
