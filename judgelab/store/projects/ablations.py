"""Store ablation grids: one judge with some of its settings varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.models import EndpointRow, GridRow
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class AblationInfo:
    """A stored grid; `axes` holds (setting, values) pairs in the order of the table."""

    name: str
    protocol: str
    shape: str
    axes: tuple[tuple[str, tuple[Any, ...]], ...]
    options: Mapping[str, Any]
    parameters: Mapping[str, Any]
    samples: int | None
    aggregation: str
    backend: str
    endpoint: str | None
    model: str
    id: int = 0
    created_at: datetime | None = None


def save_ablation(session: Session, project_id: int, grid: AblationInfo) -> AblationInfo:
    """Store a grid; raises `InvalidInput` if its name is taken."""
    if not grid.name.strip():
        raise InvalidInput(sentence("a grid needs a name."))
    if _row(session, project_id, grid.name) is not None:
        raise InvalidInput(sentence("a grid '{name}' already exists; choose another name.", name=grid.name))
    row = GridRow(
        project_id=project_id,
        name=grid.name.strip(),
        protocol=grid.protocol,
        shape=grid.shape,
        axes=[[setting, list(values)] for setting, values in grid.axes],
        options=dict(grid.options),
        parameters=dict(grid.parameters),
        samples=grid.samples,
        aggregation=grid.aggregation,
        backend=grid.backend,
        endpoint_id=_endpoint_id(session, grid.endpoint),
        model=grid.model,
    )
    session.add(row)
    session.flush()
    return _info(session, row)


def list_ablations(session: Session, project_id: int) -> list[AblationInfo]:
    """Return the project's grids, oldest first."""
    rows = session.scalars(select(GridRow).where(GridRow.project_id == project_id).order_by(GridRow.id))
    return [_info(session, row) for row in rows]


def delete_ablation(session: Session, project_id: int, name: str) -> None:
    """Delete a grid; its judges and their scores stay. Raises `NotFound`."""
    row = _row(session, project_id, name)
    if row is None:
        raise NotFound(mark("grid"), name, [grid.name for grid in list_ablations(session, project_id)])
    session.delete(row)


def _row(session: Session, project_id: int, name: str) -> GridRow | None:
    query = select(GridRow).where(GridRow.project_id == project_id, GridRow.name == name.strip())
    return session.scalars(query).one_or_none()


def _endpoint_id(session: Session, name: str | None) -> int | None:
    if name is None:
        return None
    return session.scalars(select(EndpointRow.id).where(EndpointRow.name == name)).one_or_none()


def _info(session: Session, row: GridRow) -> AblationInfo:
    endpoint = session.get(EndpointRow, row.endpoint_id) if row.endpoint_id else None
    axes: Sequence[Any] = row.axes
    return AblationInfo(
        name=row.name,
        protocol=row.protocol,
        shape=row.shape,
        axes=tuple((setting, tuple(values)) for setting, values in axes),
        options=row.options,
        parameters=row.parameters,
        samples=row.samples,
        aggregation=row.aggregation,
        backend=row.backend,
        endpoint=endpoint.name if endpoint else None,
        model=row.model,
        id=row.id,
        created_at=row.created_at,
    )
