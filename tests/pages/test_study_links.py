"""Recruitment links on the page People: created, closed, reopened, and a person marked as gone."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import update

from judgelab.accounts import signin
from judgelab.annotation.links.options import LinkOptions
from judgelab.crowd import bonuses, joining, links, participants
from judgelab.crowd.links import RecruitmentLink
from judgelab.store.db.engine import Store
from judgelab.store.models import Audit, Membership, now
from judgelab.store.people import memberships
from judgelab.store.projects.projects import find_project
from judgelab.ui.kit import text
from tests.annotation.conftest import make_project
from tests.command import judgelab
from tests.pages.conftest import OpenPage
from tests.pages.kitchen import rated


def _select(at, key: str, row: int):  # type: ignore[no-untyped-def]
    at.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return at.run()


def _link(store: Store, slug: str) -> tuple[int, RecruitmentLink]:
    with store.reading() as session:
        project_id = find_project(session, slug).id
    return project_id, links.of_project(store, None, project_id)[0]


def test_a_link_is_made_on_the_page_and_a_mistake_keeps_what_was_typed(
    app_store: Store, open_page: OpenPage
) -> None:
    slug = rated(app_store)
    at = open_page("owner/people.py", project=slug)
    at.button(key="study_link_new").click().run()
    at.text_input(key="study_link_new_name").input("Pilot")
    at.text_area(key="study_link_new_fields").input("Age: number\nHand: choice=left|right")
    at.text_area(key="study_link_new_exit_fields").input("Tools: choices=a|b, optional\nWhy: paragraph")
    at.button(key="study_link_new_send").click().run()
    assert not at.exception
    assert any("needs a consent text" in error.value for error in at.error)
    at.text_area(key="study_link_new_consent").input("You rate soup.")
    at.text_input(key="study_link_new_others").input("STUDY_ID  SESSION_ID")
    at.text_input(key="study_link_new_finished_code").input("C1")
    at.text_input(key="study_link_new_pay").input("1,5")
    at.button(key="study_link_new_send").click().run()
    assert not at.exception and not at.error
    _, link = _link(app_store, slug)
    assert [field.label for field in link.options.fields] == ["Age", "Hand"]
    assert [(field.kind, field.required) for field in link.options.exit_fields] == [
        ("choices", False),
        ("paragraph", True),
    ]
    assert link.options.others == ("STUDY_ID", "SESSION_ID")
    assert (link.options.finished.code, link.options.minutes, link.options.pay) == ("C1", 60, "1.50")
    row = at.dataframe[-1].value.iloc[0]
    assert row[["Name", "State", "Places", "Joined"]].tolist() == ["Pilot", "open", "0 of 20", 0]
    assert "/study/" in at.code[-1].value, "the link that was just made is there to be copied"


def test_of_two_links_the_one_just_made_is_shown_until_another_is_selected(
    app_store: Store, open_page: OpenPage
) -> None:
    slug = rated(app_store)
    with app_store.reading() as session:
        project_id = find_project(session, slug).id
    first = links.create(app_store, None, project_id, "First", LinkOptions(consent="Yes?"))
    at = open_page("owner/people.py", project=slug)
    assert first.path in at.code[-1].value, "the only one needs no choice"
    at.button(key="study_link_new").click().run()
    at.text_input(key="study_link_new_name").input("Pilot")
    at.text_area(key="study_link_new_consent").input("You rate soup.")
    at.button(key="study_link_new_send").click().run()
    stored_links = links.of_project(app_store, None, project_id)
    pilot = next(link for link in stored_links if link.stored.name == "Pilot")
    assert pilot.stored.path in at.code[-1].value
    _select(
        at, "study_links_table", stored_links.index(next(link for link in stored_links if link is not pilot))
    )
    assert first.path in at.code[-1].value


def test_a_link_is_closed_and_somebody_who_came_is_marked_as_gone(
    app_store: Store, open_page: OpenPage
) -> None:
    slug, project_id = "soup-flasks", make_project(app_store)
    options = LinkOptions(person="PID", consent="Yes?")
    link = links.create(app_store, None, project_id, "Pilot", options)
    joining.join(app_store, link.token, {"PID": ["p1"]}, {})
    at = _select(open_page("owner/people.py", project=slug), "study_links_table", 0)
    assert at.code[0].value.endswith(f"{link.path}?PID=")
    at.button(key=f"study_link_{link.id}_close").click().run()
    assert not at.exception
    assert _link(app_store, slug)[1].state == "closed"
    names = list(at.dataframe[0].value["Name"])
    crowd = next(name for name in names if name.startswith("crowd-"))
    _select(at, "people_table", names.index(crowd))
    with app_store.reading() as session:
        person = next(m for m in memberships.memberships(session, project_id) if m.name == crowd)
    at.button(key=f"people_{person.person_id}_returned").click().run()
    assert not at.exception
    with app_store.reading() as session:
        membership = memberships.find(session, project_id, person.person_id)
    assert membership is not None and membership.state == "returned"
    assert "p1" not in str([frame.value for frame in at.dataframe])


def test_a_bonus_is_set_for_one_participant_and_for_all_of_a_list(
    app_store: Store, open_page: OpenPage
) -> None:
    project_id = make_project(app_store, currency="GBP")
    link = links.create(app_store, None, project_id, "Pilot", LinkOptions(person="PID", consent="Yes?"))
    for name in ("p1", "p2"):
        joining.join(app_store, link.token, {"PID": [name]}, {})
    with app_store.reading() as session:
        first = next(p for p in bonuses.bonuses.payees(session, project_id) if p.external_id == "p1")

    def given() -> dict[str, str]:
        rows = participants.participant_rows(app_store, None, project_id)
        return {row["external_id"]: f"{row['bonus']} {row['bonus_reason']}" for row in rows if row["bonus"]}

    at = open_page("owner/people.py", project="soup-flasks")
    assert not [field for field in at.text_input if field.label.startswith("Bonus")]
    _select(at, "people_table", list(at.dataframe[0].value["Name"]).index(first.name))
    key = f"people_{first.person_id}_bonus"
    assert at.text_input(key=key).label == "Bonus (GBP)"
    at.text_input(key=key).input("1,000")
    at.button(key=f"{key}_send").click().run()
    assert ["is not an amount" in error.value for error in at.error] == [True] and given() == {}
    at.text_input(key=key).input("2,5")
    at.text_input(key=f"{key}_reason").input("careful")
    at.button(key=f"{key}_send").click().run()
    assert not at.exception and given() == {"p1": "2.50 careful"}

    field = f"study_link_{link.id}_bonuses_0"
    at.text_area(key=field).input("p1,3\np9,1").run()
    at.button(key=f"{field}_send").click().run()
    assert [error.value for error in at.error] == ["Line 2\\: no participant has the ID 'p9'\\."]
    assert given() == {"p1": "2.50 careful"}
    at.text_area(key=field).input("p1,3\np2,0.5").run()
    read = next(frame.value for frame in at.dataframe if "Bonus" in frame.value)
    assert read["Bonus"].tolist() == ["3.00", "0.50"]
    at.button(key=f"{field}_send").click().run()
    assert not at.exception and not at.error
    assert given() == {"p1": "3.00 ", "p2": "0.50 "}
    assert any("2 bonuses changed" in caption.value for caption in at.caption)
    assert not any("leave out" in caption.value for caption in at.caption)
    joining.join(app_store, link.token, {"PID": ["p1,1000"]}, {})
    at.run()
    assert any("leave out 1 participant: the ID" in caption.value for caption in at.caption)


def test_whose_time_is_over_has_timed_out_also_before_anybody_asks_for_work(
    app_store: Store, open_page: OpenPage
) -> None:
    project_id = make_project(app_store)
    link = links.create(
        app_store, None, project_id, "Pilot", LinkOptions(person="PID", consent="?", minutes=30)
    )
    joining.join(app_store, link.token, {"PID": ["p1"]}, {})
    due_at = now() - timedelta(days=3)
    with app_store.writing() as session:
        session.execute(update(Membership).values(due_at=due_at))
    at = open_page("owner/people.py", project="soup-flasks")
    people, link_table = at.dataframe[0].value, at.dataframe[-1].value
    row = people[people["Name"].str.startswith("crowd-")].iloc[0]
    assert row["State"] == f"timed out · {text.day(due_at.astimezone())}"
    assert link_table.iloc[0][["Working", "Timed out", "Places"]].tolist() == [0, 1, "0 of 20"]
    _select(at, "people_table", list(people["Name"]).index(row["Name"]))
    assert not at.exception
    assert not [element for element in at.button if str(element.key).endswith(("_returned", "_late"))]


def test_why_a_link_lets_nobody_in_is_said_beside_it(app_store: Store, open_page: OpenPage) -> None:
    project_id = make_project(app_store)
    options = LinkOptions(person="PID", consent="?", places=1)
    link = links.create(app_store, None, project_id, "Pilot", options)
    for n in range(links.JOINS_PER_PLACE):
        joined = joining.join(app_store, link.token, {"PID": [f"invented-{n}"]}, {})
        person = signin.whoami(app_store, joined.cookie)
        assert person is not None
        participants.mark_withdrawn(app_store, None, project_id, person.id, "returned")
    at = open_page("owner/people.py", project="soup-flasks")
    assert [element.value for element in at.warning] == [
        "10 people joined through this link within an hour and most of them left again, so it accepts new "
        "people only when the hour is over. If they didn't come from your platform, close the link and "
        "publish a new one there."
    ]
    assert at.dataframe[-1].value.iloc[0][["State", "Places", "Joined", "Returned"]].tolist() == [
        *("temporarily blocked", "0 of 1", 10, 10)
    ]
    with app_store.writing() as session:
        session.execute(update(Membership).values(joined_at=now() - timedelta(minutes=61)))
    at.run()
    assert not at.warning and at.dataframe[-1].value.iloc[0]["State"] == "open"


def test_an_address_that_joined_too_often_is_told_of_and_the_link_stays_open(
    app_store: Store, open_page: OpenPage
) -> None:
    project_id = make_project(app_store)
    options = LinkOptions(person="PID", consent="?", places=1)
    link = links.create(app_store, None, project_id, "Pilot", options)
    for n in range(2 * links.FROM_ONE_ADDRESS):
        if n == links.FROM_ONE_ADDRESS:
            at = open_page("owner/people.py", project="soup-flasks")
            assert [element.value for element in at.warning] == [
                "3 people joined from one address within an hour, so the link accepts no more from there "
                "until the hour is over. Others can still join. A class or an office may share an address."
            ]
        address = f"192.0.2.{n // links.FROM_ONE_ADDRESS}"
        joined = joining.join(app_store, link.token, {"PID": [f"p{n}"]}, {}, address=address)
        person = signin.whoami(app_store, joined.cookie)
        assert person is not None
        participants.mark_withdrawn(app_store, None, project_id, person.id, "returned")
    at.run()
    assert [element.value[:44] for element in at.warning] == ["3 people joined from each of 2 addresses wit"]
    assert at.dataframe[-1].value.iloc[0]["State"] == "open"
    assert "192.0.2" not in str([element.value for element in (*at.warning, *at.caption, *at.dataframe)])
    listing = judgelab(app_store.url, "study-link", "list", "soup-flasks").stdout
    assert "0 of 1 places (returned 6); no new participants for now from 2 addresses" in listing
    with app_store.writing() as session:
        session.execute(update(Audit).values(at=now() - timedelta(minutes=61)))
    at.run()
    assert not at.warning
