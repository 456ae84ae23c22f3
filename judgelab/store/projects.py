"""Projects and their criteria."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound
from judgelab.scales import Scale, scale_from_json
from judgelab.store import units
from judgelab.store.models import CriterionRow, ItemRow, Project, ResponseRow

DEFAULT_SETTINGS: Mapping[str, Any] = {
    "raters_per_response": 3,
    "lease_minutes": 30,
    "show_references": True,
    "show_context": True,
    "form": "pointwise",
    "ask_strength": False,
    "ask_comment": True,
    "ask_evidence": False,
    "highlight_question": False,
    "demo": False,
}


@dataclass(frozen=True)
class ProjectInfo:
    """A project as every room sees it."""

    id: int
    slug: str
    name: str
    task: str
    study: str
    settings: Mapping[str, Any]
    blind: bool
    guidelines: str
    guidelines_version: int
    criteria: tuple[Criterion, ...]
    created_at: datetime

    def criterion(self, key: str) -> Criterion:
        """Return the criterion named `key`; raises `NotFound`."""
        for criterion in self.criteria:
            if criterion.key == key:
                return criterion
        raise NotFound("criterion", key, [c.key for c in self.criteria])

    def scale(self, key: str) -> Scale:
        """Return the scale of the criterion named `key`."""
        return scale_from_json(self.criterion(key).scale)

    @property
    def scales(self) -> dict[str, Scale]:
        """Return the scale of every criterion by its key."""
        return {c.key: scale_from_json(c.scale) for c in self.criteria}


LONGEST_NAME = 200
LONGEST_SLUG = 80


@dataclass(frozen=True)
class ProjectSummary:
    """One line of the list of projects."""

    slug: str
    name: str
    study: str
    items: int
    responses: int
    demo: bool


def slug_of(name: str) -> str:
    """Return the name as a word for links and the command line: "Soup flasks" is "soup-flasks".

    A name without Latin letters keeps its own.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    latin = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    own = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", name).lower()).strip("-")
    return (latin or own)[:LONGEST_SLUG].strip("-") or "project"


def create_project(
    session: Session,
    *,
    name: str,
    study: str = "custom",
    task: str = "qa",
    criteria: Sequence[Criterion] = (),
    settings: Mapping[str, Any] | None = None,
    guidelines: str = "",
    slug: str | None = None,
) -> ProjectInfo:
    """Store a new project; raises `InvalidInput` when its name is empty or taken."""
    name = " ".join(name.split())
    if not name:
        raise InvalidInput("a project needs a name.")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(f"the name has {len(name):,} characters and {LONGEST_NAME} are allowed.")
    if slug is None:
        slug = slug_of(name)
    elif not re.fullmatch(rf"\w[\w.-]{{0,{LONGEST_SLUG - 1}}}", slug):
        raise InvalidInput(f"'{slug}' cannot be a project's short name; write '{slug_of(slug)}'.")
    units.known_form(settings or {})
    if session.scalar(select(Project.id).where(Project.slug == slug)) is not None:
        raise InvalidInput(f"there is a project '{slug}' already; choose another name.")
    project = Project(
        slug=slug,
        name=name,
        task=task,
        study=study,
        settings={**DEFAULT_SETTINGS, **(settings or {})},
        guidelines=guidelines,
    )
    session.add(project)
    session.flush()
    add_criteria(session, project.id, criteria)
    return find_project(session, slug)


def add_criteria(session: Session, project_id: int, criteria: Sequence[Criterion]) -> None:
    """Add criteria after those the project has; raises `InvalidInput` for a key it has."""
    known = criterion_ids(session, project_id)
    for position, criterion in enumerate(criteria, start=len(known)):
        if criterion.key in known:
            raise InvalidInput(f"the project has a criterion '{criterion.key}' already.")
        scale_from_json(criterion.scale)
        session.add(
            CriterionRow(
                project_id=project_id,
                key=criterion.key,
                label=criterion.label,
                question=criterion.question,
                scale=dict(criterion.scale),
                higher_is_better=criterion.higher_is_better,
                position=position,
            )
        )
    session.flush()


def criterion_ids(session: Session, project_id: int) -> dict[str, int]:
    """Return the row id of each criterion by its key, in the order shown."""
    rows = session.execute(
        select(CriterionRow.key, CriterionRow.id)
        .where(CriterionRow.project_id == project_id)
        .order_by(CriterionRow.position)
    )
    return {key: row_id for key, row_id in rows}


def find_project(session: Session, slug: str) -> ProjectInfo:
    """Return the project named `slug`; raises `NotFound` with the known ones."""
    project = session.scalar(select(Project).where(Project.slug == slug))
    if project is None:
        raise NotFound("project", slug, session.scalars(select(Project.slug)))
    return _info(session, project)


def get_project(session: Session, project_id: int) -> ProjectInfo:
    """Return the project with this row id; raises `NotFound` when it was deleted meanwhile."""
    project = session.get(Project, project_id)
    if project is None:
        raise NotFound("project", str(project_id), session.scalars(select(Project.slug)))
    return _info(session, project)


def list_projects(session: Session, *, only: Collection[int] | None = None) -> list[ProjectSummary]:
    """Return all projects, or those of the given row ids, newest first, with their counts."""
    items = _count(ItemRow)
    responses = _count(ResponseRow)
    query = (
        select(Project, items.c.n, responses.c.n)
        .outerjoin(items, items.c.project_id == Project.id)
        .outerjoin(responses, responses.c.project_id == Project.id)
        .order_by(Project.created_at.desc(), Project.id.desc())
    )
    rows = session.execute(query if only is None else query.where(Project.id.in_(only)))
    return [
        ProjectSummary(p.slug, p.name, p.study, n_items or 0, n_responses or 0, bool(p.settings.get("demo")))
        for p, n_items, n_responses in rows
    ]


def update_project(
    session: Session,
    project_id: int,
    *,
    settings: Mapping[str, Any] | None = None,
    guidelines: str | None = None,
) -> None:
    """Change settings (merged into the present ones) or guidelines (a new version when they differ).

    Another form offers raters other units; what was said before stays.
    """
    project = session.get_one(Project, project_id)
    if settings:
        units.known_form(settings)
        project.settings = {**project.settings, **settings}
        session.flush()
        units.offer(session, project_id)
    if guidelines is not None and guidelines != project.guidelines:
        project.guidelines = guidelines
        project.guidelines_version += 1


def update_criterion(session: Session, project_id: int, criterion: Criterion) -> None:
    """Change label, question and texts of a criterion; its scale's range stays as ratings knew it."""
    session.execute(
        update(CriterionRow)
        .where(CriterionRow.project_id == project_id, CriterionRow.key == criterion.key)
        .values(label=criterion.label, question=criterion.question, scale=dict(criterion.scale))
    )


def delete_project(session: Session, slug: str) -> None:
    """Remove a project with everything in it; raises `NotFound`."""
    session.execute(delete(Project).where(Project.id == find_project(session, slug).id))


def _info(session: Session, project: Project) -> ProjectInfo:
    rows = session.scalars(
        select(CriterionRow).where(CriterionRow.project_id == project.id).order_by(CriterionRow.position)
    )
    return ProjectInfo(
        id=project.id,
        slug=project.slug,
        name=project.name,
        task=project.task,
        study=project.study,
        settings=project.settings,
        blind=project.blind,
        guidelines=project.guidelines,
        guidelines_version=project.guidelines_version,
        criteria=tuple(_criterion(row) for row in rows),
        created_at=project.created_at,
    )


def _criterion(row: CriterionRow) -> Criterion:
    return Criterion(
        key=row.key,
        label=row.label,
        scale=row.scale,
        question=row.question,
        higher_is_better=row.higher_is_better,
        position=row.position,
    )


def _count(table: type[ItemRow] | type[ResponseRow]) -> Any:
    return select(table.project_id, func.count().label("n")).group_by(table.project_id).subquery()
