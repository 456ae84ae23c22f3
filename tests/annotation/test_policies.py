"""Assignment policies on both databases: limits, cohorts, checks, repeats, training, states."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from judgelab.annotation import service
from judgelab.annotation.service import OperationResult, QueueItem
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.frames import rater_work, score_frames
from judgelab.store.models import Assignment, Audit, ItemRow, Membership, Rating, ResponseRow, Unit, now
from judgelab.store.people import memberships
from judgelab.store.projects.overview import overview
from judgelab.store.projects.projects import update_project
from judgelab.store.rating import gold
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.transfer.imported_work import count_as_done
from tests.annotation.conftest import given_ago, make_person, make_project

GOOD = {"relevance": 2, "fluency": 4}


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def send(store: Store, person: int, project: int, kind: str, item: int = 0, **values: Any) -> OperationResult:
    op = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
    return service.apply(store, person, project, op)


def rate(store: Store, person: int, project: int, item: QueueItem, **scores: int) -> OperationResult:
    result = send(store, person, project, "rate", item.id, scores={**GOOD, **scores})
    assert result.state == "stored", result.message
    return result


def rate_all(store: Store, person: int, project: int, *, limit: int = 500) -> list[QueueItem]:
    rated: list[QueueItem] = []
    while (items := service.next_items(store, person, project)) and len(rated) < limit:
        rate(store, person, project, items[0])
        rated.append(items[0])
    return rated


def given(store: Store, person: int) -> list[Assignment]:
    with store.reading() as session:
        return list(session.query(Assignment).filter_by(person_id=person).order_by(Assignment.order))


def mark(
    store: Store, project: int, numbers: Sequence[int], purpose: str, score: int = 2, **options: Any
) -> None:
    with store.writing() as session:
        for number in numbers:
            unit = (
                session.query(Unit.id)
                .join(ItemRow, ItemRow.id == Unit.item_id)
                .filter(ItemRow.project_id == project, ItemRow.external_id == f"q{number}")
                .scalar()
            )
            gold.set_known_scores(
                session, project, unit, purpose=purpose, scores={"relevance": score}, **options
            )


def set_items(store: Store, project: int, numbers: Sequence[int], **values: Any) -> None:
    with store.writing() as session:
        names = [f"q{number}" for number in numbers]
        session.query(ItemRow).filter(ItemRow.project_id == project, ItemRow.external_id.in_(names)).update(
            values
        )


def test_a_limit_is_kept_and_shown(store: Store) -> None:
    project = make_project(store, answers=12, most_responses=4)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    assert len(service.next_items(store, ada, project)) == 4
    assert service.progress(store, ada, project).total == 4
    assert len(rate_all(store, ada, project)) == 4
    progress = service.progress(store, ada, project)
    assert (progress.limit, progress.total) == (4, 4)
    with store.writing() as session:
        memberships.join(session, project, ben, most_responses=2)
    assert len(rate_all(store, ben, project)) == 2
    with store.writing() as session:
        update_project(session, project, settings={"most_responses": None})
    assert len(rate_all(store, ada, project)) == 8


def test_imported_ratings_do_not_use_up_a_limit(store: Store) -> None:
    project, ada = make_project(store, answers=8, most_responses=4), make_person(store, "Ada")
    with store.writing() as session:
        criterion = next(iter(criterion_ids(session, project).values()))
        for response in session.query(ResponseRow).limit(3):
            keys = {"project_id": project, "response_id": response.id, "person_id": ada}
            session.add(Rating(**keys, criterion_id=criterion, score=2, origin="import"))
        session.flush()
        count_as_done(session, project)
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total, progress.limit) == (3, 7, None)
    assert len(rate_all(store, ada, project)) == 4
    progress = service.progress(store, ada, project)
    assert (progress.done, progress.total, progress.limit) == (7, 7, 4)


def test_units_with_an_expired_lease_do_not_count_as_on_screen(store: Store) -> None:
    project, ada = make_project(store, answers=4), make_person(store, "Ada")
    on_screen = len(service.next_items(store, ada, project))
    with store.reading() as session:
        assert rater_work.assigned_counts(session, project)[ada].on_screen == on_screen > 0
    with store.writing() as session:
        session.query(Assignment).update({"lease_until": now() - timedelta(minutes=1)})
    with store.reading() as session:
        assert rater_work.assigned_counts(session, project)[ada].on_screen == 0


def test_reserved_items_go_to_their_cohort_and_to_named_people_only(store: Store) -> None:
    project = make_project(store, answers=6, raters_per_response=5)
    ada, ben, cleo = (make_person(store, name) for name in ("Ada", "Ben", "Cleo"))
    set_items(store, project, [0, 1], cohort="experts")
    set_items(store, project, [2], cohort="person:Ben")
    with store.writing() as session:
        memberships.join(session, project, ada, cohort="experts")
    assert {item.answer for item in rate_all(store, ada, project)} == {"a0", "a1", "a3", "a4", "a5"}
    assert {item.answer for item in rate_all(store, ben, project)} == {"a2", "a3", "a4", "a5"}
    assert service.progress(store, cleo, project).total == 3
    rate_all(store, cleo, project)
    progress = service.progress(store, cleo, project)
    assert (progress.answers, progress.reserved, progress.complete) == (3, 3, 0)


def test_a_rater_gets_the_groups_in_turn(store: Store) -> None:
    project = make_project(store, answers=30)
    ada = make_person(store, "Ada")
    set_items(store, project, range(20), group="long")
    set_items(store, project, range(20, 30), group="short")
    first = [int(item.answer[1:]) >= 20 for item in rate_all(store, ada, project, limit=16)]
    assert 7 <= sum(first) <= 9


def test_file_order_can_be_kept_and_the_order_of_assignment_is_recorded(store: Store) -> None:
    project = make_project(store, answers=8, order="file")
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    assert [item.answer for item in rate_all(store, ada, project)] == [f"a{n}" for n in range(8)]
    assert [item.answer for item in rate_all(store, ben, project)] == [f"a{n}" for n in range(8)]
    assert [row.order for row in given(store, ada)] == list(range(1, 9))


def test_a_check_can_be_changed_and_the_report_says_how_often(store: Store) -> None:
    project = make_project(store, answers=12, attention_every=4)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    mark(store, project, [10, 11], "attention")
    checks = [item for item in rate_all(store, ada, project) if item.answer in ("a10", "a11")]
    rate_all(store, ben, project)
    rate(store, ada, project, checks[0], relevance=0)
    rate(store, ada, project, checks[0], relevance=2)
    rate(store, ada, project, checks[1])  # the same scores as before
    with store.reading() as session:
        work = rater_work.assigned_counts(session, project)
    assert (work[ada].changed_checks, work[ben].changed_checks) == (2, 0)


def test_checks_are_interleaved_and_do_not_count_as_data(store: Store) -> None:
    project = make_project(store, answers=24, attention_every=5, raters_per_response=2)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    mark(store, project, [20, 21, 22, 23], "attention")
    rate_all(store, ada, project)
    rate_all(store, ben, project)
    for person in (ada, ben):
        assert Counter(row.purpose for row in given(store, person)) == {"work": 20, "attention": 4}
        assert service.progress(store, person, project).done == 24
        assert len(service.my_ratings(store, person, project)) == 20
    with store.reading() as session:
        frame = score_frames.score_frame(session, project)
        counts = overview(session, project, raters_wanted=2)
        assert len(score_frames.response_frame(session, project)) == 20
    assert set(frame["item"]) == {f"q{n}" for n in range(20)}
    assert (counts.items, counts.responses, counts.complete, counts.ratings) == (20, 20, 20, 80)


def test_a_screen_does_not_reveal_checks(store: Store) -> None:
    project = make_project(store, answers=6, attention_every=2, gold_share=0.3)
    ada = make_person(store, "Ada")
    mark(store, project, [0, 1], "attention")
    mark(store, project, [2, 3], "gold")
    items = service.next_items(store, ada, project)
    assert {row.purpose for row in given(store, ada)} >= {"work", "attention"}
    assert not any("attention" in str(item) or "gold" in str(item) for item in items)
    assert {item.practice for item in items} == {False}


def test_everybody_gets_the_share_of_gold_units(store: Store) -> None:
    project = make_project(store, answers=45, gold_share=0.2, raters_per_response=1)
    people = [make_person(store, name) for name in ("Ada", "Ben")]
    mark(store, project, range(5), "gold")
    for person in people:
        rate_all(store, person, project, limit=20)
        purposes = Counter(row.purpose for row in given(store, person) if row.state == "done")
        assert 3 <= purposes["gold"] <= 5
    for person in people:
        rate_all(store, person, project)
    with store.reading() as session:
        work_units = session.query(Assignment.unit_id).filter_by(state="done", purpose="work").all()
        rated = session.query(Assignment.unit_id).filter_by(state="done").distinct().count()
    assert max(Counter(work_units).values()) == 1 and rated == 45


def test_a_unit_comes_again_only_after_enough_others_and_with_an_empty_screen(store: Store) -> None:
    project = make_project(store, answers=30, repeats=0.2, repeat_after=6, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    items = rate_all(store, ada, project)
    rows = {row.id: row for row in given(store, ada)}
    units = [rows[item.id].unit_id for item in items]
    repeats = [n for n, item in enumerate(items) if rows[item.id].occasion == 1]
    assert 4 <= len(repeats) <= 6
    assert all(n - units.index(units[n]) - 1 >= 6 for n in repeats)
    assert all(items[n].scores == {} and not items[n].again for n in repeats)
    assert service.next_items(store, ben, project) == []  # a repeat neither takes nor frees a place
    with store.reading() as session:
        assert session.query(Rating).filter_by(occasion=1).count() == 2 * len(repeats)
        assert len(score_frames.score_frame(session, project)) == 60
        assert overview(session, project, raters_wanted=1).ratings == 60


def test_training_comes_first_gives_feedback_and_qualifies(store: Store) -> None:
    project = make_project(store, answers=8, training={"needed": 0.6, "tries": 2})
    ada = make_person(store, "Ada")
    mark(store, project, [0, 1, 2], "training", explanation="The lid is named.")
    items = service.next_items(store, ada, project)
    assert {item.answer for item in items} == {"a0", "a1", "a2"} and all(item.practice for item in items)
    feedback = rate(store, ada, project, items[0], relevance=0).feedback
    assert feedback is not None and feedback.outcome == ""
    (result,) = feedback.results
    assert (result.right, result.rater_score, result.known_score.score) == (False, 0, 2)
    assert result.known_score.explanation == "The lid is named."
    practice = service.progress(store, ada, project).practice
    assert practice is not None and (practice.done, practice.total, practice.tries_left) == (1, 3, 2)
    rate(store, ada, project, items[1])
    feedback = rate(store, ada, project, items[2]).feedback
    assert feedback is not None and (feedback.outcome, feedback.score) == ("passed", pytest.approx(2 / 3))
    assert {item.answer for item in rate_all(store, ada, project)} == {f"a{n}" for n in range(3, 8)}
    assert send(store, ada, project, "undo", items[0].id).state == "refused"
    with store.reading() as session:
        assert len(score_frames.score_frame(session, project)) == 10


def test_the_second_try_starts_afresh_and_failing_it_screens_out(store: Store) -> None:
    project = make_project(store, answers=6, training={"needed": 1.0, "tries": 2})
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    mark(store, project, [0, 1], "training")
    for person in (ada, ben):
        first = service.next_items(store, person, project)
        rate(store, person, project, first[0])
        feedback = rate(store, person, project, first[1], relevance=0).feedback
        assert feedback is not None and (feedback.outcome, feedback.tries_left) == ("again", 1)
        second = service.next_items(store, person, project)
        assert len(second) == 2 and all(item.scores == {} for item in second)
        rate(store, person, project, second[0])
        feedback = rate(store, person, project, second[1], relevance=2 if person == ben else 1).feedback
        assert feedback is not None and feedback.outcome == ("passed" if person == ben else "out")
    assert service.next_items(store, ada, project) == []
    assert service.progress(store, ada, project).state == "screened_out"
    assert len(rate_all(store, ben, project)) == 4
    with store.reading() as session:
        assert [(row.action, row.detail["why"]) for row in session.query(Audit)] == [
            ("screened_out", "training")
        ]
        training = session.query(Membership).filter_by(person_id=ada).one().training
    assert (training["tries"], training["score"], training["passed"]) == (2, 0.5, False)
    with store.writing() as session:  # the researcher lets them in anyway
        memberships.set_state(session, project, ada, "active")
    assert len(service.next_items(store, ada, project)) == 4


def test_practice_skipped_twice_counts_as_wrong_and_ends_the_round(store: Store) -> None:
    project = make_project(store, answers=4, training={"needed": 0.5, "tries": 1})
    ada = make_person(store, "Ada")
    mark(store, project, [0], "training")
    for _ in range(2):
        (item,) = service.next_items(store, ada, project)
        assert item.practice
        send(store, ada, project, "skip", item.id)
    assert service.next_items(store, ada, project) == []
    assert service.progress(store, ada, project).state == "screened_out"


@pytest.mark.parametrize("loud", [True, False])
def test_a_missed_check_gives_feedback_only_if_loud_and_ends_nothing_by_itself(
    store: Store, loud: bool
) -> None:
    project = make_project(store, answers=6, attention_every=1)
    ada = make_person(store, "Ada")
    mark(store, project, [0, 1], "attention", loud=loud, explanation="The text said: score it 2.")
    feedbacks = [result.feedback for result in _rate_wrongly(store, ada, project)]
    assert len([feedback for feedback in feedbacks if feedback]) == (2 if loud else 0)
    assert service.progress(store, ada, project).state == "active"


def test_missed_checks_screen_out_where_the_project_says_so(store: Store) -> None:
    project = make_project(store, answers=40, attention_every=3, screen_out_after=2)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    mark(store, project, range(10), "attention")
    results = _rate_wrongly(store, ada, project)
    assert Counter(row.purpose for row in given(store, ada) if row.state == "done")["attention"] == 2
    assert len(results) < 40
    assert service.progress(store, ada, project).state == "screened_out"
    assert not [row for row in given(store, ada) if row.lease_until]
    assert len(rate_all(store, ben, project)) == 40


@pytest.mark.parametrize("state", ["paused", "released", "returned", "finished", "screened_out"])
def test_people_who_are_not_active_hold_no_units_and_get_none(store: Store, state: str) -> None:
    project = make_project(store, answers=3, raters_per_response=1)
    ada, ben = make_person(store, "Ada"), make_person(store, "Ben")
    items = service.next_items(store, ada, project)
    assert service.next_items(store, ben, project) == []
    with store.writing() as session:
        memberships.set_state(session, project, ada, state)
    assert len(service.next_items(store, ben, project)) == 3
    assert service.next_items(store, ada, project) == []
    assert service.progress(store, ada, project).state == state
    reply = send(store, ada, project, "rate", items[0].id, scores=GOOD)  # had been sent before
    assert (reply.state, reply.surplus) == (("refused", False) if state == "returned" else ("stored", True))
    with store.writing() as session:
        memberships.set_state(session, project, ada, "active")
    assert service.progress(store, ada, project).state == "active"


def test_a_pause_extends_the_leases_as_promised(store: Store) -> None:
    project = make_project(store, answers=2, raters_per_response=1, lease_minutes=5, pause_minutes=45)
    ada = make_person(store, "Ada")
    service.next_items(store, ada, project)
    assert send(store, ada, project, "pause").state == "stored"
    ends = [row.lease_until for row in given(store, ada)]
    assert all(end and timedelta(minutes=44) < end - now() <= timedelta(minutes=45) for end in ends)
    send(store, ada, project, "renew")
    ends = [row.lease_until for row in given(store, ada)]
    assert all(end and end - now() <= timedelta(minutes=5) for end in ends)


def test_time_spent_is_summed_for_the_rater(store: Store) -> None:
    project, ada = make_project(store), make_person(store, "Ada")
    first, second = service.next_items(store, ada, project)[:2]
    given_ago(store, ada, 1)
    send(store, ada, project, "rate", first.id, scores=GOOD, seconds=30)
    send(store, ada, project, "skip", second.id, seconds=12.5)
    assert service.progress(store, ada, project).seconds == 42.5


def test_an_unfinished_or_skipped_check_comes_back_and_counts_once(store: Store) -> None:
    project = make_project(store, answers=5, attention_every=1)
    ada = make_person(store, "Ada")
    mark(store, project, [0], "attention")
    service.next_items(store, ada, project)
    with store.writing() as session:
        session.query(Assignment).update({"lease_until": now() - timedelta(seconds=1)})
    items = {item.answer: item for item in service.next_items(store, ada, project)}
    send(store, ada, project, "skip", items["a0"].id)
    assert [item.answer for item in rate_all(store, ada, project)][-1] == "a0"
    assert Counter(row.purpose for row in given(store, ada)) == {"work": 4, "attention": 1}


def test_known_scores_are_stored_by_unit_and_purpose_by_item(store: Store) -> None:
    project = make_project(store, answers=3)
    mark(store, project, [0], "attention", loud=True, tolerance=1)
    with store.reading() as session:
        purpose, units = gold.units_of_item(session, project, "q0")
        (known,) = units[0].known
    assert (purpose, known.score, known.tolerance, known.loud) == ("attention", 2, 1, True)
    with store.writing() as session:
        gold.set_known_scores(session, project, units[0].unit_id, purpose="gold", scores={})
    with store.reading() as session:
        purpose, units = gold.units_of_item(session, project, "q0")
        assert (purpose, units[0].known) == ("data", ())
    with store.writing() as session, pytest.raises(InvalidInput):
        gold.set_known_scores(session, project, units[0].unit_id, purpose="bronze", scores={})


def _rate_wrongly(store: Store, person: int, project: int) -> list[OperationResult]:
    results = []
    while items := service.next_items(store, person, project):
        results.append(rate(store, person, project, items[0], relevance=0))
    return results


def test_all_rules_hold_with_several_raters_at_once(store: Store) -> None:
    """Six at once: k and limits are kept, nothing comes twice, checks come at their share."""
    project = make_project(
        store,
        answers=40,
        raters_per_response=2,
        attention_every=5,
        repeats=0.1,
        repeat_after=4,
        most_responses=30,
    )
    mark(store, project, range(34, 40), "attention")
    set_items(store, project, range(17), group="long")
    people = [make_person(store, f"rater {n}") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda person: rate_all(store, person, project), people))
    with store.reading() as session:
        rows = session.query(Assignment).filter_by(state="done").all()
        assert session.query(Assignment).filter_by(state="surplus").count() == 0
    per_unit = Counter(row.unit_id for row in rows if row.purpose == "work")
    assert max(per_unit.values()) <= 2
    assert max(Counter((row.unit_id, row.person_id, row.occasion) for row in rows).values()) == 1
    for person in people:
        purposes = Counter(row.purpose for row in rows if row.person_id == person)
        assert sum(purposes.values()) <= 30
        assert abs(purposes["attention"] - purposes["work"] / 5) <= 1
    assert len(per_unit) == 34 and sum(per_unit.values()) == 68
