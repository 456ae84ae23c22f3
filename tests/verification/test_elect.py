"""ELECT's shipped replies, imported as judgments of ten samples: agreement per category and on average."""

from __future__ import annotations

import pytest

from judgelab.analysis.agreement import group_table
from judgelab.store.engine import Store
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
        found = {row.group: row.estimate for row in rows if row.coefficient == coefficient}
        values = [found[group].value for group in ("auto", "electronics", "garden", "average")]
        assert values == pytest.approx(expected, abs=5e-5)
        assert [found[g].n for g in ("auto", "electronics", "garden")] == [164, 156, 159]
