"""Trust at a glance: for each criterion and question whether the data speak for the judge, with n and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.analysis.trust.agreement_statements import best_baselines_phrase
from judgelab.analysis.trust.answer import criterion_statements, why_no_calibration
from judgelab.analysis.trust.bias_statements import NO_BIAS
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.pair_statements import tested_biases
from judgelab.analysis.trust.statements import CHOICE, PAIR, RESPONSE, Statement, quoted_labels
from judgelab.metaeval.agreement.vs_ceiling_rows import NO_BETTER, UNCLEAR, UNKNOWN
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.wording import counted, joined, mark, sentence

QUESTIONS = {
    "rater": mark("As good as a rater?"),
    "baseline": mark("Better than a trivial baseline?"),
    "systems": mark("Systems in the right order?"),
    "biases": mark("Passes the bias tests?"),
    "confidence": mark("Confidence calibrated?"),
    "data": mark("Enough data?"),
}
PARTS = {  # of the answer, by question
    "rater": ("agreement", "stand_in"),
    "systems": ("systems",),
    "biases": ("order", "habits", "length", "family", "parts"),
    "confidence": ("confidence",),
    "data": ("repeats",),
}
YES, NO, UNDECIDED, UNMEASURED = "yes", "no", "unclear", "not measured"

BESIDE_BASELINE = {
    YES: mark("On {criterion}, it agrees with the raters significantly better than {baseline}."),
    NO: mark("On {criterion}, it agrees with the raters significantly less than {baseline}."),
    UNDECIDED: mark("On {criterion}, it is not significantly better than {baseline}."),
}


@dataclass(frozen=True)
class TrustCell:
    """The answer to one question under one criterion.

    Attributes:
        criterion: its key.
        question: a key of `QUESTIONS`.
        mark: "yes", "no", "unclear" or "not measured".
        n: number of responses behind it, or for the order of systems of items that the two systems of the
            pair with the fewest share; 0 if not measured.
        most: for the order of systems, the items of the pair that shares the most; otherwise as `n`.
        statements: the sentences that say why, at least one.
    """

    criterion: str
    question: str
    mark: str
    n: int
    statements: tuple[Statement, ...]

    @property
    def most(self) -> int:
        """Return the largest number of items that a pair of systems shares; `n` for other questions."""
        return max(self.n, self.statements[0].most) if self.n else 0

    @property
    def unit(self) -> str:
        """Return what `n` counts: a key of `COUNTS`."""
        of_choices = self.statements[0].unit == CHOICE and self.question != "confidence"
        return PAIR if of_choices else self.statements[0].unit

    @property
    def count_text(self) -> str:
        """Return, for example, `n = 13 to 20 items`; empty if nothing was counted."""
        return replace(self.statements[0], n=self.n, most=self.most, unit=self.unit).count_text

    @property
    def n_text(self) -> str:
        """Return `1,600`, or `13 to 20` if the pairs of systems share different numbers of items."""
        return f"{self.n:,}" if self.most == self.n else f"{self.n:,} to {self.most:,}"

    def to_json(self) -> dict[str, Any]:
        """Return the cell as `judgelab trust --json` prints it."""
        return {
            "criterion": self.criterion,
            "question": self.question,
            "mark": self.mark,
            "n": self.n,
            "n_most": self.most,
            "unit": self.unit,
            "why": [str(statement.text) for statement in self.statements],
        }


def trust_table(trust: JudgeTrust) -> dict[str, dict[str, TrustCell]]:
    """Return the cells by criterion and question, in the project's order of criteria.

    Calibration is a question only if confidences are stored.
    """
    table: dict[str, dict[str, TrustCell]] = {}
    for key, label in trust.labels.items():
        if key in trust.criteria:
            table[key] = _cells(trust, trust.criteria[key])
        elif key in trust.criteria_without_scores:
            text = sentence(
                "{judge} has no score on {criteria}.", judge=trust.judge, criteria=quoted_labels([label])
            )
            table[key] = _nothing_measured(key, text)
        elif key in trust.criteria_without_ratings:
            text = sentence("No scored response has a rating on {criteria}.", criteria=quoted_labels([label]))
            table[key] = _nothing_measured(key, text)
    if all(measured.calibration is None for measured in trust.criteria.values()):
        for cells in table.values():
            del cells["confidence"]
    return table


def _nothing_measured(criterion: str, text: str) -> dict[str, TrustCell]:
    why = (Statement("agreement", text, None, (criterion,), 0),)
    return {question: TrustCell(criterion, question, UNMEASURED, 0, why) for question in QUESTIONS}


def _cells(trust: JudgeTrust, measured: CriterionTrust) -> dict[str, TrustCell]:
    statements = criterion_statements(trust, measured)
    parts = {
        question: tuple(statement for statement in statements if statement.about in about)
        for question, about in PARTS.items()
    }
    baseline = _baseline_cell(measured)
    cells = [
        _rater_cell(measured, parts["rater"]),
        baseline,
        _system_cell(measured, parts["systems"]),
        _bias_cell(measured, parts["biases"]),
        _confidence_cell(measured, parts["confidence"]),
        _data_cell(measured, parts["rater"], parts["data"], baseline),
    ]
    return {cell.question: cell for cell in cells}


def _rater_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    """A judge as good as the raters that fails the alternative annotator test is unclear.

    If agreement can't be compared, only the alternative annotator test can speak against the judge.
    """
    good, passes = _goods(statements, "agreement")[0], _goods(statements, "stand_in")
    if measured.verdict == UNKNOWN:
        possible = measured.alternative.passed is not None
        answer = UNMEASURED if not possible else NO if False in passes else UNDECIDED
        n = measured.alternative.advantage.n if possible else 0
        return TrustCell(measured.criterion, "rater", answer, n, statements)
    if good and False in passes:
        good = None
    return TrustCell(measured.criterion, "rater", _mark(good), statements[0].n, statements)


def _baseline_cell(measured: CriterionTrust) -> TrustCell:
    row, baseline = measured.beside, best_baselines_phrase([measured])
    gap = None if row is None or row.baseline is None else row.baseline.difference
    if row is None or gap is None or baseline is None or gap.value is None or gap.ci is None:
        none = mark("On {criterion}, no trivial baseline could be compared with it.")
        text = sentence(none, criterion=quoted_labels([measured.label]))
        return _cell(measured, "baseline", "agreement", UNMEASURED, text, 0)
    low, high = (-gap.ci[1], -gap.ci[0]) if row.coefficient in ERRORS else gap.ci
    answer = YES if low > 0 else NO if high < 0 else UNDECIDED
    text = sentence(BESIDE_BASELINE[answer], criterion=quoted_labels([measured.label]), baseline=baseline)
    return _cell(measured, "baseline", "agreement", answer, text, row.estimate.n)


def _system_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    """The judge's order is right only if the raters' order of some pair is more than chance."""
    every_pair = [] if measured.systems is None else measured.systems.pairs
    pairs = [pair for pair in every_pair if pair.human.value]  # those that the raters do not tie
    if not pairs:
        return TrustCell(measured.criterion, "systems", UNMEASURED, 0, statements)
    decided = sum(pair.decided for pair in pairs)
    text = counted(
        "On {criterion}, the raters' order of {sure} of {n} pair of systems is significant (corrected "
        "p) on the items that it scored.",
        "On {criterion}, the raters' order of {sure} of {n} pairs of systems is significant (corrected "
        "p) on the items that it scored.",
        len(every_pair), criterion=quoted_labels([measured.label]), sure=decided,
    )  # fmt: skip
    first, *others = statements
    note = replace(first, text=text, good=None)
    good = first.good if decided else None
    return TrustCell(measured.criterion, "systems", _mark(good), first.n, (first, note, *others))


def _bias_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    # How often the two orders give the same choice is no test, and does not say whether there is a bias.
    found = [statement for statement in statements if statement.good is False or statement.about != "order"]
    if found:
        # A spread that differs significantly is a bias, though it counts neither for nor against the judge.
        has_bias = any(statement.good is False or statement.about == "habits" for statement in found)
        return TrustCell(measured.criterion, "biases", NO if has_bias else UNDECIDED, measured.n, statements)
    tests = {
        sentence("mean score"): measured.leniency.test,
        sentence("spread"): measured.spread.test,
        sentence("length"): measured.verbosity.test,
    }
    tested = [name for name, test in tests.items() if test.p is not None] + tested_biases(measured.of_pairs)
    if measured.family is not None and measured.family.favour.test.p is not None:
        tested.append(sentence("own model family"))
    if any(part.test.p is not None for cut in measured.parts.values() for part in cut.slices):
        tested.append(sentence("larger errors in a part of the data"))
    if not tested:
        why, labels = next((test.reason for test in tests.values() if test.reason), None), [measured.label]
        text = sentence("On {criterion}, its biases can't be measured.", criterion=quoted_labels(labels))
        if why is not None:
            text = sentence(
                "On {criterion}, its biases can't be measured: {why}.",
                criterion=quoted_labels(labels), why=why,
            )  # fmt: skip
        return _cell(measured, "biases", "habits", UNMEASURED, text, 0)
    text = sentence(NO_BIAS, criterion=quoted_labels([measured.label]), tested=joined(tested))
    cell = _cell(measured, "biases", "habits", YES, text, measured.n)
    return replace(cell, statements=(*cell.statements, *statements))


def _confidence_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    if not statements:
        return _cell(measured, "confidence", "confidence", UNMEASURED, why_no_calibration(measured), 0)
    answer = _mark(statements[0].good)
    return TrustCell(measured.criterion, "confidence", answer, statements[0].n, statements)


def _data_cell(
    measured: CriterionTrust,
    of_rater: tuple[Statement, ...],
    repeats: tuple[Statement, ...],
    of_baseline: TrustCell,
) -> TrustCell:
    """Data are enough if they suffice for the comparison with the raters and with the best baseline.

    Where that baseline is as good as a rater itself, no judge can be significantly better than it.
    """
    n = measured.n if measured.beside is None else measured.beside.estimate.n
    notes = repeats
    if measured.missing:
        text = _missing_text(measured)
        notes += (Statement("unscored", text, None, (measured.criterion,), 0),)
    if measured.verdict == UNKNOWN:
        return TrustCell(measured.criterion, "data", UNMEASURED, 0, (of_rater[0], *notes))
    open_on_baseline = of_baseline.mark == UNDECIDED and not measured.baseline_as_good
    open_on_raters = measured.verdict == UNCLEAR or (measured.verdict == NO_BETTER and open_on_baseline)
    if open_on_raters:
        template = mark("On {criterion}, there are too few data to tell whether it is as good as a rater.")
    elif open_on_baseline:
        template = mark(
            "On {criterion}, there are enough data to tell whether it is as good as a rater, but not whether "
            "it is better than a trivial baseline."
        )
    else:
        template = mark("On {criterion}, there are enough data to tell whether it is as good as a rater.")
    text = sentence(template, criterion=quoted_labels([measured.label]))
    unit = RESPONSE if measured.of_pairs is None else PAIR
    statement = Statement("agreement", text, None, (measured.criterion,), n, unit=unit)
    answer = NO if open_on_raters or open_on_baseline else YES
    return TrustCell(measured.criterion, "data", answer, n, (statement, *notes))


def _missing_text(measured: CriterionTrust) -> str:
    label = quoted_labels([measured.label])
    if measured.of_pairs is not None:
        return counted(
            "On {criterion}, it has no choice in {n} rated pair.",
            "On {criterion}, it has no choice in {n} rated pairs.",
            measured.missing, criterion=label,
        )  # fmt: skip
    return counted(
        "On {criterion}, it has no score for {n} rated response.",
        "On {criterion}, it has no score for {n} rated responses.",
        measured.missing, criterion=label,
    )  # fmt: skip


def _cell(measured: CriterionTrust, question: str, about: str, answer: str, text: str, n: int) -> TrustCell:
    good = {YES: True, NO: False}.get(answer)
    unit = RESPONSE if measured.of_pairs is None else PAIR
    statement = Statement(about, text, good, (measured.criterion,), n, unit=unit)
    return TrustCell(measured.criterion, question, answer, n, (statement,))


def _goods(statements: Sequence[Statement], about: str) -> list[bool | None]:
    return [statement.good for statement in statements if statement.about == about]


def _mark(good: bool | None) -> str:
    return {True: YES, False: NO, None: UNDECIDED}[good]


def table_json(table: Mapping[str, Mapping[str, TrustCell]]) -> list[dict[str, Any]]:
    """Return all cells, criterion by criterion."""
    return [cell.to_json() for cells in table.values() for cell in cells.values()]
