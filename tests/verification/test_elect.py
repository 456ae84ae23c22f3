"""ELECT's shipped replies, imported as judgments of ten samples: agreement per category and on average."""

from __future__ import annotations

import pytest

from judgelab.analysis.agreement.agreement_table import group_table
from judgelab.replication.cells import count_replicated
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from tests.verification.conftest import Bring

pytestmark = pytest.mark.datasets


@pytest.fixture(scope="module")
def imported(bring: Bring) -> Store:
    return bring("elect-rpqa", preset="elect-rpqa", study="elect")


@pytest.mark.parametrize(
    ("judge", "rho", "r"),
    [
        ("llama_elect4", (0.6017, 0.6685, 0.6677, 0.6459), (0.5865, 0.6413, 0.6504, 0.6260)),
        ("llama_geval", (0.5122, 0.5527, 0.5938, 0.5529), (0.5132, 0.5252, 0.5853, 0.5412)),
        ("llama_dp", (0.5613, 0.5425, 0.5995, 0.5678), (0.5531, 0.5497, 0.5865, 0.5631)),
        ("llama_dp4", (0.5699, 0.5713, 0.6159, 0.5857), (0.5749, 0.5641, 0.5769, 0.5720)),
    ],
)
def test_the_means_of_ten_replies_agree_with_the_people_as_recomputed(
    imported: Store, judge: str, rho: tuple[float, ...], r: tuple[float, ...]
) -> None:
    rows = [row for row in group_table(imported, "p", resamples=0) if row.rater == judge]
    for coefficient, expected in (("spearman", rho), ("pearson", r)):
        estimates = {row.group: row.estimate for row in rows if row.coefficient == coefficient}
        values = [estimates[group].value for group in ("auto", "electronics", "garden", "average")]
        assert values == pytest.approx(expected, abs=5e-5)
        assert [estimates[g].n for g in ("auto", "electronics", "garden")] == [164, 156, 159]


def test_table_2_is_filled_beside_the_print_with_the_mean_of_the_three_categories(imported: Store) -> None:
    """The shipped replies are a run of their own: all printed numbers lie inside the intervals."""
    table_1, table_2 = study_tables(imported, ["p"])
    (block,) = table_2.blocks
    lines = {line.label: line.cells for line in block.lines}
    assert [head.group_heading for head in block.columns][::2] == ["ELECT", "G-Eval", "DP", "One-shot DP"]
    assert [cell.rater for cell in lines["Automotive"]][::2] == [
        "llama_elect4",
        "llama_geval",
        "llama_dp",
        "llama_dp4",
    ]
    means = [cell.value for cell in lines["Mean of “Automotive”, “Electronics” and “Patio, lawn and garden”"]]
    expected = (0.6459, 0.6260, 0.5529, 0.5412, 0.5678, 0.5631, 0.5857, 0.5720)
    assert means == pytest.approx(expected, abs=5e-5)
    printed = (0.634, 0.619, 0.556, 0.550, 0.541, 0.550, 0.559, 0.542)
    assert [
        cell.published for cell in lines["Mean of “Automotive”, “Electronics” and “Patio, lawn and garden”"]
    ] == pytest.approx(printed, abs=7e-4)
    assert all(cell.value is None for cell in lines["Toys and games"])
    ahead = {(line.label, k) for line in block.lines for k, c in enumerate(line.cells) if c.lead == "ahead"}
    assert ahead == {
        ("Electronics", 0),
        ("Electronics", 1),
        ("Patio, lawn and garden", 1),
        ("Mean of “Automotive”, “Electronics” and “Patio, lawn and garden”", 0),
        ("Mean of “Automotive”, “Electronics” and “Patio, lawn and garden”", 1),
    }
    counts = count_replicated(table_2)
    assert (counts.published, counts.compared, counts.outside) == (88, 24, 0)
    assert {cell.rater for *_, cell in table_1.cells() if cell.value is not None} == {"llama_dp"}
