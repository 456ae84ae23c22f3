"""The people of a project: who may add, invite, change and remove others, and that it acts at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from judgelab.accounts import global_roles, members, password_sign_in, signin
from judgelab.domain import Role
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.people import memberships
from judgelab.store.projects.projects import create_project


@dataclass
class Lab:
    """Two projects, and people with each role in the first: `of` has their ids."""

    store: Store
    soup: int
    tea: int
    of: dict[str, int]

    def add(self, name: str, role: Role = "annotator", project: int | None = None) -> int:
        return members.add(self.store, None, project or self.soup, name, role=role).id

    def link(self, name: str, actor: int | None = None) -> str:
        new_link = members.new_link(self.store, actor, self.soup, self.of[name])
        return new_link.path.removeprefix("/invite/")

    def may(self, name: str, role: Role = "annotator") -> bool:
        with self.store.reading() as session:
            return memberships.has_role(session, self.of[name], self.soup, role)


@pytest.fixture
def lab(store: Store) -> Lab:
    with store.writing() as session:
        soup, tea = (create_project(session, name=name).id for name in ("Soup", "Tea"))
    built = Lab(store, soup, tea, {})
    roles: tuple[Role, ...] = ("owner", "researcher", "annotator", "reader")
    built.of = {role: built.add(f"The {role}", role) for role in roles}
    built.of["head"] = global_roles.add(store, "Head", "owner", "a long pass phrase").id
    return built


Act = Callable[[Lab, int], object]
ACTS: dict[str, Act] = {
    "add": lambda lab, actor: members.add(lab.store, actor, lab.soup, "New"),
    "link": lambda lab, actor: members.new_link(lab.store, actor, lab.soup, lab.of["annotator"]),
    "revoke": lambda lab, actor: members.revoke_link(lab.store, actor, lab.soup, lab.of["annotator"]),
    "end": lambda lab, actor: members.end_sign_ins(lab.store, actor, lab.soup, lab.of["annotator"]),
    "remove": lambda lab, actor: members.remove(lab.store, actor, lab.soup, lab.of["annotator"]),
    "list": lambda lab, actor: members.list_members(lab.store, actor, lab.soup),
    "change": lambda lab, actor: members.change(
        lab.store, actor, lab.soup, lab.of["annotator"], role="reader", cohort="", most_responses=None
    ),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_only_researchers_and_owners_of_the_project_manage_its_people(lab: Lab, act: Act) -> None:
    stranger = lab.add("Researcher of tea", "researcher", lab.tea)
    for actor in (lab.of["annotator"], lab.of["reader"], stranger):
        with pytest.raises(NotAllowed):
            act(lab, actor)
    act(lab, lab.of["researcher"])


def test_a_researcher_makes_no_researchers_and_touches_none(lab: Lab) -> None:
    researcher, other_researcher = lab.of["researcher"], lab.add("Second", "researcher")
    for role in ("owner", "researcher"):
        with pytest.raises(NotAllowed, match="an owner"):
            members.add(lab.store, researcher, lab.soup, "New", role=role)
        with pytest.raises(NotAllowed, match="an owner"):
            members.change(
                lab.store,
                researcher,
                lab.soup,
                lab.of["annotator"],
                role=role,
                cohort="",
                most_responses=None,
            )
    for act in (members.new_link, members.end_sign_ins, members.remove):
        with pytest.raises(NotAllowed):
            act(lab.store, researcher, lab.soup, other_researcher)
        with pytest.raises(NotAllowed):
            act(lab.store, researcher, lab.soup, lab.of["owner"])
    members.remove(lab.store, lab.of["owner"], lab.soup, other_researcher)


def test_nobody_gets_a_link_to_rights_beyond_their_own(lab: Lab) -> None:
    """A link signs in with all the person's rights, those in other projects too."""
    with lab.store.writing() as session:
        memberships.join(session, lab.tea, lab.of["annotator"], role="researcher")
        memberships.join(session, lab.soup, lab.of["head"])
    for act in (members.new_link, members.end_sign_ins):
        for person in ("annotator", "head"):
            with pytest.raises(NotAllowed, match="more rights than you"):
                act(lab.store, lab.of["owner"], lab.soup, lab.of[person])
    members.new_link(lab.store, lab.of["head"], lab.soup, lab.of["annotator"])


@pytest.mark.parametrize("name", ["Head", "Rater of tea"])
def test_adding_somebody_elses_name_takes_nobody_over(lab: Lab, name: str) -> None:
    lab.add("Rater of tea", project=lab.tea)
    with pytest.raises(InvalidInput, match="another project"):
        members.add(lab.store, lab.of["owner"], lab.soup, name)


def test_a_raters_link_works_again_and_again_until_it_is_revoked(lab: Lab) -> None:
    token = lab.link("annotator")
    cookies = [signin.redeem(lab.store, token) for _ in range(3)]
    assert len(set(cookies)) == 3
    people = [signin.whoami(lab.store, cookie) for cookie in cookies]
    assert {person.id for person in people if person} == {lab.of["annotator"]}
    members.revoke_link(lab.store, lab.of["researcher"], lab.soup, lab.of["annotator"])
    assert signin.redeem(lab.store, token) is None
    assert [signin.whoami(lab.store, cookie) for cookie in cookies] == [None] * 3


def test_a_researchers_link_works_once(lab: Lab) -> None:
    token = lab.link("researcher")
    assert signin.redeem(lab.store, token) is not None
    assert signin.redeem(lab.store, token) is None


def test_a_rater_who_is_made_a_researcher_loses_the_lasting_link(lab: Lab) -> None:
    token = lab.link("annotator")
    members.change(
        lab.store, None, lab.soup, lab.of["annotator"], role="researcher", cohort="", most_responses=None
    )
    assert signin.redeem(lab.store, token) is None


@pytest.mark.parametrize("action", ["change", "add"])
def test_whoever_becomes_a_researcher_loses_the_lasting_links_of_other_projects_too(
    lab: Lab, action: str
) -> None:
    """A sign-in is valid in every project: the link for tea would show what a researcher sees of soup."""
    person = lab.add("Rater of tea", project=lab.tea)
    new_link = members.new_link(lab.store, None, lab.tea, person)
    cookie = signin.redeem(lab.store, token := new_link.path.removeprefix("/invite/"))
    if action == "add":
        members.add(lab.store, lab.of["head"], lab.soup, "Rater of tea", role="researcher")
    else:
        members.add(lab.store, lab.of["head"], lab.soup, "Rater of tea")
        assert signin.whoami(lab.store, cookie) is not None
        members.change(lab.store, None, lab.soup, person, role="owner", cohort="", most_responses=None)
    assert signin.redeem(lab.store, token) is None
    assert signin.whoami(lab.store, cookie) is None


def test_a_new_link_ends_the_one_before_and_leaves_browsers_signed_in(lab: Lab) -> None:
    first = lab.link("annotator")
    cookie = signin.redeem(lab.store, first)
    second = lab.link("annotator")
    assert signin.redeem(lab.store, first) is None
    assert signin.redeem(lab.store, second) is not None
    assert signin.whoami(lab.store, cookie) is not None


def test_ending_sign_ins_leaves_the_link(lab: Lab) -> None:
    token = lab.link("annotator")
    cookie = signin.redeem(lab.store, token)
    assert members.end_sign_ins(lab.store, lab.of["researcher"], lab.soup, lab.of["annotator"]) == 1
    assert signin.whoami(lab.store, cookie) is None
    assert signin.redeem(lab.store, token) is not None


def test_removing_takes_the_rights_and_the_link_and_keeps_the_person(lab: Lab) -> None:
    token = lab.link("annotator")
    members.remove(lab.store, lab.of["researcher"], lab.soup, lab.of["annotator"])
    assert not lab.may("annotator")
    assert signin.redeem(lab.store, token) is None
    assert "The annotator" not in [
        member.membership.name for member in members.list_members(lab.store, None, lab.soup)
    ]
    assert members.add(lab.store, lab.of["researcher"], lab.soup, "The annotator").id == lab.of["annotator"]
    assert lab.may("annotator")


def test_who_is_removed_stays_signed_in_while_another_project_is_left(lab: Lab) -> None:
    lab.add("The annotator", project=lab.tea)
    cookie = signin.redeem(lab.store, lab.link("annotator"))
    assert cookie is not None
    members.remove(lab.store, lab.of["researcher"], lab.soup, lab.of["annotator"])
    assert not lab.may("annotator")
    signed_in = signin.whoami(lab.store, cookie)
    assert signed_in is not None and signed_in.id == lab.of["annotator"]
    members.remove(lab.store, None, lab.tea, lab.of["annotator"])
    assert (
        signin.whoami(lab.store, cookie) is None
    )  # although the sign-in came through the other project's link


def test_who_is_removed_from_their_only_project_is_signed_out(lab: Lab) -> None:
    cookie = signin.redeem(lab.store, lab.link("annotator"))
    members.remove(lab.store, lab.of["researcher"], lab.soup, lab.of["annotator"])
    assert signin.whoami(lab.store, cookie) is None


def test_nobody_takes_their_own_seniority_away(lab: Lab) -> None:
    with pytest.raises(InvalidInput, match="another owner"):
        members.remove(lab.store, lab.of["owner"], lab.soup, lab.of["owner"])


def test_what_cannot_be_added_is_said(lab: Lab) -> None:
    for name, message in (("  ", "enter a name"), ("x" * 81, "81 characters"), ("The reader", "already")):
        with pytest.raises(InvalidInput, match=message):
            members.add(lab.store, None, lab.soup, name)
    with pytest.raises(InvalidInput, match="1 to 365 days"):
        members.new_link(lab.store, None, lab.soup, lab.of["reader"], days=0)


def test_the_list_says_role_link_browsers_and_the_log_says_who_did_it(lab: Lab) -> None:
    signin.redeem(lab.store, lab.link("annotator", actor=lab.of["researcher"]))
    by_name = {
        member.membership.name: member
        for member in members.list_members(lab.store, lab.of["researcher"], lab.soup)
    }
    rater = by_name["The annotator"]
    assert rater.link is not None
    assert (rater.membership.role, rater.link.state, rater.browsers, rater.rated_units) == (
        "annotator",
        "open",
        1,
        0,
    )
    assert rater.last_seen is not None
    assert by_name["The reader"].link is None
    with lab.store.reading() as session:
        event = audit.recent_events(session, lab.soup)[0]
    assert (event.action, event.person, event.detail["person"]) == (
        "invited_person",
        "The researcher",
        "The annotator",
    )


def test_a_password_holder_is_not_handed_out_by_link(lab: Lab) -> None:
    password_sign_in.change(
        lab.store, lab.of["researcher"], present="", new="another pass phrase", cookie=None
    )
    with pytest.raises(NotAllowed, match="more rights than you"):
        members.new_link(lab.store, lab.of["owner"], lab.soup, lab.of["researcher"])
