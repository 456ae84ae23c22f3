"""The rating page without anything to rate: those who can import data get a link to it."""

from __future__ import annotations

import uuid

import pytest

from judgelab.annotation import service
from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project
from tests.annotation.conftest import make_project
from tests.pages.conftest import OpenPage

PAGE = "annotator/rate.py"


@pytest.mark.parametrize("criteria", [[], [Criterion("right", "Right", {"kind": "binary"})]])
def test_an_empty_project_leads_a_researcher_to_the_data(
    open_page: OpenPage, app_store: Store, criteria: list[Criterion]
) -> None:
    with app_store.writing() as session:
        create_project(session, name="Empty", criteria=criteria)
    at = open_page(PAGE, project="empty")
    assert not at.exception
    assert [element.label for element in at.button if element.key == "empty_next"] == [":violet[Import data]"]


def test_where_there_is_work_the_desk_stands(open_page: OpenPage, app_store: Store) -> None:
    make_project(app_store, answers=1)
    at = open_page(PAGE, project="soup-flasks")
    assert not at.exception
    assert not [element for element in at.button if element.key == "empty_next"]


def test_who_skipped_everything_finds_the_offer_on_opening_the_page_again(
    open_page: OpenPage, app_store: Store
) -> None:
    project = make_project(app_store, answers=2)
    with app_store.writing() as session:
        ada = people.find_or_create(session, "Ada")
        memberships.join(session, project, ada)
    while items := service.next_items(app_store, ada, project):
        op = {"uid": str(uuid.uuid4()), "kind": "skip", "item": items[0].id}
        assert service.apply(app_store, ada, project, op).state == "stored"
    at = open_page(PAGE, project="soup-flasks", rater=str(ada))
    assert not at.exception
    (screen,) = (part for part in at.get("bidi_component") if "judgelab_viewport" not in str(part.proto))
    assert "Show skipped answers again (2 answers)" in str(screen.proto)
