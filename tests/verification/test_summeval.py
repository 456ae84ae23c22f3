"""SummEval: human system means, ROUGE at document level, six judges, alpha of the experts."""

from __future__ import annotations

import pandas as pd
import pytest
from sqlalchemy import func, select

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.data.saved_filters import evaluate_filter
from judgelab.analysis.data.scores import project_scores
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.replication.tables import study_tables
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Judgment, ReferenceRow, ResponseRow

pytestmark = pytest.mark.datasets
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


@pytest.fixture(scope="module")
def scored(summeval: Store) -> Store:
    store = summeval
    score_project(store, "p", ["rouge2"], options={"references": "mean", "stemmer": True})
    return store


@pytest.fixture(scope="module")
def humans(scored: Store) -> pd.DataFrame:
    return project_scores(scored, "p").humans


def test_all_that_the_files_hold_is_there(scored: Store, humans: pd.DataFrame) -> None:
    with scored.reading() as session:
        tables = (ItemRow, ResponseRow, ReferenceRow, Judgment)
        counts = [session.scalar(select(func.count()).select_from(table)) for table in tables]
    assert (*counts, len(humans)) == (100, 1600, 1100, 38400, 19200)


@pytest.mark.parametrize(
    ("system", "means"),
    [
        ("M0", (4.1567, 4.9833, 4.9367, 4.1367)),
        ("M11", (2.2800, 3.2700, 3.6500, 3.1467)),
        ("M22", (4.1800, 4.9433, 4.8967, 4.2500)),
        ("M20", (3.6333, 3.3967, 3.9700, 3.2967)),
    ],
)
def test_human_means_of_systems_are_those_of_the_paper(
    humans: pd.DataFrame, system: str, means: tuple[float, ...]
) -> None:
    means_of_criteria = humans[humans["system"] == system].groupby("criterion")["score"].mean()
    assert [means_of_criteria[c] for c in CRITERIA] == pytest.approx(means, abs=5e-5)


def _values(store: Store, rater: str, coefficient: str) -> dict[str, tuple[float | None, int | None]]:
    table = agreement_table(
        store, "p", level="item", coefficients=(coefficient,), constant_groups="drop", resamples=0
    )
    return {
        row.criterion: (row.estimate.value, row.estimate.groups_used)
        for row in table.rows
        if row.rater == rater
    }


def test_rouge_2_at_document_level_is_table_1_of_g_eval(scored: Store) -> None:
    """Stemmer on, F1 per reference, mean over 11 references; constant documents skipped and counted."""
    rho = _values(scored, "rouge2", "spearman")
    tau = _values(scored, "rouge2", "kendall")
    assert [rho[c][0] for c in CRITERIA] == pytest.approx((0.1838, 0.1866, 0.1586, 0.2895), abs=5e-5)
    assert [tau[c][0] for c in CRITERIA] == pytest.approx((0.1393, 0.1552, 0.1280, 0.2190), abs=5e-5)
    assert [rho[c][1] for c in CRITERIA] == [100, 96, 98, 100]


@pytest.mark.parametrize(
    ("judge", "rho", "used"),
    [
        ("gpt-4o", (0.5417, 0.5449, 0.4679, 0.4000), (100, 96, 98, 100)),
        ("llama-31", (0.3864, 0.4356, 0.2710, 0.3938), None),
        ("mistral-v03", (0.2009, 0.1370, 0.1302, 0.1874), (92, 32, 90, 46)),
    ],
)
def test_judges_at_document_level_with_the_documents_they_stand_on(
    scored: Store, judge: str, rho: tuple[float, ...], used: tuple[int, ...] | None
) -> None:
    values = _values(scored, judge, "spearman")
    assert [values[c][0] for c in CRITERIA] == pytest.approx(rho, abs=5e-5)
    if used is not None:
        assert tuple(values[c][1] for c in CRITERIA) == used


def test_alpha_of_the_experts_per_criterion(humans: pd.DataFrame) -> None:
    for criterion, interval, ordinal in zip(
        CRITERIA, (0.5591, 0.8993, 0.7262, 0.4526), (0.5537, 0.7964, 0.5878, 0.3967), strict=True
    ):
        rated = humans[humans["criterion"] == criterion]
        for level, expected in (("interval", interval), ("ordinal", ordinal)):
            alpha = krippendorff_alpha(rated["response"], rated["score"], level=level)
            assert alpha.value == pytest.approx(expected, abs=5e-5)


def test_no_expert_fails_the_quality_rule(scored: Store) -> None:
    assert all(verdict.kept for verdict in evaluate_filter(scored, "p", FilterPolicy()).raters)


def test_the_printed_row_of_rouge_2_is_filled(scored: Store) -> None:
    (table,) = study_tables(scored, ["p"], resamples=200)
    row = next(line for line in table.blocks[0].lines if line.label == "ROUGE-2")
    assert [round(cell.value or 0, 3) for cell in row.cells] == [cell.published for cell in row.cells]
    assert not any(cell.outside for cell in row.cells)
    assert [cell.estimate.groups_used for cell in row.cells][::2] == [100, 96, 98, 100]
