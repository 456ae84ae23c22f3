"""Who belongs to a project, what they may do there, and what taking them out changes."""

from __future__ import annotations

import pytest

from judgelab.domain import Role
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project


def _project(session: Session, name: str = "Soup") -> int:
    return create_project(session, name=name).id


@pytest.mark.parametrize(
    ("held", "may"),
    [
        ("owner", {"owner", "researcher", "annotator", "reader"}),
        ("researcher", {"researcher", "annotator", "reader"}),
        ("annotator", {"annotator"}),
        ("reader", {"reader"}),
    ],
)
def test_a_member_may_do_what_the_role_holds_and_nothing_in_another_project(
    store: Store, held: Role, may: set[str]
) -> None:
    roles: tuple[Role, ...] = ("owner", "researcher", "annotator", "reader")
    with store.writing() as session:
        here, there = _project(session), _project(session, "Tea")
        ann = people.find_or_create(session, "Ann", role="")
        memberships.join(session, here, ann, role=held)
        assert {role for role in roles if memberships.has_role(session, ann, here, role)} == may
        assert not any(memberships.has_role(session, ann, there, role) for role in roles)
        assert memberships.roles_by_project(session, ann) == {here: frozenset({held})}


def test_a_role_of_ones_own_holds_in_every_project(store: Store) -> None:
    with store.writing() as session:
        here, there = _project(session), _project(session, "Tea")
        bea = people.find_or_create(session, "Bea", role="reader")
        memberships.join(session, here, bea, role="annotator")
        assert memberships.roles_in(session, bea, here) == {"reader", "annotator"}
        assert memberships.roles_by_project(session, bea) == {
            here: frozenset({"reader", "annotator"}),
            there: frozenset({"reader"}),
        }


def test_who_is_removed_has_no_rights_and_keeps_the_place_for_coming_back(store: Store) -> None:
    with store.writing() as session:
        here = _project(session)
        ann = people.find_or_create(session, "Ann", role="")
        memberships.join(session, here, ann, cohort="experts", most_responses=20)
        memberships.set_state(session, here, ann, "removed")
        assert not memberships.has_role(session, ann, here, "annotator")
        assert memberships.memberships(session, here) == []
        assert [m.name for m in memberships.memberships(session, here, removed=True)] == ["Ann"]
        back = memberships.join(session, here, ann, cohort="experts", most_responses=5)
        assert (back.state, back.most_responses) == ("active", 5)
        assert memberships.has_role(session, ann, here, "annotator")


def test_pausing_somebody_with_a_role_everywhere_gives_them_a_place_of_their_own(store: Store) -> None:
    with store.writing() as session:
        here = _project(session)
        ann = people.find_or_create(session, "Ann", role="annotator")
        assert memberships.find(session, here, ann) is None
        assert memberships.set_state(session, here, ann, "paused").state == "paused"
        assert memberships.has_role(session, ann, here, "annotator")


def test_what_cannot_be_is_said(store: Store) -> None:
    with store.writing() as session:
        here = _project(session)
        ann = people.find_or_create(session, "Ann", role="")
        with pytest.raises(InvalidInput, match="'asleep' is not a member's state"):
            memberships.set_state(session, here, ann, "asleep")
        with pytest.raises(NotFound):
            memberships.set_state(session, here, 999, "paused")
        with pytest.raises(InvalidInput, match="at least 1"):
            memberships.join(session, here, ann, most_responses=0)


def test_cohorts_are_listed_once(store: Store) -> None:
    with store.writing() as session:
        here = _project(session)
        for name, cohort in (("Ann", "students"), ("Bea", "experts"), ("Cy", "students"), ("Dot", "")):
            memberships.join(session, here, people.find_or_create(session, name, role=""), cohort=cohort)
        assert memberships.cohorts(session, here) == ["experts", "students"]
