"""Bringing files in a browser: the mapping is seen and changed, problems are listed, nothing half-stored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from judgelab.domain import Criterion
from judgelab.store.models import ItemRow, Rating, ReferenceRow, ResponseRow
from judgelab.store.projects.projects import create_project
from tests.e2e.conftest import App, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
ANSWERS = """id;question;answer;system;remarks
p1;Does the pan fit an oven?;Yes, up to 220 degrees.;alpha;pans
p2;How long do blades last?;Two years.;alpha;blades
p2;How long do blades last?;About “two” years, für immer.;beta;blades
"""
RATINGS = """item_id,system,rater,criterion,score
p1,alpha,Ada,helpful,3
p2,alpha,Ada,helpful,9
p2,beta,Ada,helpful,good
p7,beta,Ada,helpful,1
"""


def test_a_file_is_mapped_by_hand_and_stored_by_one_button(app: App, page: Page) -> None:
    project = _open(app, page, "Pans")
    _upload(page, "answers.csv", ANSWERS)
    expect(page.get_by_role("radiogroup", name="Content of column “answer”")).to_be_visible()
    expect(page.get_by_role("button", name="Import")).to_be_disabled()
    page.get_by_role("radio", name="the response").click()
    expect(page.get_by_role("button", name="Import 2 items, 3 responses")).to_be_enabled()
    expect(_meaning(page, "answer")).to_have_value("response")
    _set_meaning(page, "remarks", "group")
    assert _count(app, project, ItemRow) == 0
    _import(page, "Import 2 items, 3 responses", message="answers.csv: 2 items")
    with app.store.reading() as session:
        items = session.query(ItemRow).filter(ItemRow.project_id == project).order_by(ItemRow.external_id)
        assert [(item.external_id, item.group) for item in items] == [("p1", "pans"), ("p2", "blades")]
        assert session.query(ReferenceRow).count() == 0
        texts = {r.text for r in session.query(ResponseRow).filter(ResponseRow.project_id == project)}
    assert "About “two” years, für immer." in texts


def test_the_columns_and_the_question_above_them_say_the_same(app: App, page: Page) -> None:
    _open(app, page, "Mapped lids")
    _upload(page, "answers.csv", ANSWERS)
    _set_meaning(page, "answer", "reference")
    expect(page.get_by_role("radio", name="a reference answer")).to_be_checked()
    _set_meaning(page, "remarks", "group")
    page.get_by_role("radio", name="the response").click()
    expect(_meaning(page, "answer")).to_have_value("response")
    expect(_meaning(page, "remarks")).to_have_value("group")
    page.get_by_role("radio", name="a reference answer").click()
    expect(_meaning(page, "answer")).to_have_value("reference")
    _set_meaning(page, "remarks", "reference")
    expect(_meaning(page, "answer")).to_have_value("ignored")
    expect(page.get_by_role("radio", name="neither")).to_be_checked()


def test_a_bad_file_shows_all_its_problems_and_stores_nothing(app: App, page: Page) -> None:
    project = _open(app, page, "Pots")
    _upload(page, "answers.csv", ANSWERS.replace("answer", "response"))
    page.get_by_role("button", name="Import 2 items, 3 responses").click()
    expect(page.get_by_text("answers.csv: 2 items")).to_be_visible()
    page.get_by_text("Add files").click()
    _upload(page, "ratings.csv", RATINGS)
    expect(page.get_by_text("3 problems. Correct the files")).to_be_visible()
    for row in (3, 4):
        expect(page.get_by_text(f"row {row}, column score")).to_be_visible()
    expect(page.get_by_text("row 5")).to_be_visible()
    expect(page.get_by_role("button", name="Import · 3 problems left")).to_be_disabled()
    assert _count(app, project, Rating) == 0


def _open(app: App, page: Page, name: str) -> int:
    with app.store.writing() as session:
        created = create_project(session, name=name, criteria=[Criterion("helpful", "Helpful", SCALE)])
    page.goto(f"{app.address}/data?project={created.slug}")
    settled(page)
    return created.id


def _upload(page: Page, name: str, content: str) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content.encode()})


def _meaning(page: Page, column: str) -> Locator:
    return page.get_by_role("combobox", name=f"Meaning of “{column}”")


def _set_meaning(page: Page, column: str, meaning: str) -> None:
    """Choose what a column means: a click, the first letters, a click."""
    _meaning(page, column).click()
    _meaning(page, column).fill(meaning)
    page.get_by_role("option", name=meaning, exact=True).click()
    expect(_meaning(page, column)).to_have_value(meaning)
    settled(page)


def _import(page: Page, name: str, *, message: str) -> None:
    """Press the button, once: also a moment after an edit in the table above it."""
    page.get_by_role("button", name=name).click()
    expect(page.get_by_text(message)).to_be_visible()


def _count(app: App, project: int, table: type) -> int:
    with app.store.reading() as session:
        return session.query(table).filter(table.project_id == project).count()
