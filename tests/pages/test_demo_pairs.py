"""The demo's comparisons of two answers: each page opens on them and leads on."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.analysis.disagreement.choice_differences import choice_differences
from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, screen_text

SLUG = "demo-pairs"


@pytest.fixture
def pairs(app_store: Store) -> str:
    load_demo(app_store, "pairs")
    return SLUG


def test_the_project_leads_to_a_pair_with_another_winner_in_one_click(
    open_page: OpenPage, pairs: str
) -> None:
    at = open_page("researcher/projects.py", project=pairs)
    assert not at.exception
    assert "Demo judge E agrees with the majority of the other raters" in screen_text(at)
    button = at.button(key="projects_next")
    assert "Review the raters" in button.label and not button.disabled
    explain = open_page("researcher/disagreements.py", project=pairs)
    assert not explain.exception
    assert "Demo judge C disagrees with the raters' majority in 26 of the 68 pairs" in screen_text(explain)
    reasons = next(frame.value for frame in explain.dataframe if "Reason" in frame.value)["Reason"]
    assert reasons.str.contains("answer|first|second").any()


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("Demo judge C", "it prefers the response shown first in 70 %"),
        ("Demo judge D", "it chooses the longer response more often than the raters do"),
        ("Demo judge E", "agrees with the raters as well as they agree with one another"),
    ],
)
def test_trust_finds_the_habit_of_each_judge(
    open_page: OpenPage, app_store: Store, pairs: str, judge: str, expected: str
) -> None:
    assert not open_page("researcher/trust.py", project=pairs, judge=judge).exception
    assert expected in judgelab(app_store.url, "trust", pairs, judge).stdout


def test_a_new_judge_of_comparisons_is_first_asked_for_pairs(open_page: OpenPage, pairs: str) -> None:
    at = open_page("researcher/judges.py", project=pairs)
    assert not at.exception and at.selectbox(key="judges_protocol").value == "pairwise"


def test_every_other_page_opens_and_shows_figures_or_leads_on(open_page: OpenPage, pairs: str) -> None:
    shown = ("data", "agreement", "compare", "adjudicate", "raters", "report", "judges", "runs", "means")
    for page in (*shown, "more", "patterns"):
        assert not open_page(f"researcher/{page}.py", project=pairs).exception, page
    for page in ("you", "visit"):
        at = open_page(f"researcher/{page}.py", project=pairs)
        assert not at.exception, page
        assert any("See the comparisons" in button.label for button in at.button), page


def test_a_linked_pair_is_marked_in_the_list_and_shown_though_filtered_out(
    open_page: OpenPage, app_store: Store, pairs: str
) -> None:
    at = open_page("researcher/disagreements.py", project=pairs)
    rows = choice_differences(app_store, pairs, criterion="better", judge="Demo judge C")
    agreeing = rows[rows["raters"] == rows["judge"]].iloc[-1]
    word = f"{min(agreeing['first'], agreeing['second'])}-{max(agreeing['first'], agreeing['second'])}"
    linked = open_page("researcher/disagreements.py", project=pairs, judge="Demo judge C", pair=word)
    assert not linked.exception and marked_rows(linked, "Raters") == [int(agreeing.name)]
    assert marked_rows(at, "Raters") == [0]
    linked.toggle(key="pairs_differing").set_value(True).run()
    assert marked_rows(linked, "Raters") == []
    assert str(agreeing["question"]) in screen_text(linked).replace("\\", "")


def marked_rows(at: AppTest, column: str) -> list[int]:
    """Return the positions of the tinted rows of the first table with this column."""
    table = next(frame for frame in at.dataframe if column in frame.value)
    styles = table.proto.arrow_data.styler.styles
    return sorted({int(row) for row in re.findall(r"_row(\d+)_col0", styles)})
