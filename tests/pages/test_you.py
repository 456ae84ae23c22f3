"""You against the judges: a person's own ratings compared with others', and who may see them."""

import pytest

from judgelab.accounts import members, signin
from judgelab.analysis.data import saved_filters
from judgelab.analysis.raters import self_comparison
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.store.db import audit
from judgelab.store.models import Person, Rating, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import criterion_ids
from tests.pages import kitchen
from tests.pages.conftest import screen_text

PAGE = "researcher/you.py"


@pytest.fixture
def slug(app_store):
    return kitchen.with_judges(app_store, strict=1)


def rate(store, slug, scores, *, name="Owner"):
    """Store these scores in a person's name, one for the first response of each item."""
    with store.writing() as session:
        project = find_project(session, slug)
        person = people.find_or_create(session, name, role="owner")
        responses = session.query(ResponseRow.id).order_by(ResponseRow.id).all()[::2][: len(scores)]
        criterion = criterion_ids(session, project.id)["answers"]
        for (response,), score in zip(responses, scores, strict=True):
            session.add(
                Rating(
                    project_id=project.id,
                    response_id=response,
                    criterion_id=criterion,
                    person_id=person,
                    score=score,
                )
            )


def owner(store):
    """Return the name of the owner of this machine."""
    signin.new_owner_token(store)
    with store.reading() as session:
        return session.query(Person.name).filter(Person.role == "owner").order_by(Person.id).first()[0]


def test_before_the_first_rating_the_page_leads_to_rating(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert "You have no ratings here yet" in screen_text(at)
    assert [button.label for button in at.button] == [":violet[Rate responses]"]


def test_three_ratings_are_placed_with_interval_n_and_a_warning(app_store, open_page, slug):
    rate(app_store, slug, [0, 3, 1], name=owner(app_store))
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "On **3** answers that others rated too, you differed" in screen_text(at)
    assert "3 answers are very few" in screen_text(at)
    answers, everybody = at.dataframe[0].value, at.dataframe[1].value
    assert answers["Own"].tolist().count("0") == 1 and len(answers) == 3
    assert set(everybody["Rater"]) == {"You", "Amara", "Chen", "Gwen", "strict"}
    assert everybody.loc[everybody["Rater"] == "You", "n"].item() == "3"
    assert everybody.loc[everybody["Rater"] == "You", "95 % interval"].item().startswith("[")


def test_two_ratings_are_undefined_and_say_why(app_store, open_page, slug):
    rate(app_store, slug, [0, 3], name=owner(app_store))
    at = open_page(PAGE, project=slug)
    assert "agreement is undefined: 2 shared responses; at least 3 are needed" in screen_text(at)


def test_a_wide_difference_stays_in_although_the_rule_would_call_it_a_conflict(app_store, open_page, slug):
    saved_filters.save_filter(app_store, slug, "Strict", FilterPolicy(conflict=1.0))
    rate(app_store, slug, [0, 0, 0, 0, 0, 0], name=owner(app_store))
    comparison = self_comparison.compare_person(app_store, slug, owner(app_store), criterion="answers")
    assert len(comparison.responses) == 6


def test_who_opens_the_page_is_not_blind_afterwards(app_store, open_page, slug):
    open_page(PAGE, project=slug)
    with app_store.reading() as session:
        project = find_project(session, slug)
        (me,) = [person for person in people.list_people(session) if person.role == "owner"]
        assert audit.has_recorded(session, audit.OPENED_JUDGES, project_id=project.id, person_id=me.id)


def test_a_rater_who_may_not_see_judges_is_refused(app_store, open_page, slug):
    at = open_page("annotator/my_ratings.py", project=slug)
    with app_store.reading() as session:
        project = find_project(session, slug)
    rater = members.add(app_store, None, project.id, "Rater")
    link = members.new_link(app_store, None, project.id, rater.id)
    at.session_state["cookie"] = signin.redeem(app_store, link.path.removeprefix("/invite/"))
    at.switch_page(f"pages/{PAGE}")
    at.query_params["project"] = slug
    at.run()
    assert "strict" not in screen_text(at) and not at.dataframe
