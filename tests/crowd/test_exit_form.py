"""The exit questionnaire: asked of whoever finished, before the completion code, on both databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from judgelab.accounts import erasure
from judgelab.annotation import leaving, service
from judgelab.annotation.links.options import Ending
from judgelab.annotation.links.questions import FormQuestion, IncompleteAnswers
from judgelab.crowd import exit_form
from judgelab.errors import NotAllowed
from judgelab.store.models import Membership
from judgelab.store.people import memberships
from judgelab.ui.rater import standing
from tests.crowd.conftest import OPTIONS, Study

EXIT = (
    FormQuestion("How was it?", "paragraph"),
    FormQuestion("Effort", "number", required=False),
    FormQuestion("Tools", "choices", ("none", "search", "chatbot")),
)
GIVEN = {0: ["Fine."], 2: ["chatbot", "search"]}


def answered(study: Study, person: int, given: Mapping[int, Sequence[str]] = GIVEN) -> exit_form.ExitVisit:
    return exit_form.answer_exit(study.store, person, study.project, given)


def stored(study: Study, person: int) -> object:
    with study.store.reading() as session:
        return session.query(Membership).filter_by(person_id=person).one().exit_answers


def crowd_data(study: Study, person: int) -> dict[str, object]:
    """Return what the rating screen gets about the end."""
    data = standing.crowd_data(service.progress(study.store, person, study.project), "soup-flasks")
    assert data is not None
    return data


def test_the_code_comes_after_the_answers(study: Study) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    assert exit_form.find_exit(study.store, person, study.project).questions == ()
    assert answered(study, person).ending is None and stored(study, person) is None
    study.rate(person)
    visit = exit_form.find_exit(study.store, person, study.project)
    assert (visit.questions, visit.ending) == (EXIT, None)
    data = crowd_data(study, person)
    assert (data["code"], data["url"], data["questions"]) == ("", "", "/exit-questions/soup-flasks")
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
    assert exit_form.find_exit(study.store, released, study.project).questions == EXIT
    with pytest.raises(NotAllowed):
        exit_form.find_exit(study.store, released + 100, study.project)


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


def test_erasing_deletes_the_answers(study: Study) -> None:
    study.set(exit_fields=EXIT)
    person = study.join("a")
    study.rate(person)
    answered(study, person)
    name = study.place(person).name
    erasure.erase(study.store, None, name, keep_ratings=True)
    assert stored(study, person) == {}
