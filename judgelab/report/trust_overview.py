"""Trust at a glance in a report: for each judge the answers by criterion and question, as on *Trust*."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.trust.judge_trust import JudgeTrust, measure_trust
from judgelab.analysis.trust.trust_table import QUESTIONS, UNMEASURED, TrustCell, trust_table
from judgelab.report.facts import ReportFacts
from judgelab.store.db.engine import Store
from judgelab.wording import mark

NOTE_ON_PAIRS = mark(
    "In parentheses: n pairs, or n items for the order of systems. “As good as a rater” asks "
    "whether the judge picks the majority's winner as often as the raters do, and more often than the best "
    "trivial baseline; it is “unclear” if the data do not decide, or if only the alternative annotator test "
    "fails. “Passes the bias tests?” means that no tested bias is significant."
)
NOTE = mark(
    "In parentheses: n responses, or n items for the order of systems. “As good as a rater” asks whether "
    "the judge agrees with the raters as well as they agree with one another, and better than the best "
    "trivial baseline; it is “unclear” if the data do not decide, or if only the alternative annotator test "
    "fails. “Passes the bias tests?” means that no tested bias is significant."
)


def measure_judges(store: Store, facts: ReportFacts) -> list[JudgeTrust]:
    """Return the evidence on each judge, by the report's level, first coefficient and filter."""
    judges = dict.fromkeys(row.rater for row in facts.rows if row.rater_kind == "judge")
    return [
        measure_trust(
            store,
            facts.scores.project.slug,
            judge,
            level=facts.recipe.level,
            coefficient=facts.first_coefficient,
            constant_groups=facts.recipe.constant_groups,
            resamples=facts.recipe.resamples,
            seed=facts.recipe.seed,
            loaded=facts.scores,
        )
        for judge in judges
    ]


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
    return NOTE if facts.scores.compared is None else NOTE_ON_PAIRS


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
