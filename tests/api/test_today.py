"""The page "What you call today": every call of another library beside the line that replaces it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import kendalltau, pearsonr

import judgelab as jl
from tests.documentation.pages import DOCS, FENCED

PAGE = (DOCS / "api" / "today.md").read_text(encoding="utf-8")
OPENING, *SECTIONS = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
ROW = re.compile(r"^\| `(.+)` \| `(.+)` \|$", re.MULTILINE)
ROWS = [
    (title, theirs, ours)
    for title, text in zip(SECTIONS[::2], SECTIONS[1::2], strict=True)
    for theirs, ours in ROW.findall(text)
]
# Gwet 2014, Handbook of Inter-Rater Reliability, and R's irrCAC; and the notebook of AltTest's authors.
CAC = "CAC(pd.DataFrame(raters)"
ALT_TEST = 'alt_test(llms_annotations["gpt-4o"], humans_annotations, "neg_rmse", epsilon=0.1)'
ICC = 'intraclass_corr(df, "item", "rater", "score").set_index("Type")'
SHROUT_AND_FLEISS = {
    "ICC(1,1)": 0.17,
    "ICC(A,1)": 0.29,
    "ICC(C,1)": 0.71,
    "ICC(1,k)": 0.44,
    "ICC(A,k)": 0.62,
    "ICC(C,k)": 0.91,
}
PUBLISHED = {
    f"{CAC}).gwet()": 0.77544,
    f"{CAC}).fleiss()": 0.76117,
    f"{CAC}).conger()": 0.76282,
    f"{CAC}).bp()": 0.77273,
    f"{CAC}).krippendorff()": 0.74342,
    f'{CAC}, weights="quadratic").gwet()': 0.914,
    **{f'{ICC}.loc["{kind}", "ICC"]': value for kind, value in SHROUT_AND_FLEISS.items()},
    f"{ALT_TEST}[0]": 0.90,
    f"{ALT_TEST}[1]": 0.90,
}
# Printed by statsmodels 0.15.0, choix 0.4.1, ppi-python 0.2.3 and nlpstats 0.0.1 for the data of the page.
PRINTED = {
    "fleiss_kappa(aggregate_raters(labels)[0])": 0.4973821989528795,
    "ilsr_pairwise(3, won)[0]": 0.8474208484794954,
    "ilsr_pairwise(3, won)[1]": -0.19213062385546112,
    "ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled)": 0.6364182692307692,
    "ppi_mean_ci(Y, Yhat, Yhat_unlabeled, alpha=0.05)[0]": 0.32408564930725203,
    "ppi_mean_ci(Y, Yhat, Yhat_unlabeled, alpha=0.05)[1]": 0.9487508891542863,
    "ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled, lam=1)": 2 / 3,
    'correlate(X, Z, "global", "pearson")': 0.834493378068101,
    'correlate(X, Z, "system", "pearson")': 0.9746972340815896,
    'correlate(X, Z, "input", "pearson")': 0.8668345492020915,
    'correlate(X, Z, "input", "kendall")': 0.7600327706305967,
}


class Correlation:
    """What mt-metrics-eval computes with `average_by="item"`: the mean of the items' own correlations."""

    def __init__(self, systems: int, gold: Any, scores: Any) -> None:
        self.pairs = list(zip(gold.reshape(systems, -1).T, scores.reshape(systems, -1).T, strict=True))

    def Pearson(self, average_by: str) -> float:
        assert average_by == "item"
        return sum(pearsonr(*pair)[0] for pair in self.pairs) / len(self.pairs)

    def Kendall(self, average_by: str) -> float:
        assert average_by == "item"
        return sum(kendalltau(*pair)[0] for pair in self.pairs) / len(self.pairs)


def _names(title: str) -> dict[str, Any]:
    """Return the names of a section, its libraries imported; skips where one is not installed."""
    names: dict[str, Any] = {"jl": jl, "Correlation": Correlation}
    text = dict(zip(SECTIONS[::2], SECTIONS[1::2], strict=True))[title]
    for _, _, code in (block for part in (OPENING, text) for block in FENCED.findall(part)):
        for library in re.findall(r"^import (krippendorff)$", code, re.MULTILINE):
            pytest.importorskip(library)
        exec(code, names)
    return names


def _check(title: str, theirs: str, ours: str) -> None:
    names = _names(title)
    found = float(eval(ours, names))
    if theirs in PUBLISHED:
        assert found == pytest.approx(PUBLISHED[theirs], abs=1.1e-5 if title == "irrCAC" else 0.0051)
    else:
        wanted = PRINTED[theirs] if theirs in PRINTED else float(eval(theirs, names))
        assert found == pytest.approx(wanted, abs=1e-9)


ALONE = [row for row in ROWS if row[0] != "AltTest"]


@pytest.mark.parametrize(("title", "theirs", "ours"), ALONE, ids=[theirs for _, theirs, _ in ALONE])
def test_a_call_of_another_library_and_ours_give_the_same(title: str, theirs: str, ours: str) -> None:
    _check(title, theirs, ours)


@pytest.mark.datasets
@pytest.mark.parametrize(("title", "theirs", "ours"), [row for row in ROWS if row not in ALONE])
def test_the_alternative_annotator_test_is_that_of_its_authors(
    title: str, theirs: str, ours: str, datasets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(datasets / "alttest-labels")
    _check(title, theirs, ours)


def test_every_library_is_there() -> None:
    assert len(ROWS) >= 35
    assert {title for title, _, _ in ROWS} == set(SECTIONS[::2])
