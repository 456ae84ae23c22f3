"""Words in the rationales and comments on comparisons of two responses."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.judging import pair_reasons
from judgelab.store.judging.pair_reasons import PairReason, search_pair_reasons
from judgelab.store.models import ItemRow, Preference
from judgelab.store.projects.projects import create_project, find_project
from tests.compared import pairs_project


def found(store: Store, slug: str, words: str) -> list[PairReason]:
    with store.reading() as session:
        return search_pair_reasons(session, find_project(session, slug).id, words)


def test_rationales_come_before_comments_with_the_choice_by_name(any_store: Store) -> None:
    slug = pairs_project(any_store, points=False)
    with any_store.writing() as session:
        session.scalars(select(Preference).order_by(Preference.id)).first().comment = "No REASON 0 given"  # type: ignore[union-attr]
    hits = found(any_store, slug, "0 reason")
    assert [(hit.rater, hit.kind, hit.chosen, hit.text) for hit in hits] == [
        *2 * [("j-judge", "judge", "new", "reason 0")],
        ("Ann", "human", "new", "No REASON 0 given"),
    ]
    assert {(hit.item, set(hit.names) == {"new", "old"}, hit.criterion) for hit in hits} == {
        ("q0", True, "score")
    }
    assert {hit.chosen for hit in found(any_store, slug, "reason 7")} == {""}, "a tie"
    assert found(any_store, slug, "  ") == [] == found(any_store, slug, "100%_nothing")
    with any_store.writing() as session:
        session.scalars(select(ItemRow).where(ItemRow.external_id == "q0")).one().purpose = "attention"
    assert found(any_store, slug, "reason 0") == []


def test_two_responses_of_one_system_are_named_by_their_ids(store: Store) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    texts = "item_id,response_id,question,system,response\nq,r1,Why?,s,a\nq,r2,Why?,s,b\n"
    judged = "item_id,response_a,response_b,judge,choice,order,rationale\nq,r1,r2,J,r2,r1,plain\n"
    import_files(store, "p", [("texts.csv", texts.encode())])
    import_files(store, "p", [("judged.csv", judged.encode())])
    (hit,) = found(store, "p", "plain")
    assert (hit.names, hit.chosen) == (("r1", "r2"), "r2")


def test_many_rationales_leave_room_for_comments(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    slug = pairs_project(store, points=False)
    monkeypatch.setattr(pair_reasons, "MOST_HITS", 2)
    with store.writing() as session:
        for row in session.scalars(select(Preference)):
            row.comment = "my reason"
    assert [hit.kind for hit in found(store, slug, "reason")] == ["judge", "judge", "human", "human"]
