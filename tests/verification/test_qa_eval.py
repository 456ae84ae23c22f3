"""QA-eval's 12 systems on 301 questions: accuracies and the ranking under each evaluator."""

from __future__ import annotations

import csv
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pandas as pd
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.data.scores import project_scores
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store

pytestmark = pytest.mark.datasets


def _accuracies(store: Store) -> pd.DataFrame:
    """Per cent by system (rows) and rater (columns)."""
    scores = project_scores(store, "p").scores
    scores = scores.assign(rater=scores["rater"].where(scores["rater_kind"] != "human", "human"))
    return scores.pivot_table(index="system", columns="rater", values="score") * 100


def _rounded(value: float) -> float:
    """Round as the paper did: to two places, then to one, half up each time."""
    twice = Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return float(twice.quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_em_f1_and_human_accuracy_of_all_systems_equal_the_papers_table_1(
    qa_eval: Store, datasets: Path
) -> None:
    ours = _accuracies(qa_eval)
    with (datasets / "qa-eval-nq301" / "table1_published.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    assert len(published) == 12
    for row in published:
        accuracies = ours.loc[row["system"]]
        assert _rounded(accuracies["exact_match"]) == float(row["EM"]), row["system"]
        assert _rounded(accuracies["token_f1"]) == float(row["F1"]), row["system"]
        assert _rounded(accuracies["human"]) == float(row["human"]), row["system"]


@pytest.mark.parametrize(
    ("rater", "rho", "tau"),
    [
        ("exact_match", 0.2197, 0.2326),
        ("token_f1", 0.2947, 0.3385),
        ("gpt4_zero_shot", 0.9155, 0.8125),
        ("text_davinci_003", 0.8838, 0.7500),
        ("bem", 0.7065, 0.6977),
    ],
)
def test_the_ranking_of_systems_agrees_with_the_people_as_expected(
    qa_eval: Store, rater: str, rho: float, tau: float
) -> None:
    table = agreement_table(qa_eval, "p", level="system", coefficients=("spearman", "kendall"), resamples=0)
    estimates = {row.coefficient: row.estimate for row in table.rows if row.rater == rater}
    assert estimates["spearman"].value == pytest.approx(rho, abs=5e-5)
    assert estimates["kendall"].value == pytest.approx(tau, abs=5e-5)
    assert estimates["spearman"].n == 12


def test_the_papers_tables_are_filled_beside_the_print(qa_eval: Store) -> None:
    table_1, table_2, table_3 = study_tables(qa_eval, ["p"])
    (block,) = table_1.blocks
    column_of = {head.label: k for k, head in enumerate(block.columns)}
    assert len([line for line in block.lines if not line.is_added]) == 12
    for name in ("Human", "EM", "F1"):
        for line in block.lines:
            cell = line.cells[column_of[name]]
            assert cell.value is not None and _rounded(cell.value) == cell.published, (name, line.label)
    differs = [
        line.label
        for line in block.lines
        if round(line.cells[column_of["GPT-4"]].value or 0, 1) != line.cells[column_of["GPT-4"]].published
    ]
    assert differs == ["Contriever & FiD", "R2-D2"]  # one question each
    rows = {(line.section, line.label): line.cells for line in table_2.blocks[0].lines}
    for key, rho, tau, mae in (
        (("Lexical", "EM"), 21.97, 23.26, 23.59),
        (("Lexical", "F1"), 29.47, 33.85, 13.91),
        (("Zero-shot", "GPT-4"), 91.55, 81.25, 3.32),
        (("", "text_davinci_003"), 88.38, 75.00, 3.79),
        (("", "bem"), 70.65, 69.77, 7.64),
    ):
        assert [cell.value for cell in rows[key]] == pytest.approx((rho, tau, mae), abs=6e-3), key
    assert not any(cell.outside for *_, cell in table_2.cells())
    assert all(cell.value is None for *_, cell in table_3.cells())  # nobody has asked an open model here
