"""Erasing a person: the name is nowhere, ratings stay or go as chosen, and the audit log has an entry."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from judgelab.accounts import global_roles, members
from judgelab.accounts.erasure import erase, preview_erasure
from judgelab.annotation import service
from judgelab.errors import InvalidInput, NotAllowed, NotFound
from judgelab.imports.service import import_files
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import Base, ImportRow
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import find_project
from tests.annotation.conftest import make_person, make_project

NAME = "Henrietta Quill"
WORDS = "I am Henrietta and I know the author"


@pytest.fixture
def project(any_store: Store) -> int:
    """A project in which Henrietta rated, commented, flagged a unit and left a draft."""
    project_id = make_project(any_store)
    owner = make_person(any_store, "Olga", role="owner")
    person = members.add(any_store, owner, project_id, NAME).id
    members.new_link(any_store, owner, project_id, person)

    def send(kind: str, item: int, **values: Any) -> None:
        op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
        assert (result := service.apply(any_store, person, project_id, op)).state == "stored", result.message

    first, second, third, *_ = service.next_items(any_store, person, project_id)
    scores = {"relevance": 2, "fluency": 4}
    send("rate", first.id, scores=scores, comments={"fluency": WORDS})
    send("rate", second.id, scores=scores)
    send("flag", third.id, reason=WORDS)
    send("draft", third.id, scores={"relevance": 1}, comments={"relevance": WORDS})
    return project_id


def everything(store: Store) -> str:
    """Return the whole database as one text."""
    with store.reading() as session:
        rows = [session.execute(table.select()).fetchall() for table in Base.metadata.sorted_tables]
    return json.dumps(rows, default=str)


def ratings(store: Store) -> int:
    with store.reading() as session:
        return len(session.execute(Base.metadata.tables["rating"].select()).fetchall())


def test_nothing_tells_who_it_was_and_the_ratings_stay(any_store: Store, project: int) -> None:
    assert NAME in everything(any_store) and WORDS in everything(any_store)
    erasure = erase(any_store, None, NAME, keep_ratings=True)
    assert (erasure.pseudonym, erasure.ratings, erasure.comments, erasure.kept) == (
        "Erased person 1",
        4,
        1,
        True,
    )
    database_text = everything(any_store)
    assert NAME not in database_text and WORDS not in database_text and "Erased person 1" in database_text
    assert ratings(any_store) == 4
    with any_store.reading() as session:
        slug = find_project(session, "soup-flasks").id
        event = next(e for e in audit.recent_events(session, slug) if e.action == "erased_person")
    assert event.detail == {
        "pseudonym": "Erased person 1",
        "ratings": "kept",
        "count": 4,
        "comments_taken_out": 1,
    }


def test_no_column_of_an_imported_file_bears_the_name(any_store: Store, project: int) -> None:
    of_raters = f"item_id,question,response,criterion,{NAME}\nq9,How tall?,Two.,fluency,2\n".encode()
    slug = "soup-flasks"
    mapping = [(f"rater[{NAME}:human]", NAME)]
    import_files(any_store, slug, [("ratings.csv", of_raters)], mapping=mapping)
    with any_store.reading() as session:
        assert session.query(ImportRow).one().columns == {}, "a column that is a person's is not kept at all"
    unmapped_file = of_raters.replace(b"q9", b"q8").replace(
        NAME.encode(), f"Notes of {NAME.upper()}".encode()
    )
    import_files(any_store, slug, [("notes.csv", unmapped_file)])
    assert NAME.upper() in everything(any_store)
    erase(any_store, None, NAME, keep_ratings=True)
    assert NAME.casefold() not in everything(any_store).casefold()


def test_what_was_reserved_for_the_person_bears_the_pseudonym(store: Store) -> None:
    project_id, person = make_project(store), make_person(store, NAME)
    with store.writing() as session:
        memberships.join(session, project_id, person, cohort=f"person:{NAME}")
        session.execute(Base.metadata.tables["item"].update().values(cohort=f"person:{NAME}"))
    erase(store, None, NAME, keep_ratings=True)
    assert NAME not in everything(store) and "person:Erased person 1" in everything(store)


def test_ratings_go_too_when_that_is_asked_for(any_store: Store, project: int) -> None:
    erase(any_store, None, NAME, keep_ratings=False)
    assert ratings(any_store) == 0
    assert NAME not in everything(any_store) and WORDS not in everything(any_store)


def test_comments_stay_only_on_request(any_store: Store, project: int) -> None:
    erase(any_store, None, NAME, keep_ratings=True, keep_comments=True)
    assert NAME not in everything(any_store) and WORDS in everything(any_store)


def test_the_link_and_the_right_to_rate_end(any_store: Store, project: int) -> None:
    with any_store.reading() as session:
        person = people.find(session, NAME)
    assert person is not None
    erase(any_store, None, NAME, keep_ratings=True)
    with pytest.raises(NotAllowed):
        service.next_items(any_store, person.id, project)


def test_only_owners_erase_and_never_the_owner(any_store: Store, project: int) -> None:
    researcher = make_person(any_store, "Rita", role="researcher")
    with pytest.raises(NotAllowed, match="only an owner"):
        erase(any_store, researcher, NAME, keep_ratings=True)
    with pytest.raises(InvalidInput, match="owns JudgeLab"):
        erase(any_store, None, "Olga", keep_ratings=True)
    with pytest.raises(NotFound):
        erase(any_store, None, "Nobody", keep_ratings=True)
    assert NAME in everything(any_store)


def test_an_owner_of_one_project_erases_nobody_whose_rights_go_further(store: Store) -> None:
    """Even if the person is in one project only: their account belongs to the whole installation."""
    project_id = make_project(store)
    with store.writing() as session:
        owner = people.find_or_create(session, "Petra", role="")
        memberships.join(session, project_id, owner, role="owner")
    for name, role, password in (("Rita", "researcher", "a long pass phrase"), ("Ron", "reader", None)):
        person = global_roles.add(store, name, role, password).id
        with store.writing() as session:
            memberships.join(session, project_id, person)
        assert preview_erasure(store, owner, name) is None
        with pytest.raises(NotAllowed, match="beyond your projects"):
            erase(store, owner, name, keep_ratings=True)
        assert preview_erasure(store, None, name) is not None
    members.add(store, owner, project_id, NAME)
    assert erase(store, owner, NAME, keep_ratings=True).pseudonym == "Erased person 1"


def test_two_erased_people_are_told_apart(any_store: Store, project: int) -> None:
    make_person(any_store, "Ben")
    first, second = (erase(any_store, None, n, keep_ratings=True).pseudonym for n in (NAME, "Ben"))
    assert (first, second) == ("Erased person 1", "Erased person 2")
