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
    ("role_held", "allowed_roles"),
    [
        ("owner", {"owner", "researcher", "annotator", "reader"}),
        ("researcher", {"researcher", "annotator", "reader"}),
        ("annotator", {"annotator"}),
        ("reader", {"reader"}),
    ],
)
def test_a_member_may_do_what_the_role_holds_and_nothing_in_another_project(
    store: Store, role_held: Role, allowed_roles: set[str]
) -> None:
    roles: tuple[Role, ...] = ("owner", "researcher", "annotator", "reader")
    with store.writing() as session:
        project, other_project = _project(session), _project(session, "Tea")
        ann = people.find_or_create(session, "Ann", role="")
        memberships.join(session, project, ann, role=role_held)
        assert {role for role in roles if memberships.has_role(session, ann, project, role)} == allowed_roles
        assert not any(memberships.has_role(session, ann, other_project, role) for role in roles)
        assert memberships.roles_by_project(session, ann) == {project: frozenset({role_held})}


def test_a_role_of_ones_own_holds_in_every_project(store: Store) -> None:
    with store.writing() as session:
        project, other_project = _project(session), _project(session, "Tea")
        bea = people.find_or_create(session, "Bea", role="reader")
        memberships.join(session, project, bea, role="annotator")
        assert memberships.roles_in(session, bea, project) == {"reader", "annotator"}
        assert memberships.roles_by_project(session, bea) == {
            project: frozenset({"reader", "annotator"}),
            other_project: frozenset({"reader"}),
        }


def test_who_is_removed_has_no_rights_and_keeps_the_place_for_coming_back(store: Store) -> None:
    with store.writing() as session:
        project = _project(session)
        ann = people.find_or_create(session, "Ann", role="")
        memberships.join(session, project, ann, cohort="experts", most_responses=20)
        memberships.set_state(session, project, ann, "removed")
        assert not memberships.has_role(session, ann, project, "annotator")
        assert memberships.memberships(session, project) == []
        assert [m.name for m in memberships.memberships(session, project, removed=True)] == ["Ann"]
        rejoined = memberships.join(session, project, ann, cohort="experts", most_responses=5)
        assert (rejoined.state, rejoined.most_responses) == ("active", 5)
        assert memberships.has_role(session, ann, project, "annotator")


def test_pausing_somebody_with_a_role_everywhere_gives_them_a_place_of_their_own(store: Store) -> None:
    with store.writing() as session:
        project = _project(session)
        ann = people.find_or_create(session, "Ann", role="annotator")
        assert memberships.find(session, project, ann) is None
        assert memberships.set_state(session, project, ann, "paused").state == "paused"
        assert memberships.has_role(session, ann, project, "annotator")


def test_what_cannot_be_is_said(store: Store) -> None:
    with store.writing() as session:
        project = _project(session)
        ann = people.find_or_create(session, "Ann", role="")
        with pytest.raises(InvalidInput, match="'asleep' is not a member's state"):
            memberships.set_state(session, project, ann, "asleep")
        with pytest.raises(NotFound):
            memberships.set_state(session, project, 999, "paused")
        with pytest.raises(InvalidInput, match="at least 1"):
            memberships.join(session, project, ann, most_responses=0)


def test_cohorts_are_listed_once(store: Store) -> None:
    with store.writing() as session:
        project = _project(session)
        for name, cohort in (("Ann", "students"), ("Bea", "experts"), ("Cy", "students"), ("Dot", "")):
            memberships.join(session, project, people.find_or_create(session, name, role=""), cohort=cohort)
        assert memberships.cohorts(session, project) == ["experts", "students"]
