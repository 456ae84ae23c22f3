"""Create, find, change and list projects."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.prepared_statements import run
from judgelab.store.models import ItemRow, Project, ResponseRow
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating import units
from judgelab.store.rating.criteria import add_criteria, criteria_of
from judgelab.wording import mark, sentence

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


_PROJECT = select(
    *(getattr(Project, name) for name in ProjectInfo.__dataclass_fields__ if name != "criteria")
)
_BY_ID = _PROJECT.where(Project.id == bindparam("project"))
_BY_SLUG = _PROJECT.where(Project.slug == bindparam("slug"))
_BY_NAME = _PROJECT.where(Project.name == bindparam("name")).order_by(Project.id)
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
    """Return the name as a slug for links and the command line: "Soup flasks" becomes "soup-flasks".

    A name without Latin letters keeps its own letters.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    latin = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    original = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", name).lower()).strip("-")
    return (latin or original)[:LONGEST_SLUG].strip("-") or "project"


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
    """Store a new project; raises `InvalidInput` if its name is empty or taken."""
    name = " ".join(name.split())
    if not name:
        raise InvalidInput(sentence("a project needs a name."))
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            sentence(
                "the name has {length} characters; at most {most} are allowed.",
                length=len(name),
                most=LONGEST_NAME,
            )
        )
    if slug is None:
        slug = slug_of(name)
    elif not re.fullmatch(rf"\w[\w.-]{{0,{LONGEST_SLUG - 1}}}", slug):
        raise InvalidInput(
            sentence(
                "'{slug}' is not a valid short name for a project; write '{better}'.",
                slug=slug,
                better=slug_of(slug),
            )
        )
    units.check_form(settings or {})
    if session.scalar(select(Project.id).where(Project.slug == slug)) is not None:
        raise InvalidInput(sentence("a project '{slug}' already exists; choose another name.", slug=slug))
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


def find_project(session: Session, slug: str) -> ProjectInfo:
    """Return the project with this slug or, failing that, this name.

    Raises:
        NotFound: there is none; lists the known slugs.
        InvalidInput: several projects have this name.
    """
    project = run(session, _BY_SLUG, slug=slug).first()
    return _info(session, project or _titled(session, slug))


def _titled(session: Session, title: str) -> Any:
    projects = run(session, _BY_NAME, name=" ".join(title.split())).all()
    if not projects:
        raise NotFound(mark("project"), title, session.scalars(select(Project.slug)))
    if len(projects) > 1:
        raise InvalidInput(
            sentence(
                "{n} projects have the title '{title}'; use a short name: {names}.",
                n=len(projects),
                title=title,
                names=", ".join(project.slug for project in projects),
            )
        )
    return projects[0]


def get_project(session: Session, project_id: int) -> ProjectInfo:
    """Return the project with this row id; raises `NotFound` if it was deleted."""
    project = run(session, _BY_ID, project=project_id).first()
    if project is None:
        raise NotFound(mark("project"), str(project_id), session.scalars(select(Project.slug)))
    return _info(session, project)


def list_projects(session: Session, *, only: Collection[int] | None = None) -> list[ProjectSummary]:
    """Return all projects, or those with the given row ids, newest first, with their counts."""
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


def project_names(session: Session, *, only: Collection[int] | None = None) -> dict[str, str]:
    """Return the names of all projects, or of those with the given row ids, by slug, newest first."""
    query = select(Project.slug, Project.name).order_by(Project.created_at.desc(), Project.id.desc())
    rows = session.execute(query if only is None else query.where(Project.id.in_(only)))
    return {slug: name for slug, name in rows}


def update_project(
    session: Session,
    project_id: int,
    *,
    settings: Mapping[str, Any] | None = None,
    guidelines: str | None = None,
) -> None:
    """Merge settings into the current ones, and store changed guidelines as a new version.

    A new rating form offers other units to raters; earlier answers stay.
    """
    # Locked, so that simultaneous updates do not undo each other.
    project = session.get_one(Project, project_id, with_for_update={"key_share": True})
    if settings:
        units.check_form(settings)
        project.settings = {**project.settings, **settings}
        session.flush()
        units.offer_units(session, project_id)
    if guidelines is not None and guidelines != project.guidelines:
        project.guidelines = guidelines
        project.guidelines_version += 1


def set_text_formats(session: Session, project_id: int, formats: Mapping[str, str]) -> None:
    """Store in which format the texts of a project are shown, by the text, where the settings do not say."""
    if formats:
        project = session.get_one(Project, project_id, with_for_update={"key_share": True})
        known = project.settings.get("text_formats") or {}
        project.settings = {**project.settings, "text_formats": {**formats, **known}}


def _info(session: Session, row: Any) -> ProjectInfo:
    return ProjectInfo(**row._mapping, criteria=criteria_of(session, row.id))


def _count(table: type[ItemRow] | type[ResponseRow]) -> Any:
    return select(table.project_id, func.count().label("n")).group_by(table.project_id).subquery()
