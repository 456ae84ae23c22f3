"""Trust at a glance in a report: for each judge the answers by criterion and question, as on *Trust*."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.statements import meaning_of_as_good
from judgelab.analysis.trust.trust_table import QUESTIONS, UNMEASURED, TrustCell, trust_table
from judgelab.reporting.facts import ReportFacts
from judgelab.wording import joined, mark, sentence

COUNTED = mark("In parentheses: n responses, or n items for the order of systems.")
COUNTED_PAIRS = mark("In parentheses: n pairs, or n items for the order of systems.")
UNCLEAR_MEANS = mark(
    "The answer is “unclear” if the data allow neither a yes nor a no, or if only the alternative annotator "
    "test fails. A “no” is possible even where “Enough data?” says no."
)
PASSES_MEANS = mark(
    "“Passes the bias tests?” means that no tested bias is significant: mean score, spread, length, own "
    "model family, and larger errors in a part of the data, as far as each can be tested."
)
PASSES_MEANS_OF_PAIRS = mark(
    "“Passes the bias tests?” means that no tested bias is significant: the response shown first, the longer "
    "response, own model family, and larger errors in a part of the data, as far as each can be tested."
)


def overview_rows(measured: Sequence[JudgeTrust]) -> pd.DataFrame:
    """Return a row for each judge, criterion and question: the answer, its n and why."""
    return pd.DataFrame(
        [
            {"judge": trust.judge, **{name: value for name, value in cell.to_json().items() if name != "why"}}
            | {
                "unit": cell.unit,
                "why": " ".join(str(statement.text) for statement in cell.statements),
            }
            for trust in measured
            for cells in trust_table(trust).values()
            for cell in cells.values()
        ]
    )


def note(facts: ReportFacts) -> str:
    """Return what the answers mean."""
    of_pairs = facts.scores.compared is not None
    counted, passes = (COUNTED_PAIRS, PASSES_MEANS_OF_PAIRS) if of_pairs else (COUNTED, PASSES_MEANS)
    as_good = meaning_of_as_good(of_pairs=of_pairs)
    return joined([sentence(counted), as_good, sentence(UNCLEAR_MEANS), sentence(passes)], " ")


def overview(trust: JudgeTrust) -> pd.DataFrame:
    """Return one judge's answers as a table to be printed: criteria in rows, questions in columns."""
    return pd.DataFrame(
        [
            {
                "Criterion": trust.labels[criterion],
                **{str(QUESTIONS[question]): _answer(cell) for question, cell in cells.items()},
            }
            for criterion, cells in trust_table(trust).items()
        ]
    )


def _answer(cell: TrustCell) -> str:
    return cell.mark if cell.mark == UNMEASURED or not cell.n else f"{cell.mark} ({cell.n_text})"
