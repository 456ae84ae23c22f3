"""One person rating in one project: the project's rules, and whether the person may rate at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.annotation.rating.questions import Question, project_questions
from judgelab.annotation.rating.rules import RatingRules, rating_rules
from judgelab.annotation.rating.settings import AssignmentPolicy, assignment_policy
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.scales import may_pass, scale_from_json
from judgelab.store.db import audit
from judgelab.store.db.engine import Session
from judgelab.store.people import memberships
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import get_project
from judgelab.wording import sentence


@dataclass(frozen=True)
class RatingSession:
    """One person rating in one project, with the rules that apply to them.

    Args:
        project: the project.
        person_id: row id of the rater.
        state: their standing in the project (`Membership`).
        policy: how units are assigned to them.
        link_id: the recruitment link they came through, if any.
        due_at: when their time there ends.
        joined_at: when they joined; None for people without a membership of their own.
    """

    project: ProjectInfo
    person_id: int
    state: str = "active"
    policy: AssignmentPolicy = AssignmentPolicy()
    link_id: int | None = None
    due_at: datetime | None = None
    joined_at: datetime | None = None

    @property
    def project_id(self) -> int:
        """Row id of the project."""
        return self.project.id

    @property
    def k(self) -> int:
        """How many people are to rate each unit."""
        return self.policy.raters

    @property
    def form(self) -> str:
        """The form in which the project's raters judge: pointwise, pairwise, ranking or best_worst."""
        return str(self.project.settings.get("form", "pointwise"))

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the project asks beside its criteria."""
        return project_questions(self.project)

    @property
    def rules(self) -> RatingRules:
        """What a rating must fulfil to be stored."""
        return rating_rules(self.project.settings)

    @property
    def shows_context(self) -> bool:
        """Whether raters see the text that an answer was written from."""
        return bool(self.project.settings.get("show_context", True))

    @property
    def shows_references(self) -> bool:
        """Whether raters see the known answers."""
        return bool(self.project.settings.get("show_references", True))

    def lease_end(self, at: datetime) -> datetime:
        """Return when a unit assigned at this time is free again, if its page goes silent."""
        return at + timedelta(minutes=self.policy.lease_minutes)

    def pause_end(self, at: datetime) -> datetime:
        """Return until when a rater who pauses now keeps the units on their screen."""
        return max(self.lease_end(at), at + timedelta(minutes=self.policy.pause_minutes))

    def check(self, scores: Mapping[str, float | None]) -> None:
        """Raise `InvalidInput` when a score is not on its criterion's scale.

        A missing score means that the response cannot be judged, where the criterion allows that.
        """
        for criterion in self.project.criteria:
            if criterion.key not in scores:
                continue
            score = scores[criterion.key]
            if score is not None:
                reason = scale_from_json(criterion.scale).reject(score)
            else:
                reason = None if may_pass(criterion.scale) else sentence("it needs a score")
            if reason:
                raise InvalidInput(
                    sentence("{criterion}: {reason}.", criterion=criterion.label, reason=reason)
                )


def open_rating_session(session: Session, person_id: int, project_id: int) -> RatingSession:
    """Return the rating session of this person; raises `NotAllowed` when they may not rate in the project."""
    project = get_project(session, project_id)
    if not memberships.has_role(session, person_id, project_id, "annotator"):
        raise NotAllowed(
            sentence(
                "you may not rate in '{project}'; ask its owner for an invitation.", project=project.name
            )
        )
    member = memberships.find(session, project_id, person_id)
    policy = assignment_policy(project.settings, own_limit=member.most_responses if member else None)
    if member is None:
        return RatingSession(project, person_id, policy=policy)
    link_id, due_at = member.study_link_id, member.due_at
    return RatingSession(project, person_id, member.state, policy, link_id, due_at, member.joined_at)


def saw_judges(session: Session, person_id: int, project_id: int) -> bool:
    """Return whether the person opened pages with judges' scores of this project, so is no longer blind."""
    return audit.has_recorded(session, audit.OPENED_JUDGES, project_id=project_id, person_id=person_id)
