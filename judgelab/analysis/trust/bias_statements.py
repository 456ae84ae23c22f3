"""Whose doing a habit is: every sentence has the judge's own figure, the raters', and the difference."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_biases import JudgeHabits
from judgelab.analysis.trust.statements import Statement, keys, least_n, named
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate, printed_difference
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.wording import joined, mark, sentence

EACH = mark("{own}, the raters {raters}, difference {apart}")
LEVELS = {
    1: mark("It scores higher than the raters on {criteria} (mean: {figures})."),
    -1: mark("It scores lower than the raters on {criteria} (mean: {figures})."),
}
RANGES = {
    1: mark("It uses more of the scale than a single rater on {criteria} (standard deviation: {figures})."),
    -1: mark("It uses less of the scale than a single rater on {criteria} (standard deviation: {figures})."),
}
ONE_SCORE = mark("It gives every response the same score on {criteria}.")
# By the sign of the judge's own lead of its family: a lead that could be chance is no taste of the judge's.
FAMILY = {
    1: mark(
        "It scores responses of its own family higher than the others, more than the raters do, on "
        "{criteria} (lead: {figures})."
    ),
    0: mark(
        "Its own family does not surely get more from it than the others, but more than from the raters, on "
        "{criteria} (lead: {figures})."
    ),
    -1: mark(
        "It scores responses of its own family lower than the others, less so than the raters, on {criteria} "
        "(lead: {figures})."
    ),
}


def habit_statements(criteria: Sequence[JudgeHabits]) -> list[Statement]:
    """Return where the judge scores higher or lower than the raters, and uses more or less of the scale."""
    said = []
    for side, template in LEVELS.items():
        these = [criterion for criterion in criteria if _side(criterion.leniency) == side]
        if these:
            said.append(_statement("habits", template, these, [one.leniency for one in these], good=False))
    same = [
        criterion
        for criterion in criteria
        if no_variation_reason(criterion.spread.own) and criterion.spread.own.value == 0
    ]
    if same:
        text = sentence(ONE_SCORE, criteria=named(same))
        said.append(Statement("habits", text, False, keys(same), least_n(same)))
    for side, template in RANGES.items():
        these = [
            criterion for criterion in criteria if criterion not in same and _side(criterion.spread) == side
        ]
        if these:
            said.append(_statement("habits", template, these, [one.spread for one in these], good=None))
    return said


def family_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return where the judge's own family gets more from it than from the raters, and whose doing it is."""
    said = []
    for side, template in FAMILY.items():
        these, habits = [], []
        for criterion in criteria:
            habit = None if criterion.family is None else criterion.family.favour
            if habit is not None and _side(habit) > 0 and sign_of(habit.own) == side:
                these.append(criterion)
                habits.append(habit)
        if these:
            good = False if side > 0 else None
            said.append(_statement("family", template, these, habits, good=good))
    return said


def sign_of(estimate: Estimate) -> int:
    """Return 1 if the whole interval is above 0, -1 if below, else 0."""
    if estimate.ci is None:
        return 0
    return int(estimate.ci[0] > 0) - int(estimate.ci[1] < 0)


def _side(habit: BiasEstimate) -> int:
    """Return to which side the judge surely lies of the raters: by the corrected p and by the interval."""
    p = habit.test.adjusted
    return sign_of(habit.difference) if p is not None and p < LEVEL else 0


def _statement(
    about: str,
    template: str,
    these: Sequence[JudgeHabits],
    habits: Sequence[BiasEstimate],
    *,
    good: bool | None,
) -> Statement:
    each = [
        sentence(
            EACH,
            own=_written(habit.own.value, habit.own),
            raters=_written(habit.raters.value, habit.raters),
            apart=_written(printed_difference(habit.own, habit.raters, 2), habit.difference, sign="+"),
        )
        for habit in habits
    ]
    if len(these) > 1:
        each = [joined([one.label, figures], " ") for one, figures in zip(these, each, strict=True)]
    text = sentence(template, criteria=named(these), figures=joined(each, "; "))
    return Statement(about, text, good, keys(these), least_n(these))


def _written(value: float | None, found: Estimate, *, sign: str = "") -> str:
    said = "–" if value is None else f"{value:{sign}.2f}"
    ends = "" if found.ci is None else f" [{found.ci[0]:z.2f}, {found.ci[1]:z.2f}]"
    return f"{said}{ends}".replace("-", "−")
