"""A project with a recruitment link, and people of a platform who join through it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from judgelab.accounts import signin
from judgelab.annotation import service
from judgelab.annotation.links.options import Ending, LinkOptions
from judgelab.annotation.links.questions import FormQuestion
from judgelab.crowd import joining, links
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment
from judgelab.store.people import memberships, recruitment_links
from judgelab.store.people.memberships import MembershipInfo
from judgelab.store.people.recruitment_links import RecruitmentLinkInfo
from judgelab.store.projects.projects import get_project
from tests.annotation.conftest import make_project

OPTIONS = LinkOptions(
    person="PROLIFIC_PID",
    others=("STUDY_ID",),
    consent="You rate soups. **Nothing** else.",
    fields=(
        FormQuestion("Age", "number"),
        FormQuestion("Hand", "choice", ("left", "right")),
        FormQuestion("Anything else", required=False),
    ),
    places=3,
    finished=Ending("DONE1", "https://platform.example/done?cc=DONE1"),
    screened_out=Ending("OUT1"),
    declined=Ending("NO1", "https://platform.example/no"),
)
ANSWERS = {0: ["31"], 1: ["left"]}


def query(person: str, **others: str) -> dict[str, list[str]]:
    """Return the URL parameters with which the platform sends a person."""
    return {name: [value] for name, value in {"PROLIFIC_PID": person, "STUDY_ID": "s1", **others}.items()}


@dataclass
class Study:
    """A project with one link."""

    store: Store
    project: int
    link: RecruitmentLinkInfo

    def join(self, person: str, answers: Mapping[int, Sequence[str]] | None = ANSWERS) -> int:
        """Let a person join; returns their row id."""
        joined = joining.join(self.store, self.link.token, query(person), answers)
        signed_in = signin.whoami(self.store, joined.cookie)
        assert signed_in is not None
        return signed_in.id

    def place(self, person: int) -> MembershipInfo:
        """Return a person's membership."""
        with self.store.reading() as session:
            member = memberships.find(session, self.project, person)
        assert member is not None
        return member

    def rate(self, person: int, *, at_most: int = 100) -> int:
        """Let a person rate the units assigned to them; returns how many these were."""
        rated = 0
        while rated < at_most and (items := service.next_items(self.store, person, self.project)):
            scores = self._scores()
            op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": items[0].id, "scores": scores}
            assert service.apply(self.store, person, self.project, op).state == "stored"
            rated += 1
        return rated

    def leave(self, person: int) -> service.OperationResult:
        """Let a person return their work."""
        op = {"uid": str(uuid.uuid4()), "kind": "return", "item": 0}
        return service.apply(self.store, person, self.project, op)

    def held(self, person: int) -> int:
        """Return how many units are on a person's screen."""
        with self.store.reading() as session:
            query = session.query(Assignment).filter_by(person_id=person)
            return query.filter(Assignment.lease_until.is_not(None)).count()

    def set(self, **changed: Any) -> None:
        """Change options of the link."""
        link = links.of_project(self.store, None, self.project)[0]
        options = replace(link.options, **changed)
        links.change(self.store, None, self.project, self.link.id, name=self.link.name, options=options)

    def _scores(self) -> dict[str, int]:
        with self.store.reading() as session:
            return {criterion.key: 1 for criterion in get_project(session, self.project).criteria}


@pytest.fixture
def study(any_store: Store) -> Iterator[Study]:
    """Return a project of six answers, each for two raters, and a link with three places."""
    yield make_study(any_store)


def make_study(store: Store, **settings: Any) -> Study:
    """Store a project with a link."""
    project = make_project(store, **{"raters_per_response": 2, **settings})
    return Study(store, project, links.create(store, None, project, "Prolific", OPTIONS))


def counts(study: Study) -> recruitment_links.LinkCounts:
    """Return how many people joined through the link."""
    return links.of_project(study.store, None, study.project)[0].counts
