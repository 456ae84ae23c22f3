"""People and roles: which pages and projects each role sees, and callbacks after a right was withdrawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.accounts import global_roles, held_assignments, members, password_sign_in, signin
from judgelab.annotation import service
from judgelab.config import settings
from judgelab.domain import Role
from judgelab.errors import NotAllowed
from judgelab.runs.service import run_status
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import Audit, Rating, now
from judgelab.store.people import memberships, people, sessions
from judgelab.store.projects.projects import create_project, find_project, update_project
from judgelab.store.rating import assignments, units
from judgelab.ui.kit import text
from tests.mail_server import Mailbox, mail_server
from tests.pages.conftest import NewApp
from tests.pages.kitchen import rated, waiting

OpenAs = Callable[..., AppTest]


@pytest.fixture
def kitchen(app_store: Store) -> int:
    slug = rated(app_store)
    with app_store.writing() as session:
        create_project(session, name="Secret study")
        return next(iter(memberships.roles_by_project(session, _owner(session)))) if slug else 0


def _owner(session) -> int:  # type: ignore[no-untyped-def]
    return people.find_or_create(session, "Owner", role="owner")


@pytest.fixture
def open_as(app_store: Store, new_app: NewApp) -> OpenAs:
    """Open a page as a person: `open_as(person_id, "owner/people.py", project=slug)`."""

    def open_(person_id: int, path: str | None = None, **query: str) -> AppTest:
        at = new_app()
        with app_store.writing() as session:
            cookie = sessions.start_session(session, person_id, until=now() + timedelta(hours=1))
        at.session_state["cookie"] = cookie
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        if path is not None:
            at.switch_page(f"pages/{path}")
            for name, value in query.items():
                at.query_params[name] = value
            at.run()
        assert not at.exception
        return at

    return open_


def _add(store: Store, project_id: int, name: str, role: Role) -> int:
    return members.add(store, None, project_id, name, role=role).id


def _said(at: AppTest) -> str:
    elements = [*at.title, *at.markdown, *at.caption, *at.error, *at.warning, *at.success]
    return "\n".join(str(element.value).replace("\\", "") for element in elements)


def _labels(at: AppTest) -> set[str]:
    return {button.label for button in at.button}


def test_somebody_is_added_and_the_link_is_shown_once(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    with app_store.writing() as session:
        owner = _owner(session)
    at = open_as(owner, "owner/people.py", project="kitchen-questions")
    at.text_input(key="people_name_0").input("Dot")
    at.text_input(key="people_cohort_0").input("experts")
    at.button(key="people_send").click().run()
    assert not at.exception
    assert "Link for Dot" in _said(at)
    path = at.code[0].value.partition("/invite/")[2]
    person = signin.whoami(app_store, signin.redeem(app_store, path))
    assert person is not None and person.name == "Dot"
    table = at.dataframe[0].value.set_index("Name")
    assert table.loc["Dot", ["Role", "State", "Cohort", "Rated"]].tolist() == [
        "rater",
        "active",
        "experts",
        0,
    ]
    assert "works until" in table.loc["Dot", "Link"]
    (field,) = [element for element in at.text_input if element.label == "Name"]
    field.input("Eve")
    at.button(key="people_send").click().run()
    assert "Link for Eve" in _said(at) and "Link for Dot" in _said(at), "a link is shown this once"
    assert path in at.code[1].value and len(at.code) == 2
    at.button(key="people_hide").click().run()
    assert not at.code and "Link for Dot" not in _said(at)


def test_one_cohort_is_shown_on_request(app_store: Store, kitchen: int, open_as: OpenAs) -> None:
    for name, cohort in (("Ada", "north"), ("Ben", "south"), ("Cy", "north"), ("Dot", "")):
        members.add(app_store, None, kitchen, name, cohort=cohort)
    with app_store.writing() as session:
        owner = _owner(session)
    at = open_as(owner, "owner/people.py", project="kitchen-questions")
    everybody = set(at.dataframe[0].value["Name"])
    assert {"Ada", "Ben", "Cy", "Dot"} <= everybody
    chosen = at.selectbox(key="people_shown_cohort")
    assert chosen.options == ["all people", "north", "south", "without a cohort"]
    chosen.set_value("north").run()
    assert list(at.dataframe[0].value["Name"]) == ["Ada", "Cy"]
    at.selectbox(key="people_shown_cohort").set_value("").run()
    assert set(at.dataframe[0].value["Name"]) == everybody - {"Ada", "Ben", "Cy"}


def test_an_owner_gives_back_what_lies_unrated_on_a_screen(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    ada = _add(app_store, kitchen, "Ada", "annotator")
    ben = _add(app_store, kitchen, "Ben", "annotator")
    with app_store.writing() as session:
        owner = _owner(session)
        update_project(session, kitchen, settings={"raters_per_response": 4})
        units.offer_units(session, kitchen)
    (reserved,) = service.next_items(app_store, ada, kitchen, 1)
    at = open_as(owner, "owner/people.py", project="kitchen-questions")
    assert "Ada has 1 answer reserved, for another 30 minutes unless" in _said(at)
    at.button(key=f"people_give_back_{ada}").click().run()
    assert "The answers reserved for Ada are offered to others again." in _said(
        at
    ) and "Ada has" not in _said(at)
    with app_store.reading() as session:
        assert assignments.held_units(session, kitchen, at=now()) == []
        assert audit.recent_events(session, kitchen)[0].action == "gave_back"
    with pytest.raises(NotAllowed):
        held_assignments.release_held_units(app_store, ben, kitchen, ada)


def test_a_refusal_is_a_sentence_and_keeps_what_was_typed(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    researcher = _add(app_store, kitchen, "Rosa", "researcher")
    global_roles.add(app_store, "Olga", "owner", "a long pass phrase")
    at = open_as(researcher, "owner/people.py", project="kitchen-questions")
    assert at.selectbox(key="people_role_0").options == [
        "rater: sees only their own ratings",
        "reader: sees results, changes nothing",
    ]
    at.text_input(key="people_name_0").input("Olga")
    at.button(key="people_send").click().run()
    assert "A person in another project is also named 'Olga'" in _said(at)
    assert at.text_input(key="people_name_0").value == "Olga"


@pytest.mark.parametrize(
    ("role", "page"),
    [
        ("annotator", "annotator/rate.py"),
        ("reader", "researcher/agreement.py"),
        ("researcher", "researcher/projects.py"),
    ],
)
def test_a_member_sees_their_project_and_no_other_by_list_or_link(
    app_store: Store, kitchen: int, open_as: OpenAs, role: Role, page: str
) -> None:
    person = _add(app_store, kitchen, "Member", role)
    mine = open_as(person, page)  # the only project they see is the current one
    assert mine.session_state["gate_project"] == "kitchen-questions"
    other_project = open_as(person, page, project="secret-study")
    assert "gate_project" not in other_project.session_state
    assert "Secret study" not in _everything(other_project)
    assert "Kitchen questions" in _everything(other_project)  # theirs is offered


def _everything(at: AppTest) -> str:
    parts = [_said(at), *_labels(at)]
    parts += [str(frame.value) for frame in at.dataframe]
    return "\n".join(parts)


def test_a_reader_sees_results_and_no_button_that_changes_anything(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    reader = _add(app_store, kitchen, "Reader", "reader")
    at = open_as(reader, "researcher/quality.py", project="kitchen-questions")
    assert at.dataframe
    assert not [label for label in _labels(at) if label.startswith(("Apply", "Lock", ":violet[Apply"))]
    assert open_as(reader, "researcher/agreement.py", project="kitchen-questions").title


@pytest.mark.parametrize("page", ["researcher/data.py", "researcher/judges.py", "owner/people.py"])
@pytest.mark.parametrize("role", ["reader", "annotator"])
def test_raters_and_readers_do_not_have_the_pages_that_change_a_project(
    app_store: Store, kitchen: int, open_as: OpenAs, role: Role, page: str
) -> None:
    person = _add(app_store, kitchen, "Member", role)
    at = open_as(person)
    with pytest.raises(ValueError, match="Could not find a navigation page"):
        at.switch_page(f"pages/{page}")


def test_who_is_removed_while_a_page_is_open_changes_nothing_more(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    researcher = _add(app_store, kitchen, "Rosa", "researcher")
    at = open_as(researcher, "owner/people.py", project="kitchen-questions")
    at.text_input(key="people_name_0").input("Dot")
    members.remove(app_store, None, kitchen, researcher)
    at.button(key="people_send").click().run()
    assert not at.exception
    with app_store.reading() as session:
        assert people.find(session, "Dot") is None
    assert "Kitchen" not in _everything(at)


def test_who_is_in_no_project_is_told_so(app_store: Store, kitchen: int, open_as: OpenAs) -> None:
    with app_store.writing() as session:
        nina = people.find_or_create(session, "Nina", role="")
    assert "You belong to no project" in _said(open_as(nina, "everyone/account.py"))


def test_signing_out_ends_the_sign_in(app_store: Store, kitchen: int, open_as: OpenAs) -> None:
    person = _add(app_store, kitchen, "Member", "annotator")
    at = open_as(person, "everyone/account.py")
    cookie = at.session_state["cookie"]
    at.button(key="account_sign_out").click().run()
    assert signin.whoami(app_store, cookie) is None
    assert "You are not signed in" in _said(at)


def test_a_password_is_changed_and_the_old_one_is_needed(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    olga = global_roles.add(app_store, "Olga", "owner", "a long pass phrase").id
    at = open_as(olga, "everyone/account.py")
    for present, message in (
        ("wrong", "current password is wrong"),
        ("a long pass phrase", "Password changed"),
    ):
        at.text_input(key="account_present").input(present)
        at.text_input(key="account_new").input("another pass phrase")
        at.text_input(key="account_again").input("another pass phrase")
        at.button(key="account_change").click().run()
        assert message in _said(at)
    assert password_sign_in.sign_in(app_store, "Olga", "another pass phrase", address="")


def test_a_provider_signs_in_whom_an_owner_added(app_store: Store, kitchen: int, new_app: NewApp) -> None:
    global_roles.add(app_store, "olga@example.org", "owner", "a long pass phrase")
    at = new_app()
    at.secrets["auth"] = {"client_id": "x", "redirect_uri": "http://localhost/oauth2callback"}
    at.run()
    assert "Sign in with your organisation" in _labels(at)
    claims = {"is_logged_in": True, "iss": "https://i", "sub": "1", "iat": 5, "email": "olga@example.org"}
    at.user = {**claims, "email_verified": False}
    assert "no verified email" in _said(at.run())
    at.user = {**claims, "email_verified": True}
    at.run()
    at.switch_page("pages/everyone/account.py").run()
    assert "olga@example.org" in _said(at).replace(text.ZERO_WIDTH_SPACE, "")


def test_the_person_of_the_selected_row_is_changed_and_their_link_taken_back(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    researcher = _add(app_store, kitchen, "Rosa", "researcher")
    dot = _add(app_store, kitchen, "Dot", "annotator")
    token = members.new_link(app_store, None, kitchen, dot).path.removeprefix("/invite/")
    at = open_as(researcher, "owner/people.py", project="kitchen-questions")
    row = list(at.dataframe[0].value["Name"]).index("Dot")

    def select() -> None:
        at.session_state["people_table"] = {"selection": {"rows": [row], "columns": [], "cells": []}}
        at.run()

    select()
    limit = at.number_input(key=f"people_{dot}_most")
    assert (limit.label, limit.placeholder) == ("Maximum responses per rater", "no limit")
    with app_store.writing() as session:
        update_project(session, kitchen, settings={"most_responses": 30, "form": "pairwise"})
    select()
    limit = at.number_input(key=f"people_{dot}_most")
    assert (limit.label, limit.placeholder) == ("Maximum pairs per rater", "as in Settings: 30")
    at.text_input(key=f"people_{dot}_cohort").input("experts")
    at.number_input(key=f"people_{dot}_most").set_value(12)
    at.button(key=f"people_{dot}_save").click().run()
    with app_store.reading() as session:
        membership = memberships.find(session, kitchen, dot)
    assert membership is not None and (membership.cohort, membership.most_responses) == ("experts", 12)
    select()
    at.button(key=f"people_{dot}_revoke").click().run()
    assert not at.exception and "no longer works" in _said(at)
    assert signin.redeem(app_store, token) is None


def _select(at: AppTest, name: str) -> AppTest:
    rows = list(at.dataframe[0].value["Name"])
    at.session_state["people_table"] = {"selection": {"rows": [rows.index(name)], "columns": [], "cells": []}}
    return at.run()


def _sure(at: AppTest, person: int) -> AppTest:
    """Press the last button of the dialog, which these tests draw only with the first one pressed."""
    at.button(key=f"people_{person}_erase").click()
    return at.button(key="people_erase_sure").click().run()


@pytest.mark.parametrize("ratings", ["keep", "remove"])
def test_an_owner_erases_somebody_after_typing_the_name(
    app_store: Store, kitchen: int, open_as: OpenAs, ratings: str
) -> None:
    with app_store.writing() as session:
        owner, chen = _owner(session), people.find_or_create(session, "Chen")
        memberships.join(session, kitchen, chen, role="annotator")
    at = _select(open_as(owner, "owner/people.py", project="kitchen-questions"), "Chen")
    at.button(key=f"people_{chen}_erase").click().run()
    assert "the name Chen, also in the log" in _said(at)
    assert at.radio(key="people_erase_ratings").label == "24 ratings given"
    at.radio(key="people_erase_ratings").set_value(ratings)
    at.text_input(key="people_erase_name").input("Cheng")
    assert "doesn't match" in _said(_sure(at, chen))
    with app_store.reading() as session:
        assert people.find(session, "Chen") is not None
    at.text_input(key="people_erase_name").input("Chen")
    assert not _sure(at, chen).exception
    with app_store.reading() as session:
        assert people.find(session, "Chen") is None and people.get(session, chen).name == "Erased person 1"
        rating_count = session.query(Rating).filter_by(person_id=chen).count()
        detail = session.query(Audit).filter_by(action="erased_person").one()
    assert rating_count == (24 if ratings == "keep" else 0)
    assert detail.person_id == owner and detail.detail["ratings"] == (
        "kept" if ratings == "keep" else "removed"
    )


def test_only_an_owner_of_all_that_is_concerned_is_offered_to_erase(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    with app_store.writing() as session:
        _owner(session)
    rhea = _add(app_store, kitchen, "Rhea", "researcher")
    olga = _add(app_store, kitchen, "Olga", "owner")
    ann = _add(app_store, kitchen, "Ann", "annotator")
    for person, may_erase in ((rhea, False), (olga, True)):
        at = _select(open_as(person, "owner/people.py", project="kitchen-questions"), "Ann")
        assert ("Erase" in _labels(at)) is may_erase
    at.button(key=f"people_{ann}_erase").click().run()
    at.text_input(key="people_erase_name").input("Ann")
    with app_store.writing() as session:  # the right is withdrawn while the dialog is open
        memberships.join(session, kitchen, olga, role="researcher")
    assert "Erase permanently" not in _labels(_sure(at, ann))
    with app_store.reading() as session:
        assert people.find(session, "Ann") is not None


def test_a_right_in_another_project_does_not_pause_a_run_of_this_one(
    app_store: Store, kitchen: int, open_as: OpenAs, tmp_path: Path
) -> None:
    run = waiting(app_store, "kitchen-questions", tmp_path)
    rosa = _add(app_store, kitchen, "Rosa", "researcher")
    with app_store.writing() as session:
        memberships.join(session, find_project(session, "secret-study").id, rosa, role="researcher")
    at = open_as(rosa, "researcher/runs.py", project="kitchen-questions", run=str(run))
    with app_store.writing() as session:
        memberships.join(session, kitchen, rosa, role="annotator")
    at.query_params["project"] = "secret-study"
    at.button(key="runs_pause").click().run()
    assert not at.exception
    assert run_status(app_store, run).state == "waiting"


def test_a_pasted_list_adds_everybody_and_offers_their_links_as_a_file(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    with app_store.writing() as session:
        owner = _owner(session)
    at = open_as(owner, "owner/people.py", project="kitchen-questions")
    at.text_area(key="people_several_0").set_value("Ida, north, 20\nBen\nida").run()
    assert "Line 3: 'ida' is already on line 1." in _said(at)
    at.text_area(key="people_several_0").set_value("Ida, north, 20\nBen\nCleo\nDan").run()
    shown = next(frame.value for frame in at.dataframe if "Limit" in frame.value)
    assert shown.to_dict("records")[0] == {"Name": "Ida", "Cohort": "north", "Limit": "20"}
    at.button(key="people_several_send").click().run()
    assert not at.exception and "4 people were added" in _said(at) and "**4 links**" in _said(at)
    table = at.dataframe[0].value.set_index("Name")
    assert {"Ida", "Ben", "Cleo", "Dan"} <= set(table.index) and table.loc["Ida", "Cohort"] == "north"
    assert at.text_area(key="people_several_1").value == ""


def _mail_settings(monkeypatch: pytest.MonkeyPatch, box: Mailbox) -> None:
    for name, value in (
        ("HOST", "127.0.0.1"),
        ("PORT", str(box.port)),
        ("TLS", "none"),
        ("SENDER", "lab@x.org"),
    ):
        monkeypatch.setenv(f"JUDGELAB_MAIL_{name}", value)
    settings.cache_clear()


def test_a_list_with_addresses_is_mailed_and_those_not_sent_are_named(
    app_store: Store, kitchen: int, open_as: OpenAs, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app_store.writing() as session:
        owner = _owner(session)
        update_project(session, kitchen, settings={"raters_per_response": 9})
    with mail_server(Mailbox(refused={"ben@x.org"})) as box:
        _mail_settings(monkeypatch, box)
        at = open_as(owner, "owner/people.py", project="kitchen-questions")
        at.text_area(key="people_several_0").set_value("Ida, ida@x.org\nBen, ben@x.org\nCleo").run()
        at.text_area(key="people_letter_0_text").set_value("Come.").run()
        assert "{link}" in _said(at) and not [b for b in at.button if b.key == "people_several_send"]
        at.text_area(key="people_letter_0_text").set_value("Hello {name}: {link}").run()
        at.text_input(key="people_letter_0_own").set_value("me@x.org").run()
        at.button(key="people_letter_0_test").click().run()
        assert "sent to you only" in _said(at)
        at.button(key="people_several_send").click().run()
        assert not at.exception and "1 e-mail sent." in _said(at)
        unsent = next(frame.value for frame in at.dataframe if "Reason" in frame.value)
        assert unsent["Name"].tolist() == ["Ben"] and unsent["State"].tolist() == ["not sent"]
        first, second = box.messages()
        assert (first["To"], second["To"]) == ("me@x.org", "ida@x.org")
        link = re.search(r"/invite/(\w{20,})", second.get_content())
        assert link and "Hello Ida" in second.get_content()

        at.toggle(key="people_remind").set_value(True).run()
        at.text_area(key="people_remind_list").set_value("Ida, ida@x.org\nZed, zed@x.org").run()
        assert "No reminder (not a rater of this project): Zed." in _said(at)
        at.button(key="people_remind_send").click().run()
        assert "1 e-mail sent." in _said(at) and box.messages()[2]["To"] == "ida@x.org"


def test_without_a_mail_server_the_page_says_so_and_adds_people(
    app_store: Store, kitchen: int, open_as: OpenAs
) -> None:
    with app_store.writing() as session:
        owner = _owner(session)
    at = open_as(owner, "owner/people.py", project="kitchen-questions")
    at.text_area(key="people_several_0").set_value("Ida, ida@x.org").run()
    assert "JudgeLab can't send e-mails: " in _said(at) and "JUDGELAB_MAIL_HOST" in _said(at)
    at.button(key="people_several_send").click().run()
    assert "1 person was added" in _said(at)
