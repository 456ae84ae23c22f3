"""One person rating in one project: the rules that hold there, and whether they may rate at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store import memberships, people
from judgelab.store.engine import Session
from judgelab.store.projects import ProjectInfo, get_project

OPENED_JUDGES = "opened_judges"


@dataclass(frozen=True)
class Round:
    """The rules of a project's rating round for one person."""

    project: ProjectInfo
    person_id: int

    @property
    def k(self) -> int:
        """How many people are to rate each answer."""
        return max(1, int(self.project.settings.get("raters_per_response", 3)))

    @property
    def shows_context(self) -> bool:
        """Whether raters see the text an answer was written from."""
        return bool(self.project.settings.get("show_context", True))

    @property
    def shows_references(self) -> bool:
        """Whether raters see the known answers."""
        return bool(self.project.settings.get("show_references", True))

    def lease_end(self, at: datetime) -> datetime:
        """Return when an answer given at this time is free again, if its page goes silent."""
        return at + timedelta(minutes=float(self.project.settings.get("lease_minutes", 30)))

    def check(self, scores: Mapping[str, float]) -> None:
        """Raise `InvalidInput` when a score is not one of its criterion's scale."""
        scales = self.project.scales
        for key, score in scores.items():
            reason = scales[key].reject(score) if key in scales else None
            if reason:
                raise InvalidInput(f"{self.project.criterion(key).label}: {reason}.")


def open_round(session: Session, person_id: int, project_id: int) -> Round:
    """Return the round for this person; raises `NotAllowed` when they may not rate here."""
    project = get_project(session, project_id)
    if not memberships.may(session, person_id, project_id, "annotator"):
        raise NotAllowed(f"you may not rate in '{project.name}'; ask its owner for an invitation.")
    return Round(project, person_id)


def saw_judges(session: Session, person_id: int, project_id: int) -> bool:
    """Return whether the person opened pages with judges' scores of this project: no longer blind."""
    return people.recorded(session, OPENED_JUDGES, project_id=project_id, person_id=person_id)
