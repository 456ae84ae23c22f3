"""The report page shows what the pack holds, and says what is missing before there is anything."""

from __future__ import annotations

import pytest
from streamlit.runtime.context import ContextProxy

from judgelab.cli.demo import SAMPLE_DATA, load
from judgelab.store.engine import Store
from judgelab.store.projects import create_project
from judgelab.ui.report_view import zipped
from tests.pages.conftest import OpenPage


def test_methods_tables_and_commands_stand_on_the_page(open_page: OpenPage, app_store: Store) -> None:
    load(app_store, SAMPLE_DATA / "news")
    at = open_page("researcher/report.py", project="demo-news")
    assert not at.exception and not at.error
    code = "\n".join(one.value for one in at.code)
    assert "6 people" not in code and "8 people had a place as raters" in code
    assert "judgelab import demo-news-again data" in code and r"\toprule" in code
    assert len(at.dataframe) == 4
    assert at.dataframe[0].value["Rater"].iloc[-1] == "raters (leave one out)"
    assert len(zipped(app_store, "demo-news", data=False)) > 100_000


def test_without_ratings_the_page_says_what_comes_here(open_page: OpenPage, app_store: Store) -> None:
    with app_store.writing() as session:
        create_project(session, name="Empty", criteria=())
    at = open_page("researcher/report.py", project="empty")
    assert not at.exception and any("Nobody has rated yet" in one.value for one in at.markdown)


def test_a_link_has_the_address_by_which_the_page_was_opened(
    open_page: OpenPage, app_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(app_store, SAMPLE_DATA / "news")
    monkeypatch.setattr(ContextProxy, "url", property(lambda _: "http://lab.example:9000/report"))
    at = open_page("researcher/report.py", project="demo-news")
    at.button(key=next(one.key for one in at.button if one.label == "Make a link")).click().run()
    assert any(one.value.startswith("http://lab.example:9000/results/") for one in at.code)
