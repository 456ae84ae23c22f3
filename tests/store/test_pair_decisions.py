"""Decisions about pairs stand beside the raters' choices and are logged; erasure removes the reasons."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from sqlalchemy import delete, select

from judgelab.accounts.erasure import erase
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.frames.preference_frames import decided_frame
from judgelab.store.models import Audit, PairDecision, Preference, Project, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating import pair_decisions as stored
from judgelab.store.rating.criteria import criterion_ids
from tests.compared import pairs_project


class Pair(NamedTuple):
    """The first pair of the fixture project, and who decides it."""

    project: int
    responses: tuple[int, int]
    criterion: int
    person: int


@pytest.fixture
def pair(any_store: Store) -> Pair:
    slug = pairs_project(any_store, points=False)
    with any_store.writing() as session:
        project = find_project(session, slug)
        first = session.scalars(select(Preference).order_by(Preference.id)).first()
        assert first is not None
        olga = people.find_or_create(session, "Olga Quill", role="")
        (criterion,) = criterion_ids(session, project.id).values()
        return Pair(project.id, (first.response_a, first.response_b), criterion, olga)


def decide(store: Store, pair: Pair, choice: str, *, reason: str = "", seen: object = stored.ANY) -> None:
    with store.writing() as session:
        stored.save_pair_decision(
            session,
            pair.project,
            responses=pair.responses,
            criterion_id=pair.criterion,
            person_id=pair.person,
            choice=choice,
            reason=reason,
            names_hidden=True,
            seen=seen,
        )


def only(store: Store, pair: Pair) -> stored.PairDecisionInfo | None:
    with store.reading() as session:
        found = list(stored.pair_decisions(session, pair.project).values())
    return found[0] if found else None


def log_of(store: Store, pair: Pair) -> list[audit.AuditEvent]:
    with store.reading() as session:
        events = audit.recent_events(session, pair.project)
    return [event for event in events if event.action == "decided_conflict"]


def test_a_decision_is_replaced_and_undone_and_the_log_keeps_all(any_store: Store, pair: Pair) -> None:
    version = snapshots.fingerprint(any_store, pair.project)
    decide(any_store, pair, "b", reason="shorter")
    assert snapshots.fingerprint(any_store, pair.project) != version
    decision = only(any_store, pair)
    assert decision is not None
    assert (decision.chosen, decision.reason, decision.person) == (
        pair.responses[1],
        "shorter",
        "Olga Quill",
    )
    with any_store.reading() as session:
        assert list(decided_frame(session, pair.project)["choice"]) == ["b"]
    decide(any_store, pair, "")
    decide(any_store, pair, "")
    decision = only(any_store, pair)
    assert decision is not None and (decision.choice, decision.chosen) == ("", None)
    with any_store.reading() as session:
        assert decided_frame(session, pair.project).empty, "cannot be decided: no winner"
    with any_store.writing() as session:
        for _ in range(2):
            stored.withdraw_pair_decision(
                session,
                pair.project,
                responses=pair.responses,
                criterion_id=pair.criterion,
                person_id=pair.person,
            )
    assert only(any_store, pair) is None
    details = [event.detail for event in log_of(any_store, pair)]
    assert [detail["after"] for detail in details] == [
        None,
        {"choice": "", "reason": ""},
        {"choice": "b", "reason": "shorter"},
    ]
    assert (details[0]["item"], {details[0]["response_a"], details[0]["response_b"]}) == (
        "q0",
        {"new", "old"},
    )


def test_an_unread_decision_of_somebody_else_is_not_replaced(any_store: Store, pair: Pair) -> None:
    decide(any_store, pair, "a", seen=None)
    with pytest.raises(InvalidInput, match="Olga Quill decided this pair in the meantime"):
        decide(any_store, pair, "b", seen=None)
    decision = only(any_store, pair)
    assert decision is not None and decision.choice == "a"
    decide(any_store, pair, "b", seen=decision.decided_at)


def test_two_responses_of_one_item_of_the_project_make_a_pair(any_store: Store, pair: Pair) -> None:
    with any_store.writing() as session:
        other = create_project(session, name="Other").id
        ids = session.scalars(select(ResponseRow.id).order_by(ResponseRow.id)).all()
    for wrong in (
        pair._replace(project=other),
        pair._replace(responses=(ids[0], ids[2])),
        pair._replace(responses=(pair.responses[1], pair.responses[0])),
    ):
        with pytest.raises(NotFound):
            decide(any_store, wrong, "a")


def test_erasing_who_decided_removes_name_and_reason_and_keeps_the_decision(
    any_store: Store, pair: Pair
) -> None:
    decide(any_store, pair, "a", reason="I know the author")
    with any_store.writing() as session:
        ben = people.find_or_create(session, "Ben", role="")
    decide(any_store, pair._replace(person=ben), "b", reason="not so")
    decide(any_store, pair, "a", reason="I know the author")
    erase(any_store, None, "Olga Quill", keep_ratings=True)
    decision = only(any_store, pair)
    assert decision is not None
    assert (decision.choice, decision.reason, decision.person) == ("a", "", "Erased person 1")
    with any_store.reading() as session:
        log = json.dumps([line.detail for line in session.scalars(select(Audit))])
    assert "author" not in log and "not so" in log


def test_decisions_go_with_their_project(any_store: Store, pair: Pair) -> None:
    decide(any_store, pair, "tie")
    with any_store.writing() as session:
        session.execute(delete(Project).where(Project.id == pair.project))
    with any_store.reading() as session:
        assert session.scalars(select(PairDecision)).all() == []
