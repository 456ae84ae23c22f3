"""Trust at a glance: for each criterion and question whether the data speak for the judge, with n and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.analysis.trust.agreement_statements import best_baselines_phrase
from judgelab.analysis.trust.answer import criterion_statements
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_trust import JudgeTrust
from judgelab.analysis.trust.statements import Statement
from judgelab.metaeval.agreement.vs_ceiling_rows import UNCLEAR, UNKNOWN, beats_baseline
from judgelab.wording import counted, joined, mark, sentence

QUESTIONS = {
    "rater": mark("As good as a rater?"),
    "baseline": mark("Better than a trivial baseline?"),
    "systems": mark("Systems in the right order?"),
    "biases": mark("No bias found?"),
    "replies": mark("Consistent and calibrated?"),
    "data": mark("Enough data?"),
}
PARTS = {  # of the answer, by question
    "rater": ("agreement", "stand_in"),
    "systems": ("systems",),
    "biases": ("habits", "length", "family", "parts"),
    "replies": ("repeats", "confidence"),
}
YES, NO, UNDECIDED, UNMEASURED = "yes", "no", "unclear", "not measured"


@dataclass(frozen=True)
class TrustCell:
    """The answer to one question under one criterion.

    Attributes:
        criterion: its key.
        question: a key of `QUESTIONS`.
        mark: "yes", "no", "unclear" or "not measured".
        n: number of responses (of items for the order of systems) behind it; 0 if nothing was measured.
        statements: the sentences that say why, at least one.
    """

    criterion: str
    question: str
    mark: str
    n: int
    statements: tuple[Statement, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the cell as `judgelab trust --json` prints it."""
        return {
            "criterion": self.criterion,
            "question": self.question,
            "mark": self.mark,
            "n": self.n,
            "why": [str(statement.text) for statement in self.statements],
        }


def trust_table(trust: JudgeTrust) -> dict[str, dict[str, TrustCell]]:
    """Return the cells by criterion and question, in the project's order of criteria.

    Consistency and calibration are a question only if replies were repeated or confidences stored.
    """
    table: dict[str, dict[str, TrustCell]] = {}
    for key, label in trust.labels.items():
        if key in trust.criteria:
            table[key] = _cells(trust, trust.criteria[key])
        elif key in trust.criteria_without_scores:
            text = sentence("{judge} has no score on {criteria}.", judge=trust.judge, criteria=label)
            table[key] = _nothing_measured(key, text)
        elif key in trust.criteria_without_ratings:
            text = sentence("No scored response has a rating on {criteria}.", criteria=label)
            table[key] = _nothing_measured(key, text)
    if all(cells["replies"].mark == UNMEASURED for cells in table.values()):
        for cells in table.values():
            del cells["replies"]
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
    cells = [
        _rater_cell(measured, parts["rater"]),
        _baseline_cell(measured),
        _system_cell(measured, parts["systems"]),
        _bias_cell(measured, parts["biases"]),
        _reply_cell(measured, parts["replies"]),
        _data_cell(measured, parts["rater"]),
    ]
    return {cell.question: cell for cell in cells}


def _rater_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    """A judge as good as the raters that fails the alternative annotator test is unclear."""
    good = _goods(statements, "agreement")[0]
    if good and False in _goods(statements, "stand_in"):
        good = None
    answer = UNMEASURED if measured.verdict == UNKNOWN else _mark(good)
    return TrustCell(measured.criterion, "rater", answer, statements[0].n, statements)


def _baseline_cell(measured: CriterionTrust) -> TrustCell:
    row, baseline = measured.beside, best_baselines_phrase([measured])
    if row is None or row.baseline is None or baseline is None:
        text = sentence(
            "On {criterion}, no trivial baseline could be compared with it.", criterion=measured.label
        )
        return _cell(measured, "baseline", UNMEASURED, text, 0)
    values = {"criterion": measured.label, "baseline": baseline}
    if beats_baseline(row):
        text = sentence(
            "On {criterion}, it agrees with the raters measurably better than {baseline}.", **values
        )
        return _cell(measured, "baseline", YES, text, row.estimate.n)
    text = sentence(
        "On {criterion}, it does not agree with the raters measurably better than {baseline}.", **values
    )
    return _cell(measured, "baseline", NO if measured.baseline_as_good else UNDECIDED, text, row.estimate.n)


def _system_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    has_order = measured.systems is not None and any(pair.human.value for pair in measured.systems.pairs)
    answer = _mark(statements[0].good) if has_order else UNMEASURED
    return TrustCell(measured.criterion, "systems", answer, statements[0].n if has_order else 0, statements)


def _bias_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    if statements:
        against = any(statement.good is False for statement in statements)
        return TrustCell(measured.criterion, "biases", NO if against else UNDECIDED, measured.n, statements)
    tests = {
        mark("mean score"): measured.leniency.test,
        mark("spread"): measured.spread.test,
        mark("length"): measured.verbosity.test,
    }
    tested = [name for name, test in tests.items() if test.p is not None]
    if not tested:
        why = next((test.reason for test in tests.values() if test.reason), None)
        text = sentence("On {criterion}, its biases can't be measured.", criterion=measured.label)
        if why is not None:
            text = sentence(
                "On {criterion}, its biases can't be measured: {why}.", criterion=measured.label, why=why
            )
        return _cell(measured, "biases", UNMEASURED, text, 0)
    text = sentence(
        "On {criterion}, no bias of the judge is significant; tested: {tested}.",
        criterion=measured.label, tested=joined(tested),
    )  # fmt: skip
    return _cell(measured, "biases", YES, text, measured.n)


def _reply_cell(measured: CriterionTrust, statements: tuple[Statement, ...]) -> TrustCell:
    if not statements:
        text = sentence(
            "On {criterion}, no response was judged twice and no confidence is stored.",
            criterion=measured.label,
        )
        return _cell(measured, "replies", UNMEASURED, text, 0)
    goods = [statement.good for statement in statements]
    answer = NO if False in goods else YES if True in goods else UNDECIDED
    return TrustCell(measured.criterion, "replies", answer, statements[0].n, statements)


def _data_cell(measured: CriterionTrust, of_rater: tuple[Statement, ...]) -> TrustCell:
    """Data are enough if they decide the comparison with the raters among themselves."""
    n = measured.n if measured.beside is None else measured.beside.estimate.n
    missing = measured.missing
    notes: list[Statement] = []
    if missing:
        text = counted(
            "On {criterion}, it has no score for {n} rated response.",
            "On {criterion}, it has no score for {n} rated responses.",
            missing, criterion=measured.label,
        )  # fmt: skip
        notes = [Statement("unscored", text, None, (measured.criterion,), missing)]
    if measured.verdict == UNKNOWN:
        return TrustCell(measured.criterion, "data", UNMEASURED, 0, (of_rater[0], *notes))
    if measured.verdict == UNCLEAR:
        text = sentence(
            "On {criterion}, the data do not decide whether it agrees with the raters as well as they agree "
            "with one another.",
            criterion=measured.label,
        )
    else:
        text = sentence(
            "On {criterion}, the data decide how it compares with the raters among themselves.",
            criterion=measured.label,
        )
    statement = Statement("agreement", text, measured.verdict != UNCLEAR, (measured.criterion,), n)
    return TrustCell(measured.criterion, "data", _mark(statement.good), n, (statement, *notes))


def _cell(measured: CriterionTrust, question: str, answer: str, text: str, n: int) -> TrustCell:
    good = {YES: True, NO: False}.get(answer)
    return TrustCell(
        measured.criterion, question, answer, n, (Statement(question, text, good, (measured.criterion,), n),)
    )


def _goods(statements: Sequence[Statement], about: str) -> list[bool | None]:
    return [statement.good for statement in statements if statement.about == about]


def _mark(good: bool | None) -> str:
    return {True: YES, False: NO, None: UNDECIDED}[good]


def table_json(table: Mapping[str, Mapping[str, TrustCell]]) -> list[dict[str, Any]]:
    """Return all cells, criterion by criterion."""
    return [cell.to_json() for cells in table.values() for cell in cells.values()]
