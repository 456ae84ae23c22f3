"""Store a project's own prompt templates, version by version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Person, Project, TemplateRow


@dataclass(frozen=True)
class TemplateInfo:
    """One version of a part of a prompt; `by` is empty if made on the command line."""

    protocol: str
    part: str
    version: int
    text: str
    note: str
    by: str
    created_at: datetime
    in_force: bool = False


def templates(session: Session, project_id: int, *, protocol: str | None = None) -> list[TemplateInfo]:
    """Return a project's template versions, newest first, optionally of one protocol."""
    query = (
        select(TemplateRow, Person.name)
        .outerjoin(Person, Person.id == TemplateRow.person_id)
        .where(TemplateRow.project_id == project_id)
        .order_by(TemplateRow.protocol, TemplateRow.part, TemplateRow.version.desc())
    )
    if protocol is not None:
        query = query.where(TemplateRow.protocol == protocol)
    return [_info(row, name) for row, name in session.execute(query)]


def save_template(
    session: Session,
    project_id: int,
    protocol: str,
    part: str,
    text: str,
    *,
    note: str = "",
    person_id: int | None = None,
) -> TemplateInfo:
    """Return the version with this text, stored as the next version if there is none."""
    # Lock the project's row, so that people who save at the same time get different versions.
    session.execute(select(Project.id).where(Project.id == project_id).with_for_update())
    for template in templates(session, project_id, protocol=protocol):
        if template.part == part and template.text == text:
            return template
    last = session.scalar(
        select(func.max(TemplateRow.version)).where(
            TemplateRow.project_id == project_id, TemplateRow.protocol == protocol, TemplateRow.part == part
        )
    )
    row = TemplateRow(
        project_id=project_id,
        protocol=protocol,
        part=part,
        version=(last or 0) + 1,
        text=text,
        note=note,
        person_id=person_id,
    )
    session.add(row)
    session.flush()
    name = None if person_id is None else session.get_one(Person, person_id).name
    return _info(row, name)


def set_in_force(session: Session, project_id: int, protocol: str, part: str, version: int | None) -> bool:
    """Use this version of a part (None: the built-in text) for new judges; return whether it changed."""
    of_part = (
        TemplateRow.project_id == project_id,
        TemplateRow.protocol == protocol,
        TemplateRow.part == part,
    )
    before = session.scalar(select(TemplateRow.version).where(*of_part, TemplateRow.in_force))
    session.execute(
        update(TemplateRow).where(*of_part).values(in_force=TemplateRow.version == (version or 0))
    )
    return before != version


def texts_in_force(session: Session, project_id: int, protocol: str) -> dict[str, str]:
    """Return the project's own texts in use for a protocol, by part."""
    query = (
        select(TemplateRow.part, TemplateRow.text)
        .where(TemplateRow.project_id == project_id, TemplateRow.protocol == protocol, TemplateRow.in_force)
        .order_by(TemplateRow.version)  # an import can add a second one: the newest counts
    )
    return {part: text for part, text in session.execute(query)}


def _info(row: TemplateRow, name: str | None) -> TemplateInfo:
    return TemplateInfo(
        protocol=row.protocol,
        part=row.part,
        version=row.version,
        text=row.text,
        note=row.note,
        by=name or "",
        created_at=row.created_at,
        in_force=row.in_force,
    )
