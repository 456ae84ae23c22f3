"""Texts in Markdown on the pages that show them, and as typed on request."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update
from streamlit.testing.v1 import AppTest

from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow, Verdict
from judgelab.store.projects.projects import find_project, update_project
from judgelab.ui.shared.text_view import AS_TYPED
from tests.pages import kitchen
from tests.pages.test_preparation import slug as graded  # noqa: F401  (a fixture)

TYPED = "It **does** <b onclick=x>"
SHOWN = "It <strong>does</strong> &lt;b onclick=x&gt;"


def _formatted(at: AppTest) -> str:
    assert not at.exception
    return " ".join(element.proto.body for element in at.get("html") if "rendered" in element.proto.body[:30])


def _typed(at: AppTest) -> list[str]:
    return [element.value for element in at.text]


def _as_markdown(store: Store, slug: str) -> None:
    with store.writing() as session:
        project = find_project(session, slug)
        formats = {"response": "markdown", "reference": "markdown"}
        update_project(session, project.id, settings={"text_formats": formats})
        for row in session.scalars(select(ResponseRow).where(ResponseRow.project_id == project.id)):
            row.text = f"{TYPED} {row.id}"


def _pick(at: AppTest, key: str) -> None:
    at.session_state[key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.run()


@pytest.fixture
def slug(app_store: Store) -> str:
    return kitchen.with_judges(app_store, strict=1, lenient=0)


def test_responses_and_references_on_data(open_page: Any, app_store: Store, slug: str) -> None:
    _as_markdown(app_store, slug)
    with app_store.writing() as session:
        item = session.scalars(select(ItemRow).order_by(ItemRow.id)).first()
        assert item is not None
        session.add(ReferenceRow(item_id=item.id, position=9, text="See *this*"))
    at = open_page("researcher/data.py", project=slug)
    _pick(at, "data_items")
    assert SHOWN in _formatted(at) and "See <em>this</em>" in _formatted(at)
    at.toggle(key=AS_TYPED).set_value(True).run()
    assert not _formatted(at) and "See *this*" in _typed(at)
    assert any(said.startswith(TYPED) for said in _typed(at))


def test_a_response_among_the_differences_of_a_rater(open_page: Any, app_store: Store, slug: str) -> None:
    _as_markdown(app_store, slug)
    with app_store.reading() as session:
        project = find_project(session, slug).id
    at = open_page("researcher/raters.py", project=slug)
    rater = at.selectbox(key="raters_name").value
    _pick(at, f"raters_differences_{project}_{rater}")
    assert SHOWN in _formatted(at)


def test_texts_of_reference_lists(open_page: Any, app_store: Store, graded: str) -> None:  # noqa: F811
    _as_markdown(app_store, graded)
    at = open_page("researcher/preparation.py", project=graded)
    at.button(key="lists_make").click().run()
    assert _formatted(at).count(SHOWN) == 4  # one of each grade


def test_rationales_of_judges_are_markdown_whatever_the_texts_are(
    open_page: Any, app_store: Store, slug: str
) -> None:
    with app_store.writing() as session:
        session.execute(update(Verdict).values(rationale=TYPED))
    at = open_page("researcher/disagreements.py", project=slug, judge="strict")
    assert _formatted(at).count(SHOWN) == 2
    at.toggle(key=AS_TYPED).set_value(True).run()
    assert not _formatted(at) and _typed(at).count(TYPED) == 2


def test_without_signs_of_markdown_a_text_is_drawn_as_typed(
    open_page: Any, app_store: Store, slug: str
) -> None:
    with app_store.writing() as session:
        session.execute(update(Verdict).values(rationale="It does,\n\n2 * 3 times."))
    at = open_page("researcher/disagreements.py", project=slug, judge="strict")
    assert not _formatted(at) and AS_TYPED not in {toggle.key for toggle in at.toggle}
    assert _typed(at).count("It does,\n\n2 * 3 times.") == 2
