"""From a file of words without a known order to figures that need none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import judgelab
from tests.databases import new_sqlite
from tests.labelled import claims_csv


@pytest.fixture
def address(tmp_path: Path) -> str:
    (tmp_path / "claims.csv").write_text(claims_csv())
    url = new_sqlite(tmp_path / "a.db")
    assert judgelab(url, "project", "create", "Claims", "--study", "custom").returncode == 0
    return url


def test_words_without_order_become_labels_with_their_statistics(address: str, tmp_path: Path) -> None:
    imported = judgelab(address, "import", "claims", str(tmp_path / "claims.csv"))
    assert imported.returncode == 0, imported.stderr
    assert (
        "read as labels without order: supported, contradicted, unclear" in imported.stderr + imported.stdout
    )
    data = json.loads(judgelab(address, "agreement", "claims", "--json").stdout)
    assert data["aggregate"] == "majority"
    rows = {(row["rater"], row["coefficient"]): row for row in data["rows"]}
    assert {coefficient for _, coefficient in rows} == {"kappa", "exact"}
    judge = rows["strict-judge", "exact"]
    # Majorities S C U - C S C U S C S U beside S U U S C C C U S C C U: 8 of 11.
    assert (judge["value"], judge["n"], judge["n_tied"]) == (pytest.approx(8 / 11), 11, 1)
    assert judge["level"] == "none"

    words = ("agreement", "claims", "--coefficient", "pearson", "--coefficient", "mae", "--json")
    for row in json.loads(judgelab(address, *words).stdout)["rows"]:
        assert row["value"] is None and row["reason"] == "the labels of 'verdict' have no order"


def test_the_scale_can_be_given_and_then_fixes_the_labels(address: str, tmp_path: Path) -> None:
    scale = "verdict=categorical:unclear,contradicted,supported,off topic"
    imported = judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), "--scale", scale)
    assert imported.returncode == 0, imported.stderr
    assert "no known order" not in imported.stderr + imported.stdout
    (tmp_path / "more.csv").write_text(
        "item_id,system,rater,rater_kind,criterion,score\nq0,plain,Dee,human,verdict,maybe\n"
    )
    refused = judgelab(address, "import", "claims", str(tmp_path / "more.csv"))
    assert "'maybe' is not one of the labels unclear, contradicted, supported, off topic" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("means", "claims"),
        ("trust", "claims", "strict-judge"),
        ("compare", "claims", "--coefficient", "spearman"),
        ("raters", "claims"),
    ],
)
def test_no_command_gives_a_mean_a_distance_or_a_correlation(
    address: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    judgelab(address, "import", "claims", str(tmp_path / "claims.csv"))
    result = judgelab(address, *words, "--json")
    assert result.returncode == 0, result.stderr
    assert "have no order" in result.stdout


def test_the_filter_of_labels_is_by_kappa(address: str, tmp_path: Path) -> None:
    judgelab(address, "import", "claims", str(tmp_path / "claims.csv"))
    result = judgelab(address, "quality", "claims", "--json")
    assert result.returncode == 0, result.stderr
    assert set(json.loads(result.stdout)["coefficients"].values()) == {"kappa"}
