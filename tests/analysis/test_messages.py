"""Messages between a rater and the study team: who sees them, what answers do, and where they go."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from judgelab.accounts.erasure import erase
from judgelab.analysis.raters import work_list
from judgelab.annotation import leaving, service
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from judgelab.store.models import Message
from judgelab.store.people import memberships
from judgelab.store.rating.messages import Thread
from tests.annotation.conftest import make_person, make_project

SLUG = "soup-flasks"
Asked = tuple[Store, int, int, int]


def send(store: Store, person: int, project: int, kind: str, item: int = 0, **values: Any) -> Any:
    operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    return service.apply(store, person, project, operation)


def said(thread: Thread) -> list[tuple[bool, str, bool]]:
    return [(one.answer, one.text, one.read) for one in thread.messages]


def entry(store: Store) -> work_list.WorkListEntry:
    (found,) = [one for one in work_list.work_list(store, SLUG) if one.key.kind == "message"]
    return found


@pytest.fixture
def asked(any_store: Store) -> Asked:
    """A project in which Ann asked about the first item, with the id of its assignment."""
    store = any_store
    project, ann = make_project(store, answers=3), make_person(store, "Ann")
    item = service.next_items(store, ann, project)[0].id
    assert send(store, ann, project, "ask", item, text="  Is B\nright? ").state == "stored"
    return store, project, ann, item


def test_a_question_is_listed_answered_and_read(asked: Asked) -> None:
    store, project, ann, item = asked
    first = entry(store)
    assert (first.unit.rater, first.done) == ("Ann", False)
    assert [note.text for note in first.notes] == ["Is B\nright?"]
    owner = make_person(store, "Olga")
    work_list.answer(store, SLUG, first.id, " Yes. ", by=owner)
    answered = entry(store)
    assert answered.mark is not None and (answered.mark.by, answered.notes[1].by) == ("Olga", "Olga")
    assert answered.at == first.at  # the time of the question
    (thread,) = service.own_messages(store, ann, project)
    assert thread.assignment == item and thread.question == first.unit.item.replace("q", "question ")
    assert said(thread) == [(False, "Is B\nright?", False), (True, "Yes.", False)]
    last = thread.messages[-1].id
    send(store, ann, project, "read", last=last - 1)
    assert not service.own_messages(store, ann, project)[0].messages[1].read
    send(store, ann, project, "read", last=last)
    assert service.own_messages(store, ann, project)[0].messages[1].read
    # A further question opens the entry again; the answer did not.
    send(store, ann, project, "ask", item, text="Why?")
    assert not entry(store).done and len(entry(store).notes) == 3


def test_raters_see_their_own_messages_only_and_no_name(asked: Asked) -> None:
    store, project, ann, _item = asked
    bob = make_person(store, "Bob")
    item = service.next_items(store, bob, project)[0].id
    send(store, bob, project, "ask", item, text="From Bob")
    work_list.answer(store, SLUG, f"message-{entry_unit(store, 'Ann')}-{ann}", "To Ann", by=bob)
    (own,), (other,) = (service.own_messages(store, person, project) for person in (ann, bob))
    assert [one.text for one in own.messages] == ["Is B\nright?", "To Ann"]
    assert [one.text for one in other.messages] == ["From Bob"]
    assert "Bob" not in repr(own)
    send(store, bob, project, "read", last=own.messages[-1].id)
    assert not service.own_messages(store, ann, project)[0].messages[1].read


def entry_unit(store: Store, rater: str) -> int:
    return next(one.key.unit for one in work_list.work_list(store, SLUG) if one.unit.rater == rater)


def test_a_message_that_arrives_twice_is_stored_once(asked: Asked) -> None:
    store, project, ann, item = asked
    operation = {"uid": str(uuid.uuid4()), "kind": "ask", "item": item, "text": "Again?"}
    states = [service.apply(store, ann, project, operation).state for _ in range(2)]
    assert states == ["stored", "repeated"]
    assert len(service.own_messages(store, ann, project)[0].messages) == 2
    bob = make_person(store, "Bob")
    assert service.apply(store, bob, project, operation).state == "refused"  # neither the uid nor the item


@pytest.mark.parametrize(("text", "reason"), [("x" * 2001, "2,000"), ("  ", "words"), (None, "text")])
def test_a_message_has_words_and_a_limit(asked: Asked, text: Any, reason: str) -> None:
    store, project, ann, item = asked
    refused = send(store, ann, project, "ask", item, text=text)
    assert refused.state == "refused" and reason in str(refused.message)


def test_an_answer_has_words_a_limit_and_a_message(asked: Asked) -> None:
    store, project, ann, item = asked
    first = entry(store).id
    for text, reason in (("x" * 2001, "too long"), (" ", "empty")):
        with pytest.raises(InvalidInput, match=reason):
            work_list.answer(store, SLUG, first, text, by=None)
    send(store, ann, project, "flag", item, reason="odd")
    flag = next(one.id for one in work_list.work_list(store, SLUG) if one.key.kind == "flag")
    with pytest.raises(InvalidInput, match="only messages"):
        work_list.answer(store, SLUG, flag, "Yes", by=None)
    with pytest.raises(NotFound):
        work_list.answer(store, SLUG, "message-9-9", "Yes", by=None)


def test_whoever_leaves_takes_their_messages_along(asked: Asked) -> None:
    store, project, ann, _item = asked
    with store.writing() as session:
        memberships.ensure_rater(session, project, ann)
    work_list.answer(store, SLUG, entry(store).id, "Yes", by=None)
    leaving.leave(store, ann, project)
    with store.reading() as session:
        assert session.query(Message).count() == 0
    assert work_list.work_list(store, SLUG) == []


@pytest.mark.parametrize("comments", [False, True])
def test_erasing_a_rater_deletes_the_messages_unless_comments_are_kept(asked: Asked, comments: bool) -> None:
    store, project, ann, _item = asked
    erase(store, None, "Ann", keep_ratings=True, keep_comments=comments)
    texts = [one.text for thread in threads_of(store, project, ann) for one in thread.messages]
    assert texts == (["Is B\nright?"] if comments else [])


def test_erasing_who_answered_takes_the_words_out_and_the_entry_stays_done(asked: Asked) -> None:
    store, project, ann, _item = asked
    olga = make_person(store, "Olga")
    work_list.answer(store, SLUG, entry(store).id, "Yes, says Olga", by=olga)
    erase(store, None, "Olga", keep_ratings=True)
    (thread,) = threads_of(store, project, ann)
    assert [one.text for one in thread.messages] == ["Is B\nright?", "(taken out)"]
    assert entry(store).done


def threads_of(store: Store, project: int, person: int) -> list[Thread]:
    return service.own_messages(store, person, project)


def test_a_message_that_comes_while_another_is_answered_stays_open(asked: Asked) -> None:
    store, project, ann, item = asked
    read = entry(store)
    send(store, ann, project, "ask", item, text="And why?")
    work_list.answer(store, SLUG, read.id, "Yes.", by=None, seen=read.content)
    assert not entry(store).done
    work_list.mark_done(store, SLUG, [read.id], by=None, seen={read.id: read.content})
    assert not entry(store).done
    work_list.mark_done(store, SLUG, [read.id], by=None, seen={read.id: entry(store).content})
    assert entry(store).done
