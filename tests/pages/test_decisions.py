"""Decisions on pairs and responses enter *Trust*, *Compare*, *Means* and *Report* by choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgelab.analysis.agreement.agreement_table import paired_scores
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.disagreement.conflicts import decide_conflict
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.ui.report.view import pack_zip
from tests.compared import decide, pairs_project
from tests.pages import kitchen
from tests.pages.conftest import OpenPage, captions, page_answer, screen_text

RESULTS = ("trust", "compare", "means", "report")
PAIRS = "2 adjudicated pairs have their decision in place of the raters' majority."


@pytest.fixture
def decided(app_store: Store) -> str:
    """A project of pairs of which two are decided, one of them against the raters' majority."""
    slug = pairs_project(app_store, points=False)
    for item, system in (("q8", "new"), ("q2", "old"), ("q9", "")):
        decide(app_store, slug, item, system)
    return slug


@pytest.mark.parametrize("page", RESULTS)
def test_decided_pairs_enter_by_choice_and_the_link_keeps_it(
    open_page: OpenPage, decided: str, page: str
) -> None:
    at = open_page(f"researcher/{page}.py", project=decided)
    assert not at.exception and at.selectbox(key="agree_winner").value == "majority"
    assert "adjudicated pair" not in screen_text(at)
    at.selectbox(key="agree_winner").set_value("decided").run()
    assert not at.exception and PAIRS in captions(at)
    assert at.query_params["winner"] == "decided"
    assert PAIRS in captions(open_page(f"researcher/{page}.py", project=decided, winner="decided"))


def test_the_figures_are_those_of_the_decisions(open_page: OpenPage, app_store: Store, decided: str) -> None:
    trust = measure_trust(app_store, decided, "k-judge", comparisons=True, decisions=True)
    answer = str(trust_statements(trust)[0].text)
    at = open_page("researcher/trust.py", project=decided, judge="k-judge", winner="decided")
    assert not at.exception and answer.rstrip(".") in page_answer(at).replace("**", "").replace("\\", "")
    assert answer != str(
        trust_statements(measure_trust(app_store, decided, "k-judge", comparisons=True))[0].text
    )
    compared = compare_judges(app_store, decided, comparisons=True, decisions=True).criteria["score"]
    (placed,) = [row for row in compared.placed if row.rater == "k-judge"]
    at = open_page("researcher/compare.py", project=decided, winner="decided")
    assert placed.estimate.value is not None
    assert any(
        f"{placed.estimate.value:.2f}" in " ".join(map(str, frame.value.to_numpy().ravel()))
        for frame in at.dataframe
    )
    assert "adjudicated pairs first" in screen_text(at)
    at = open_page("researcher/means.py", project=decided, winner="decided")
    assert "48" in " ".join(map(str, at.dataframe[0].value.to_numpy().ravel())), "of 48.3 %"
    at = open_page("researcher/report.py", project=decided, winner="decided")
    code = " ".join(element.value for element in at.code)
    assert "2 pairs were decided by an adjudicator" in code
    assert f"judgelab choices {decided}-again --decisions" in code and "--comparisons --decisions" in code
    assert len(pack_zip(app_store, decided, data=False, comparisons=True, decisions=True)) > 10_000


def test_decided_scores_enter_by_choice_too(open_page: OpenPage, app_store: Store, tmp_path: Path) -> None:
    slug = kitchen.rated(app_store)
    for name in ("strict", "lenient"):
        kitchen.judged(app_store, slug, tmp_path, name=name, unreadable=0)
    assert "Human score" not in [
        box.label for box in open_page("researcher/trust.py", project=slug).selectbox
    ]
    rows = paired_scores(app_store, slug, rater="strict", criterion="answers")
    with app_store.writing() as session:
        olga = people.find_or_create(session, "Olga", role="owner")
    response = int(rows["response"].iloc[0])
    decide_conflict(app_store, slug, response=response, criterion="answers", score=3, person_id=olga)
    used = "1 adjudicated score replaces ratings."
    for page in RESULTS:
        at = open_page(f"researcher/{page}.py", project=slug)
        assert not at.exception and used not in captions(at)
        at.selectbox(key="agree_human").set_value("decided").run()
        assert not at.exception and used in captions(at), page
        if page != "report":  # whose link has no choices
            assert at.query_params["human"] == "decided"
            assert used in captions(open_page(f"researcher/{page}.py", project=slug, human="decided"))
