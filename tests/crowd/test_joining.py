"""Joining through a recruitment link, and every way in which participation ends, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from judgelab.accounts import erasure, held_assignments, members, signin
from judgelab.annotation import service
from judgelab.annotation.links.options import LinkOptions
from judgelab.annotation.links.questions import IncompleteAnswers
from judgelab.crowd import joining, links, participants
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, Audit, ItemRow, Membership, Person, Rating, Unit, now
from judgelab.store.people import memberships, people, recruitment_links
from judgelab.store.rating import gold
from judgelab.store.transfer.export_work import WORK
from tests.crowd.conftest import ANSWERS, OPTIONS, Study, counts, make_study, query


def test_joining_brings_work_at_once_and_a_pseudonym(study: Study) -> None:
    person = study.join("prolific-a")
    membership = study.place(person)
    assert membership.name.startswith("crowd-") and "prolific" not in membership.name
    assert (membership.role, membership.state, membership.external_id) == (
        "annotator",
        "active",
        "prolific-a",
    )
    assert study.held(person) > 0
    with study.store.reading() as session:
        row = session.query(Membership).filter_by(person_id=person).one()
        audit_details = [str(line.detail) for line in session.query(Audit)]
    assert row.background == {"Age": 31, "Hand": "left"}
    assert row.parameters == {"STUDY_ID": "s1"}
    assert row.consented_at is not None and now() - row.consented_at < timedelta(minutes=1)
    assert not any("prolific-a" in line for line in audit_details)


def test_opening_a_link_stores_nothing(study: Study) -> None:
    arrival = joining.find_arrival(study.store, study.link.token, query("a"))
    assert arrival is not None and arrival.member is None and arrival.refused is None
    with study.store.reading() as session:
        assert session.query(Person).count() == session.query(Assignment).count() == 0


def test_the_same_id_is_the_same_person_in_any_browser_and_after_closing(study: Study) -> None:
    first = study.join("a")
    links.close(study.store, None, study.project, study.link.id)
    assert study.join("a", None) == first  # no second consent
    assert counts(study).joined == 1
    with pytest.raises(NotAllowed, match="accepts no new participants"):
        study.join("b")
    links.reopen(study.store, None, study.project, study.link.id)
    assert study.join("b") != first


def test_ten_requests_at_once_with_one_id_make_one_person(study: Study) -> None:
    with ThreadPoolExecutor(10) as pool:
        joined = set(pool.map(lambda _: study.join("a"), range(10)))
    assert len(joined) == 1
    with study.store.reading() as session:
        assert session.query(Membership).count() == session.query(Person).count() == 1


def test_ten_people_at_once_get_three_places(study: Study) -> None:
    def come(name: str) -> str:
        try:
            return str(study.join(name))
        except NotAllowed as error:
            return str(error)

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(come, "abcdefghij"))
    refused = [result for result in results if not result.isdigit()]
    assert len(refused) == 7 and all(
        "All places in this study are currently taken" in result for result in refused
    )
    assert counts(study).placed == 3


def test_another_link_of_the_same_platform_does_not_make_a_second_person(study: Study) -> None:
    study.join("a")
    second = links.create(study.store, None, study.project, "Second wave", OPTIONS)
    with pytest.raises(NotAllowed, match="through another link"):
        joining.join(study.store, second.token, query("a"), ANSWERS)
    options = LinkOptions(person="worker", consent="Yes?", places=2)
    third = links.create(study.store, None, study.project, "Elsewhere", options)
    joining.join(study.store, third.token, {"worker": ["a"]}, {})  # an "a" of another platform
    assert sum(link.counts.joined for link in links.of_project(study.store, None, study.project)) == 2


def test_joining_needs_consent_and_a_complete_form(study: Study) -> None:
    with pytest.raises(NotAllowed, match="consent"):
        study.join("a", None)
    with pytest.raises(IncompleteAnswers) as error:
        study.join("a", {0: ["young"], 1: ["up"]})
    assert set(error.value.errors) == {0, 1}
    assert counts(study).joined == 0


def test_a_latecomer_is_told_why_there_is_nothing_to_do(any_store: Store) -> None:
    study = make_study(any_store, answers=2, raters_per_response=1)
    first = study.join("a")
    study.rate(first, at_most=1)
    with pytest.raises(NotAllowed, match="reserved for other people right now"):
        study.join("b")
    assert study.rate(first) == 1
    with pytest.raises(NotAllowed, match="nothing left to rate"):
        study.join("b")
    assert counts(study).joined == 1  # refused attempts store nothing


def test_a_reserved_item_is_work_for_the_cohort_of_the_link_only(study: Study) -> None:
    with study.store.writing() as session:
        session.query(ItemRow).update({"cohort": "experts"})
    with pytest.raises(NotAllowed, match="nothing left"):
        study.join("a")
    study.set(cohort="experts")
    assert study.held(study.join("a")) > 0


def test_rating_everything_finishes_and_shows_the_code(study: Study) -> None:
    person = study.join("a")
    assert study.rate(person) == 6
    assert study.place(person).state == "finished"
    progress = service.progress(study.store, person, study.project)
    assert progress.ending == OPTIONS.finished
    assert study.join("a", None) == person  # to see the code again


def test_the_limit_of_the_link_ends_the_work(study: Study) -> None:
    study.set(most=2)
    person = study.join("a")
    assert study.rate(person) == 2
    assert study.place(person).state == "finished"
    assert study.held(person) == 0


def test_a_crowd_worker_finishes_without_waiting_for_others(any_store: Store) -> None:
    study = make_study(any_store, answers=8, raters_per_response=1)
    ann, bea = study.join("a"), study.join("b")
    assert study.rate(ann) == 5 and study.held(bea) == 3
    assert study.place(ann).state == "finished"


def test_a_rater_without_a_link_never_finishes(any_store: Store) -> None:
    study = make_study(any_store)
    invited = members.add(any_store, None, study.project, "Ann").id
    study.rate(invited)
    assert study.place(invited).state == "active"
    assert service.progress(any_store, invited, study.project).ending is None
    with pytest.raises(InvalidInput, match="recruitment link"):
        participants.mark_withdrawn(any_store, None, study.project, invited, "returned")
    assert study.leave(invited).state == "refused"


def test_a_missed_check_gives_the_screen_out_code_and_frees_the_place(any_store: Store) -> None:
    study = make_study(any_store, training={"needed": 1.0, "tries": 1})
    with any_store.writing() as session:
        unit = session.query(Unit).order_by(Unit.id).first()
        assert unit is not None
        gold.set_known_scores(session, study.project, unit.id, purpose="training", scores={"relevance": 3})
    study.set(places=1)
    person = study.join("a")
    assert study.rate(person) == 1
    assert study.place(person).state == "screened_out"
    assert service.progress(any_store, person, study.project).ending == OPTIONS.screened_out
    assert study.join("b") != person
    assert counts(study).states == {"screened_out": 1, "active": 1}


@pytest.mark.parametrize("refill", ["keep", "surplus"])
def test_returned_work_goes_to_others(any_store: Store, refill: str) -> None:
    study = make_study(any_store, answers=4, raters_per_response=1)
    study.set(refill=refill, places=1)
    ann = study.join("a")
    study.rate(ann, at_most=1)
    assert study.leave(ann).state == "stored"
    assert (study.place(ann).state, study.held(ann)) == ("returned", 0)
    assert service.progress(any_store, ann, study.project).ending is not None
    bea = study.join("b")  # the place is free again
    assert study.rate(bea) == (3 if refill == "keep" else 4)
    with any_store.reading() as session:
        ratings = session.query(Rating).filter_by(person_id=ann).all()
    assert len(ratings) == 2 and {rating.surplus for rating in ratings} == {refill == "surplus"}
    with pytest.raises(NotAllowed, match="You returned this study"):
        study.join("a")
    assert study.leave(ann).state == "refused"


def test_people_whose_time_is_over_are_timed_out_at_the_next_assignment(any_store: Store) -> None:
    study = make_study(any_store, answers=3, raters_per_response=1)
    study.set(minutes=60)
    ann = study.join("a")
    assert [
        holding.person_id for holding in held_assignments.list_held_units(any_store, None, study.project)
    ] == [ann]
    _let_time_pass(study, ann)
    assert study.held(ann) > 0  # no units were assigned since
    assert held_assignments.list_held_units(any_store, None, study.project) == []
    due = study.place(ann).due_at
    for decided in (False, True):  # all views agree, before and after the state is stored
        if decided:
            bea = study.join("b")
        membership, (row, *_) = (
            study.place(ann),
            participants.participant_rows(study.store, None, study.project),
        )
        with any_store.reading() as session:
            all_members = memberships.memberships(session, study.project)
            listed = next(member for member in all_members if member.person_id == ann)
            exported = session.execute(WORK[0].query(study.project)).mappings().first()
        assert counts(study).states["timed_out"] == 1
        assert membership.state == listed.state == row["state"] == exported["state"] == "timed_out"
        assert due is not None and membership.over_since == listed.over_since == due
        assert row["finished"] == due.isoformat(timespec="seconds")
    assert study.held(ann) == 0
    assert study.rate(bea) == 3
    with pytest.raises(NotAllowed, match="time limit for this study passed"):
        study.join("a")


def test_someone_reactivated_after_a_timeout_can_finish(any_store: Store) -> None:
    study = make_study(any_store)
    study.set(minutes=60)
    ann = study.join("a")
    _let_time_pass(study, ann)
    assert service.next_items(any_store, ann, study.project)  # enough on the screen, so nothing was assigned
    study.rate(ann, at_most=4)
    assert study.place(ann).state == "timed_out"
    with any_store.writing() as session:
        memberships.set_state(session, study.project, ann, "active")
    assert study.rate(ann) > 0
    assert study.place(ann).state == "finished"


def _let_time_pass(study: Study, person: int) -> None:
    with study.store.writing() as session:
        recruitment_links.save_enrolment(session, study.project, person, due_at=now() - timedelta(seconds=1))


def test_invented_ids_hold_a_link_up_for_an_hour_and_its_owner_sees_that(any_store: Store) -> None:
    study = make_study(any_store)
    study.set(places=1)
    for number in range(links.JOINS_PER_PLACE):
        study.leave(study.join(f"invented-{number}"))
    with pytest.raises(NotAllowed, match="Too many people joined this study within an hour"):
        study.join("one more")
    (link,) = links.of_project(study.store, None, study.project)
    assert (link.state, link.counts.lately, link.counts.placed) == ("held_up", 10, 0)
    with study.store.writing() as session:
        session.execute(update(Membership).values(joined_at=now() - timedelta(minutes=61)))
    (link,) = links.of_project(study.store, None, study.project)
    assert link.state == "open" and study.join("one more")


def test_one_address_joins_only_so_often_and_others_go_on(study: Study) -> None:
    study.set(places=1)

    def come(person: str, address: str) -> None:
        joined = joining.join(study.store, study.link.token, query(person), ANSWERS, address=address)
        joined_person = signin.whoami(study.store, joined.cookie)
        assert joined_person is not None
        study.leave(joined_person.id)

    for number in range(links.FROM_ONE_ADDRESS):
        come(f"invented-{number}", "192.0.2.1")
    with pytest.raises(NotAllowed, match="Too many people"):
        come("one more", "192.0.2.1")
    come("somebody else", "198.51.100.7")
    with study.store.reading() as session:
        assert "192.0.2.1" not in repr(session.query(Audit.detail).all())


def test_only_a_researcher_can_mark_someone_as_withdrawn(study: Study) -> None:
    person = study.join("a")
    rosa = members.add(study.store, None, study.project, "Rosa", role="researcher").id
    reader = members.add(study.store, None, study.project, "Rita", role="reader").id
    for actor in (person, reader):
        with pytest.raises(NotAllowed):
            participants.mark_withdrawn(study.store, actor, study.project, person, "timed_out")
        with pytest.raises(NotAllowed):
            participants.participant_rows(study.store, actor, study.project)
        with pytest.raises(NotAllowed):
            links.of_project(study.store, actor, study.project)
        with pytest.raises(NotAllowed):
            links.create(study.store, actor, study.project, "Mine", OPTIONS)
        with pytest.raises(NotAllowed):
            links.close(study.store, actor, study.project, study.link.id)
    participants.mark_withdrawn(study.store, rosa, study.project, person, "timed_out")
    assert study.place(person).state == "timed_out" and study.held(person) == 0


def test_the_list_for_paying(any_store: Store) -> None:
    study = make_study(any_store, pay_per_hour=12, currency="GBP")
    study.join("=cmd()")
    finisher = study.join("b")
    study.rate(finisher)
    rows = participants.participant_rows(any_store, None, study.project)
    assert [(row["external_id"], row["state"], row["ratings"]) for row in rows] == [
        ("=cmd()", "active", 0),
        ("b", "finished", 6),
    ]
    assert rows[1]["finished"] >= rows[1]["started"] and rows[0]["finished"] is None
    assert rows[1]["currency"] == "GBP" and rows[1]["parameter_STUDY_ID"] == "s1"
    assert not any("Age" in str(row) for row in rows)
    table = participants.as_csv(rows).splitlines()
    assert table[0].startswith("external_id,rater,link,state,started,finished,minutes")
    assert table[1].startswith("'=cmd(),crowd-")


def test_erasing_removes_the_platforms_id_and_the_background(study: Study) -> None:
    person = study.join("a")
    study.rate(person, at_most=1)
    erasure.erase(study.store, None, study.place(person).name, keep_ratings=True)
    with study.store.reading() as session:
        row = session.query(Membership).filter_by(person_id=person).one()
        assert (row.external_id, row.parameters, row.background) == (None, {}, {})
        assert row.consented_at is None
        assert people.get(session, person).name == "Erased person 1"
        assert session.query(Rating).count() == 2


def test_the_link_does_not_sign_in_people_with_more_rights(study: Study) -> None:
    person = study.join("a")
    members.change(
        study.store, None, study.project, person, role="researcher", cohort="", most_responses=None
    )
    with pytest.raises(NotAllowed, match="only signs in raters"):
        study.join("a")


def test_a_removed_person_cannot_come_back_through_the_link(study: Study) -> None:
    person = study.join("a")
    members.remove(study.store, None, study.project, person)
    with pytest.raises(NotAllowed, match="were removed from this study"):
        study.join("a")


def test_scores_cannot_be_changed_after_a_return(study: Study) -> None:
    person = study.join("a")
    study.rate(person, at_most=1)
    with study.store.reading() as session:
        item = session.query(Assignment.id).filter_by(person_id=person, state="done").scalar()
        before = [(row.id, row.score) for row in session.query(Rating)]
    study.leave(person)
    op = {"uid": "x" * 36, "kind": "rate", "item": item, "scores": {"relevance": 0, "fluency": 1}}
    refused = service.apply(study.store, person, study.project, op)
    assert refused.state == "refused" and "already over" in refused.message
    with study.store.reading() as session:
        assert [(row.id, row.score) for row in session.query(Rating)] == before
