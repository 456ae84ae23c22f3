"""The frame of pairs: preferences as they are, rankings as the pairs they contain."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from judgelab.analysis.data.fingerprint_parts import only_scores_changed
from judgelab.domain import PREFERENCE_COLUMNS
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.fingerprints import project_fingerprints
from judgelab.store.frames.preference_frames import place_frame, preference_frame
from judgelab.store.models import ItemRow, Preference, Ranking, ResponseRow, now
from judgelab.store.projects.projects import create_project, find_project

TEXTS = (
    "item_id,question,group,system,response\n"
    "q1,Why?,g,alpha,a1\nq1,Why?,g,beta,b1\nq1,Why?,g,gamma,c1\nq1,Why?,g,delta,d1\n"
    "q2,Who?,g,beta,b2\nq2,Who?,g,alpha,a2\n"
)


@pytest.fixture
def filled(store: Store) -> Store:
    with store.writing() as session:
        create_project(session, name="p")
    files = {
        "texts.csv": TEXTS,
        "pairs.csv": "item_id,response_a,response_b,rater,choice,first\n"
        "q2,alpha,beta,Ann,a,a\nq1,alpha,beta,Bea,tie,\n",
        "order.csv": 'item_id,rater,ranking\nq1,Cid,"gamma > alpha = beta > delta"\n',
        "votes.csv": "item_id,rater,best,worst\nq1,Dan,alpha,delta\n",
    }
    for name, text in files.items():
        import_files(store, "p", [(name, text.encode())])
    return store


def rows(store: Store) -> set[tuple[str, str, str, str, str]]:
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
        names = {row.id: row.external_id for row in session.scalars(select(ResponseRow))}
    assert tuple(frame.columns) == PREFERENCE_COLUMNS
    assert set(frame.rater_kind) <= {"human"}
    return {
        (r.rater, names[r.response_a], names[r.response_b], r.choice, r.order) for r in frame.itertuples()
    }


PAIRS = {("Ann", "beta", "alpha", "b", "b"), ("Bea", "alpha", "beta", "tie", "")}
RANKED = {
    *[("Cid", "alpha", "beta", "tie", ""), ("Cid", "alpha", "gamma", "b", "")],
    *[("Cid", "alpha", "delta", "a", ""), ("Cid", "beta", "gamma", "b", "")],
    *[("Cid", "beta", "delta", "a", ""), ("Cid", "gamma", "delta", "a", "")],
}
VOTED = {
    *[
        ("Dan", "alpha", "beta", "a", ""),
        ("Dan", "alpha", "gamma", "a", ""),
        ("Dan", "alpha", "delta", "a", ""),
    ],
    *[("Dan", "beta", "delta", "a", ""), ("Dan", "gamma", "delta", "a", "")],
}


def test_rankings_give_the_pairs_they_contain_and_votes_those_they_decide(filled: Store) -> None:
    assert rows(filled) == PAIRS | RANKED | VOTED


def test_what_stood_first_is_taken_from_the_screen(filled: Store) -> None:
    with filled.writing() as session:
        ids = {
            row.system: row.id for row in session.scalars(select(ResponseRow).where(ResponseRow.item_id == 1))
        }
        ranking = session.scalars(select(Ranking).where(Ranking.form == "best_worst")).one()
        ranking.shown = [ids["delta"], ids["alpha"], ids["gamma"], ids["beta"]]
    first_shown = {(a, b): order for rater, a, b, _, order in rows(filled) if rater == "Dan"}
    assert (first_shown["alpha", "delta"], first_shown["alpha", "beta"]) == ("b", "a")


def test_what_is_no_data_and_what_is_a_repeat_stays_out(filled: Store) -> None:
    with filled.writing() as session:
        session.scalars(select(ItemRow).where(ItemRow.external_id == "q1")).one().purpose = "attention"
    assert rows(filled) == {("Ann", "beta", "alpha", "b", "b")}
    with filled.writing() as session:
        for row in session.scalars(select(Preference)):
            row.occasion = 1
    assert rows(filled) == set()


def test_places_come_with_systems(filled: Store) -> None:
    with filled.reading() as session:
        frame = place_frame(session, find_project(session, "p").id)
    dan = frame[frame.rater == "Dan"].set_index("system").place
    assert dict(dan) == {"alpha": 1, "beta": 2, "gamma": 2, "delta": 3}
    assert set(frame.group) == {"g"}


def test_a_new_comparison_changes_the_fingerprint(filled: Store) -> None:
    with filled.reading() as session:
        before = project_fingerprints(session, find_project(session, "p").id)
    text = b"item_id,response_a,response_b,rater,choice\nq1,gamma,delta,Ann,a\n"
    import_files(filled, "p", [("more.csv", text)])
    with filled.reading() as session:
        assert project_fingerprints(session, find_project(session, "p").id) != before


def test_a_rater_s_comparison_is_no_more_than_a_score_that_came(filled: Store) -> None:
    def word() -> str:
        with filled.reading() as session:
            return project_fingerprints(session, find_project(session, "p").id).combined

    before = word()
    with filled.writing() as session:
        preference = session.scalars(select(Preference)).first()
        assert preference is not None
        preference.rated_at = now()
    assert word() != before
    assert only_scores_changed(before, word())
