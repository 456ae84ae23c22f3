"""The report page shows what the pack contains, and says what is missing without ratings."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest
from streamlit.runtime.context import ContextProxy

from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.report.recipe import ReportRequest
from judgelab.ui.report.view import pack_zip
from tests.databases import load_demo
from tests.pages import kitchen
from tests.pages.conftest import OpenPage


def test_methods_tables_and_commands_stand_on_the_page(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/report.py", project="demo-news")
    assert not at.exception and not at.error
    code = "\n".join(element.value for element in at.code)
    assert "6 people" not in code and "ratings by 8 raters were imported; the file does" in code
    assert "judgelab import demo-news-again data" in code and r"\toprule" in code
    assert len(at.dataframe) == 8, "both ways of comparing, for each criterion"
    assert at.dataframe[0].value["Judge or metric"].iloc[-1] == "raters (leave one out)"
    assert len(pack_zip(app_store, "demo-news", data=False)) > 100_000


def test_level_and_coefficients_are_chosen_for_page_pack_and_commands(
    open_page: OpenPage, app_store: Store
) -> None:
    slug = kitchen.rated(app_store)
    at = open_page("researcher/report.py", project=slug)
    assert at.selectbox(key="report_level").value == "none", "two responses an item cannot be ranked"
    at.selectbox(key="report_level").set_value("system")
    at.multiselect(key="report_coefficients").set_value(["kendall"]).run()
    assert not at.exception and not at.error
    assert "Kendall's τ-b" in at.dataframe[0].value and "Pearson's r" not in at.dataframe[0].value
    commands = at.code[-1].value
    assert "--level system" in commands and commands.rstrip().endswith("--coefficient kendall")
    assert "judgelab import" in commands
    at.checkbox(key="report_data").uncheck().run()
    assert "judgelab import" not in at.code[-1].value, "as in the pack without data"
    packed = pack_zip(app_store, slug, data=False, request=ReportRequest("system", ("kendall",)))
    with ZipFile(BytesIO(packed)) as pack:
        assert "--level system --coefficient kendall" in pack.read("commands.sh").decode()


def test_without_ratings_the_page_says_what_comes_here(open_page: OpenPage, app_store: Store) -> None:
    with app_store.writing() as session:
        create_project(session, name="Empty", criteria=())
    at = open_page("researcher/report.py", project="empty")
    assert not at.exception and any("There are no ratings yet" in element.value for element in at.markdown)


def test_a_link_has_the_address_by_which_the_page_was_opened(
    open_page: OpenPage, app_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_demo(app_store, "news")
    monkeypatch.setattr(ContextProxy, "url", property(lambda _: "http://lab.example:9000/report"))
    at = open_page("researcher/report.py", project="demo-news")
    at.button(
        key=next(element.key for element in at.button if element.label == "Create a link")
    ).click().run()
    assert any(element.value.startswith("http://lab.example:9000/results/") for element in at.code)
    next(element for element in at.button if element.label == "Revoke link").click().run()
    assert not any("valid until" in element.value for element in at.markdown)
