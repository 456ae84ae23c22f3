"""The forms before and after the work, of recruitment links and of projects, on both databases."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from judgelab.accounts import erasure, members
from judgelab.annotation import leaving, questionnaires, service
from judgelab.annotation.links import own_forms
from judgelab.annotation.links.options import Ending
from judgelab.annotation.links.questions import FormQuestion, IncompleteAnswers
from judgelab.errors import NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models import Membership
from judgelab.store.people import memberships
from judgelab.store.projects.projects import get_project, update_project
from judgelab.ui.rater import standing, work
from tests.annotation.conftest import make_person, make_project
from tests.crowd.conftest import ANSWERS, OPTIONS, Study, make_study

EXIT = (
    FormQuestion("How was it?", "paragraph"),
    FormQuestion("Effort", "number", required=False),
    FormQuestion("Tools", "choices", ("none", "search", "chatbot")),
)
GIVEN = {0: ["Fine."], 2: ["chatbot", "search"]}


def answered(
    study: Study, person: int, given: Mapping[int, Sequence[str]] = GIVEN
) -> questionnaires.FormVisit:
    return questionnaires.answer_form(study.store, person, study.project, "exit", given)


def stored(study: Study, person: int) -> object:
    with study.store.reading() as session:
        return session.query(Membership).filter_by(person_id=person).one().exit_answers


def crowd_data(study: Study, person: int) -> dict[str, object]:
    """Return what the rating screen gets about the end."""
    data = standing.crowd_data(service.progress(study.store, person, study.project), "soup-flasks", person)
    assert data is not None
    return data


def test_the_code_comes_after_the_answers(study: Study) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    assert questionnaires.find_form(study.store, person, study.project, "exit").questions == ()
    assert answered(study, person).ending is None and stored(study, person) is None
    study.rate(person)
    visit = questionnaires.find_form(study.store, person, study.project, "exit")
    assert (visit.questions, visit.ending) == (EXIT, None)
    data = crowd_data(study, person)
    assert (data["code"], data["url"], data["questions"]) == (
        "",
        "",
        f"/exit-questions/soup-flasks?rater={person}",
    )
    assert data["over"] and OPTIONS.finished.code not in str(data)
    assert answered(study, person).ending == OPTIONS.finished
    assert stored(study, person) == {"How was it?": "Fine.", "Tools": ["search", "chatbot"]}
    data = crowd_data(study, person)
    assert (data["code"], data["url"], data["questions"]) == (
        OPTIONS.finished.code,
        OPTIONS.finished.url,
        "",
    )


@pytest.mark.parametrize("given", [{}, {0: [" "], 2: ["none"]}, {0: ["Fine."]}, {**GIVEN, 1: ["much"]}])
def test_missing_and_invalid_answers_store_nothing_and_give_no_code(
    study: Study, given: dict[int, list[str]]
) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    study.rate(person)
    with pytest.raises(IncompleteAnswers):
        answered(study, person, given)
    assert stored(study, person) is None and crowd_data(study, person)["code"] == ""


def test_optional_questions_can_all_stay_empty_and_answers_are_stored_once(study: Study) -> None:
    study.set(exit_fields=(FormQuestion("Anything else?", required=False),))
    person = study.join("a")
    study.rate(person)
    assert crowd_data(study, person)["code"] == ""
    assert answered(study, person, {}).ending == OPTIONS.finished
    answered(study, person, {0: ["late"]})
    assert stored(study, person) == {}


def test_only_those_who_did_the_work_are_asked(study: Study) -> None:
    study.set(exit_fields=EXIT)
    returned, out, released = study.join("a"), study.join("b"), study.join("c")
    study.leave(returned)
    with study.store.writing() as session:
        memberships.set_state(session, study.project, out, "screened_out")
        memberships.set_state(session, study.project, released, "released")
    assert answered(study, returned).ending == Ending()
    assert answered(study, out).ending == OPTIONS.screened_out
    assert questionnaires.find_form(study.store, released, study.project, "exit").questions == EXIT
    with pytest.raises(NotAllowed):
        questionnaires.find_form(study.store, released + 100, study.project, "exit")


@pytest.mark.parametrize("first", [True, False])
def test_whoever_finished_and_leaves_is_not_asked_any_more_and_keeps_the_code(
    study: Study, first: bool
) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    study.rate(person)
    if first:
        answered(study, person)
    preview = leaving.preview_leaving(study.store, person, study.project)
    assert preview is not None and preview.answers and preview.has_ending
    leaving.leave(study.store, person, study.project)
    assert stored(study, person) == {}
    assert crowd_data(study, person)["code"] == OPTIONS.finished.code


@pytest.mark.parametrize("rated", [1, 100])  # who leaves before the end returns the work; else it is finished
def test_whoever_left_and_works_again_is_asked_at_the_end_again(study: Study, rated: int) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    study.rate(person, at_most=rated)
    leaving.leave(study.store, person, study.project)
    assert stored(study, person) == {}
    for state in ("paused", "active"):
        with study.store.writing() as session:
            memberships.set_state(session, study.project, person, state)
        assert stored(study, person) is None
    study.rate(person)
    assert crowd_data(study, person)["questions"] and crowd_data(study, person)["code"] == ""
    answered(study, person)
    with study.store.writing() as session:
        for state in ("released", "active"):
            memberships.set_state(session, study.project, person, state)
    assert stored(study, person), "answers are kept"


def test_whoever_left_was_removed_and_is_added_again_is_asked_at_the_end_again(any_store: Store) -> None:
    project, ada = invited(any_store, exit_questions=OPTIONAL)
    rate_all(any_store, ada, project)
    leaving.leave(any_store, ada, project)
    members.remove(any_store, None, project, ada)
    assert members.add(any_store, None, project, "Ada").id == ada
    rate_all(any_store, ada, project)
    assert service.progress(any_store, ada, project).asked_at_end


def test_a_pause_does_not_ask_again_what_was_left_empty(any_store: Store) -> None:
    project, ada = invited(any_store, exit_questions=OPTIONAL)
    rate_all(any_store, ada, project)
    questionnaires.answer_form(any_store, ada, project, "exit", {})
    for state in ("paused", "active"):
        with any_store.writing() as session:
            memberships.set_state(session, project, ada, state)
    assert not service.progress(any_store, ada, project).asked_at_end


def test_erasing_deletes_the_answers(study: Study) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    study.rate(person)
    answered(study, person)
    name = study.place(person).name
    erasure.erase(study.store, None, name, keep_ratings=True)
    assert stored(study, person) == {}


ENTRY = "Age: number\nJob: text, optional"
OPTIONAL = "Job: text, optional"


def invited(store: Store, name: str = "Ada", **forms: str) -> tuple[int, int]:
    """Return a project with forms and a rater invited by name."""
    settings = {name: own_forms.read_form(lines) for name, lines in forms.items()}
    project = make_project(store, answers=2, **settings)
    return project, members.add(store, None, project, name).id


def rate_all(store: Store, person: int, project: int) -> None:
    while items := service.next_items(store, person, project):
        op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": items[0].id}
        scores = {"scores": {"relevance": 1, "fluency": 1}}
        assert service.apply(store, person, project, {**op, **scores}).state == "stored"


def shown(store: Store, person: int, project: int) -> dict[str, Any]:
    """Return what the rating screen gets."""
    with store.reading() as session:
        info = get_project(session, project)
    return work.screen_data(store, person, info, work.Memory())


def test_who_is_invited_by_name_is_asked_before_the_first_unit_and_after_the_last(any_store: Store) -> None:
    project, ada = invited(any_store, entry_questions=ENTRY, exit_questions=OPTIONAL)
    data = shown(any_store, ada, project)
    assert data["queue"] == [] and "Before you start" in data["nothing"][0]
    assert data["crowd"]["questions"] == f"/entry-questions/soup-flasks?rater={ada}"
    assert data["crowd"]["over"] and not data["crowd"]["may_return"]
    with pytest.raises(IncompleteAnswers):
        questionnaires.answer_form(any_store, ada, project, "entry", {})
    questionnaires.answer_form(any_store, ada, project, "entry", {0: ["31"]})
    questionnaires.answer_form(any_store, ada, project, "entry", {0: ["32"]})
    data = shown(any_store, ada, project)
    assert data["queue"] and data["crowd"] is None
    assert questionnaires.find_form(any_store, ada, project, "exit").questions == ()
    rate_all(any_store, ada, project)
    data = shown(any_store, ada, project)
    assert data["crowd"]["questions"] == f"/exit-questions/soup-flasks?rater={ada}"
    assert "last questions" in data["nothing"][0] and not data["crowd"]["may_return"]
    visit = questionnaires.answer_form(any_store, ada, project, "exit", {})
    assert (visit.questions, visit.ending, visit.answered) == ((), None, True)
    assert shown(any_store, ada, project)["crowd"] is None
    with any_store.reading() as session:
        member = session.query(Membership).filter_by(person_id=ada).one()
    assert (member.background, member.exit_answers) == ({"Age": 31, "Job": None}, {})


def test_a_form_that_may_stay_empty_is_asked_once_and_leaving_deletes_it(any_store: Store) -> None:
    project, ada = invited(any_store, entry_questions=OPTIONAL)
    questionnaires.answer_form(any_store, ada, project, "entry", {})
    assert not service.progress(any_store, ada, project).asked_first
    preview = leaving.preview_leaving(any_store, ada, project)
    assert preview is not None and preview.answers
    leaving.leave(any_store, ada, project)
    with any_store.reading() as session:
        assert session.query(Membership).filter_by(person_id=ada).one().background == {}
    assert questionnaires.find_form(any_store, ada, project, "entry").questions == ()


def test_the_exit_form_waits_while_units_may_become_free_but_not_at_the_limit(any_store: Store) -> None:
    project, ada = invited(any_store, exit_questions=OPTIONAL)
    with any_store.writing() as session:
        update_project(session, project, settings={"raters_per_response": 1})
    ben = members.add(any_store, None, project, "Ben").id
    assert service.next_items(any_store, ben, project, 1)
    rate_all(any_store, ada, project)
    progress = service.progress(any_store, ada, project)
    assert (progress.waiting, progress.asked_at_end) == (1, False)
    with any_store.writing() as session:
        update_project(session, project, settings={"most_responses": 1})
    assert service.progress(any_store, ada, project).asked_at_end


def test_who_has_more_rights_than_a_rater_is_not_asked(any_store: Store) -> None:
    project, _ = invited(any_store, entry_questions=OPTIONAL, exit_questions=OPTIONAL)
    for role, joins in (("owner", True), ("researcher", True), ("annotator", False)):
        person = make_person(any_store, f"{role} {joins}", role=role)
        if joins:
            with any_store.writing() as session:
                memberships.join(session, project, person)
        rate_all(any_store, person, project)
        progress = service.progress(any_store, person, project)
        assert (progress.asked_first, progress.asked_at_end) == (False, False), role


@pytest.mark.parametrize("own", [True, False])
def test_a_link_without_its_own_forms_asks_those_of_the_project(any_store: Store, own: bool) -> None:
    study = make_study(
        any_store,
        entry_questions=own_forms.read_form("Age: number"),
        exit_questions=own_forms.read_form("Why?: text"),
    )
    study.set(fields=OPTIONS.fields if own else (), exit_fields=EXIT if own else ())
    person = study.join("a", ANSWERS if own else {0: ["31"]})
    study.rate(person)
    asked = questionnaires.find_form(any_store, person, study.project, "exit").questions
    assert [question.label for question in asked] == (["How was it?", "Effort", "Tools"] if own else ["Why?"])
    with any_store.reading() as session:
        background = session.query(Membership).filter_by(person_id=person).one().background
    assert background == ({"Age": 31, "Hand": "left"} if own else {"Age": 31})


def test_looking_at_the_questions_before_the_work_reserves_nothing(any_store: Store) -> None:
    study = make_study(any_store, entry_questions=own_forms.read_form("Age: number"))
    ada = members.add(any_store, None, study.project, "Ada").id
    assert shown(any_store, ada, study.project)["crowd"]["questions"]
    assert service.next_items(any_store, ada, study.project) == [] and study.held(ada) == 0
    questionnaires.answer_form(any_store, ada, study.project, "entry", {0: ["31"]})
    assert shown(any_store, ada, study.project)["queue"] and study.held(ada) == 1


def test_a_tab_that_was_open_before_there_were_questions_keeps_its_ratings(any_store: Store) -> None:
    study = make_study(any_store)
    ada = members.add(any_store, None, study.project, "Ada").id
    (item,) = service.next_items(any_store, ada, study.project, 1)
    with any_store.writing() as session:
        forms = {"entry_questions": own_forms.read_form("Age: number")}
        update_project(session, study.project, settings=forms)
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id}
    rating = {**op, "scores": {"relevance": 1, "fluency": 1}}
    update = service.apply_operations(any_store, ada, study.project, [rating])
    assert [result.state for result in update.results] == ["stored"]
    assert update.queue == [] and study.held(ada) == 0
