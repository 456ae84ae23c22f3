"""A rater's own end on My ratings: what they did, a copy of it, and leaving, which deletes it."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.accounts import members, signin
from judgelab.annotation import service
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from judgelab.store.projects.projects import get_project, update_project
from judgelab.ui.rater import own_work
from tests.annotation.conftest import make_project
from tests.annotation.test_forms import SAID, TWO
from tests.pages.conftest import NewApp, OpenPage, captions, screen_text

PAGE = "annotator/my_ratings.py"
SCORES = {"relevance": 2, "fluency": 4}
OpenAs = Callable[[int], AppTest]


@pytest.fixture
def project(app_store: Store) -> int:
    return make_project(app_store, answers=3, pay_per_hour=12, currency="GBP")


@pytest.fixture
def open_as(app_store: Store, project: int, new_app: NewApp) -> OpenAs:
    """Open My ratings in the browser of a member."""

    def open_(person: int) -> AppTest:
        token = members.new_link(app_store, None, project, person).path.removeprefix("/invite/")
        at = new_app()
        at.session_state["cookie"] = signin.redeem(app_store, token)
        at._registered_pages = dict(at.run()._registered_pages)
        at.switch_page(f"pages/{PAGE}")
        at.query_params["project"] = "soup-flasks"
        return at.run()

    return open_


def rater(store: Store, project: int, name: str, *, rated: int) -> int:
    person = members.add(store, None, project, name).id
    for _ in range(rated):
        (item, *_rest) = service.next_items(store, person, project)
        values = {"scores": SCORES, "comments": {"fluency": "=1+1"}}
        op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **values}
        assert service.apply(store, person, project, op).state == "stored"
    return person


def in_dialog(at: AppTest, key: str) -> AppTest:
    """Press a button of the dialog, which these tests draw only with the first one pressed."""
    at.button(key="my_ratings_leave").click()
    return at.button(key=key).click().run()


def count_of(store: Store, person: int) -> int:
    with store.reading() as session:
        return session.query(Rating).filter_by(person_id=person).count()


def copy_of(store: Store, person: int, project: int) -> bytes:
    with store.reading() as session:
        info = get_project(session, project)
    return own_work.copy_as_csv(service.my_ratings(store, person, project), info)


def test_leaving_says_what_goes_and_stays_and_then_what_was_done(
    app_store: Store, project: int, open_as: OpenAs
) -> None:
    ada, ben = (rater(app_store, project, name, rated=2) for name in ("Ada", "Ben"))
    at = open_as(ada)
    assert "2 answers" in captions(at)
    at.button(key="my_ratings_leave").click().run()
    said = screen_text(at)
    assert "your ratings of 2 answers" in said
    assert "from which your pay is computed (0 s worked · GBP 0.00 so far)" in said
    assert "Your name stays in the list of people" in said
    assert count_of(app_store, ada) == 4
    assert not in_dialog(at, "my_ratings_leave_sure").exception
    assert (count_of(app_store, ada), count_of(app_store, ben)) == (0, 4)
    at = open_as(ada)
    assert "You left this study" in screen_text(at) and "You deleted your ratings" in screen_text(at)
    assert "answers" not in captions(at) and "0 s worked" in captions(at)
    assert [button.key for button in at.button if str(button.key).startswith("my_ratings")] == []


def test_nothing_is_deleted_on_the_way_out_of_the_dialog(
    app_store: Store, project: int, open_as: OpenAs
) -> None:
    ada = rater(app_store, project, "Ada", rated=1)
    at = open_as(ada)
    at.button(key="my_ratings_leave").click().run()
    assert not in_dialog(at, "my_ratings_leave_cancel").exception and count_of(app_store, ada) == 2


def test_the_owner_deletes_nobody_here(app_store: Store, project: int, open_page: OpenPage) -> None:
    ada = rater(app_store, project, "Ada", rated=1)
    at = open_page(PAGE, project="soup-flasks", rater=str(ada))
    assert not at.exception and "1 answer" in captions(at)
    assert [button.key for button in at.button if button.key == "my_ratings_leave"] == []


def test_the_copy_has_what_the_rater_saw_and_said(app_store: Store, project: int) -> None:
    ada = rater(app_store, project, "Ada", rated=2)
    rater(app_store, project, "Ben", rated=1)
    written = copy_of(app_store, ada, project)
    text = written.decode("utf-8-sig")
    assert written.startswith(b"\xef\xbb\xbf") and "SecretSystem" not in text and "secret-" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2
    assert {row["Answer"][0] for row in rows} == {"a"} and {row["Question"][:9] for row in rows} == {
        "question "
    }
    assert [rows[0][head] for head in ("Relevance", "Fluency", "Fluency: comment")] == ["2", "4", "'=1+1"]


def test_the_copy_of_pairs_has_both_answers_as_shown(app_store: Store) -> None:
    project = make_project(app_store, answers=1, systems=2, criteria=TWO, form="pairwise")
    ada = members.add(app_store, None, project, "Ada").id
    (item,) = service.next_items(app_store, ada, project)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **SAID["pairwise"][0]}
    assert service.apply(app_store, ada, project, op).state == "stored"
    text = copy_of(app_store, ada, project).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert [row["Answer A"], row["Answer B"]] == list(item.answers)
    assert [row["Overall"], row["Clear"]] == ["A much better", "no difference"]


QUESTIONS = [
    {"key": "why", "text": "Why?"},
    {"key": "parts", "text": "Which parts?", "kind": "choices", "options": "head|tail"},
    {"key": "length", "text": "How long?", "kind": "number"},
]
TOLD = {"question_answers": {"why": "=off topic", "parts": ["tail", "head"], "length": 2.5}}


def test_answers_to_questions_are_in_the_copy_and_on_the_page(
    app_store: Store, project: int, open_as: OpenAs
) -> None:
    with app_store.writing() as session:
        update_project(session, project, settings={"questions": QUESTIONS})
    ada = rater(app_store, project, "Ada", rated=1)
    (item, *_rest) = service.next_items(app_store, ada, project)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, "scores": SCORES, **TOLD}
    assert service.apply(app_store, ada, project, op).state == "stored"
    at = open_as(ada)
    assert not at.exception
    assert sorted(at.dataframe[0].value["Beside"]) == [
        "",
        "Why? =off topic · Which parts? head; tail · How long? 2.5",
    ]
    with app_store.writing() as session:  # answers outlive their questions
        update_project(session, project, settings={"questions": QUESTIONS[:2]})
    last, first = csv.DictReader(io.StringIO(copy_of(app_store, ada, project).decode("utf-8-sig")))
    assert [last[head] for head in ("Why?", "Which parts?", "length")] == ["'=off topic", "head; tail", "2.5"]
    assert [first[head] for head in ("Why?", "Which parts?", "length")] == ["", "", ""]


def test_the_copy_of_pairs_has_the_answers_to_questions(app_store: Store) -> None:
    settings = {"form": "pairwise", "questions": QUESTIONS}
    project = make_project(app_store, answers=1, systems=2, criteria=TWO, **settings)
    ada = members.add(app_store, None, project, "Ada").id
    (item,) = service.next_items(app_store, ada, project)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **SAID["pairwise"][0], **TOLD}
    assert service.apply(app_store, ada, project, op).state == "stored"
    (row,) = csv.DictReader(io.StringIO(copy_of(app_store, ada, project).decode("utf-8-sig")))
    assert [row["Overall"], row["Which parts?"], row["How long?"]] == ["A much better", "head; tail", "2.5"]
