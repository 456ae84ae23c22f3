"""Endpoints: where models answer, what they allow, what was learnt about them, until when they rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.models import (
    EndpointPause,
    EndpointRow,
    GridRow,
    JudgeRow,
    Judgment,
    PreparedReply,
    Run,
    now,
)
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class EndpointInfo:
    """An endpoint as every room sees it; the key is only named."""

    id: int
    name: str
    base_url: str
    api_key_env: str | None
    keyring_name: str | None
    key_header: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    concurrency: int
    rpm: int | None
    tpm: int | None
    timeout: float
    prices: Mapping[str, Any]
    learnt: Mapping[str, Any]


@dataclass(frozen=True)
class CoolDown:
    """Until when nobody calls an endpoint, and what it said."""

    until: datetime
    reason: str


def add_endpoint(session: Session, values: Mapping[str, Any]) -> EndpointInfo:
    """Store a new endpoint; raises `InvalidInput` when its name is taken."""
    name = values["name"]
    if session.scalar(select(EndpointRow.id).where(EndpointRow.name == name)) is not None:
        raise InvalidInput(sentence("there is an endpoint '{name}' already; choose another name.", name=name))
    row = EndpointRow(**values)
    session.add(row)
    session.flush()
    return _info(row)


def find_endpoint(session: Session, name: str) -> EndpointInfo:
    """Return the endpoint named `name`; raises `NotFound` with the known ones."""
    row = session.scalar(select(EndpointRow).where(EndpointRow.name == name))
    if row is None:
        raise NotFound(mark("endpoint"), name, session.scalars(select(EndpointRow.name)))
    return _info(row)


def endpoint_by_id(session: Session, endpoint_id: int) -> EndpointInfo:
    """Return the endpoint with this row id."""
    return _info(session.get_one(EndpointRow, endpoint_id))


def list_endpoints(session: Session) -> list[EndpointInfo]:
    """Return all endpoints by name."""
    return [_info(row) for row in session.scalars(select(EndpointRow).order_by(EndpointRow.name))]


def update_endpoint(session: Session, name: str, values: Mapping[str, Any]) -> EndpointInfo:
    """Change an endpoint; what was learnt holds no longer when its address changes. Raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    if any(values.get(name, getattr(row, name)) != getattr(row, name) for name in ("base_url", "query")):
        row.learnt = {}
    for key, value in values.items():
        setattr(row, key, value)
    session.flush()
    return _info(row)


def endpoints_in_use(session: Session) -> set[int]:
    """Return the row ids of endpoints that judges, prepared texts or plans of studies are from."""
    columns = (JudgeRow.endpoint_id, PreparedReply.endpoint_id, GridRow.endpoint_id)
    return {each for column in columns for each in session.scalars(select(column).distinct()) if each}


def remove_endpoint(session: Session, name: str) -> None:
    """Delete an endpoint; raises `NotFound`, or `InvalidInput` once anything was asked of it."""
    endpoint_id = find_endpoint(session, name).id
    if endpoint_id in endpoints_in_use(session):
        raise InvalidInput(
            sentence(
                "endpoint '{name}' stays: judges, prepared texts or plans of studies name it as their "
                "origin.",
                name=name,
            )
        )
    session.execute(delete(EndpointRow).where(EndpointRow.id == endpoint_id))


def set_price(session: Session, name: str, model: str, price: Mapping[str, float]) -> None:
    """Note what a model of an endpoint costs; raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    row.prices = {**row.prices, model: dict(price)}


def set_prices(session: Session, name: str, prices: Mapping[str, Mapping[str, float]]) -> None:
    """Replace an endpoint's table of prices; raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    row.prices = {model: dict(price) for model, price in prices.items()}


def add_learnt(session: Session, endpoint_id: int, learnt: Mapping[str, Any]) -> None:
    """Add to an endpoint what a process learnt about its models; what else is known of them stays."""
    row = session.get_one(EndpointRow, endpoint_id)
    row.learnt = {
        **row.learnt,
        **{model: {**row.learnt.get(model, {}), **new} for model, new in learnt.items()},
    }


def replace_learnt(session: Session, endpoint_id: int, model: str, learnt: Mapping[str, Any]) -> None:
    """Put what a test found out in place of all that was known about a model."""
    row = session.get_one(EndpointRow, endpoint_id)
    row.learnt = {**row.learnt, model: dict(learnt)}


def cool_down(session: Session, endpoint_id: int, until: datetime, reason: str) -> CoolDown:
    """Let nobody call the endpoint until then; return its rest: a longer one that was set before stays."""
    row = session.scalar(select(EndpointPause).where(EndpointPause.endpoint_id == endpoint_id))
    if row is None:
        row = EndpointPause(endpoint_id=endpoint_id, until=until, reason=reason)
        session.add(row)
    elif row.until < until:
        row.until, row.reason = until, reason
    return CoolDown(row.until, row.reason)


def end_cool_down(session: Session, endpoint_id: int) -> None:
    """Let calls go out again, where the endpoint rests now."""
    moment = now()
    resting = (EndpointPause.endpoint_id == endpoint_id, EndpointPause.until > moment)
    session.execute(update(EndpointPause).where(*resting).values(until=moment))


def cool_downs(session: Session) -> dict[int, CoolDown]:
    """Return the last rest of each endpoint that ever had one, by endpoint id; it may be over."""
    rows = session.execute(select(EndpointPause.endpoint_id, EndpointPause.until, EndpointPause.reason))
    return {endpoint_id: CoolDown(until, reason) for endpoint_id, until, reason in rows}


class CoolingRun(NamedTuple):
    """A run that goes on while nobody calls its endpoint: all its units, those that wait, and the rest."""

    run_id: int
    endpoint: str
    backend: str
    units: int
    waiting: int
    until: datetime
    reason: str


def cooling_runs(session: Session) -> list[CoolingRun]:
    """Return the runs of all projects that go on while their endpoint rests, the first one begun first."""
    waiting = (
        select(func.count()).where(Judgment.run_id == Run.id, Judgment.state == "waiting").scalar_subquery()
    )
    query = (
        select(
            *(Run.id, EndpointRow.name, JudgeRow.backend, Run.units, waiting),
            *(EndpointPause.until, EndpointPause.reason),
        )
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(EndpointRow, EndpointRow.id == JudgeRow.endpoint_id)
        .join(EndpointPause, EndpointPause.endpoint_id == EndpointRow.id)
        .where(Run.state == "running", EndpointPause.until > now())
        .order_by(Run.started_at, Run.id)
    )
    return [CoolingRun(*row) for row in session.execute(query)]


def _info(row: EndpointRow) -> EndpointInfo:
    return EndpointInfo(
        id=row.id,
        name=row.name,
        base_url=row.base_url,
        api_key_env=row.api_key_env,
        keyring_name=row.keyring_name,
        key_header=row.key_header,
        headers=row.headers,
        query=row.query,
        concurrency=row.concurrency,
        rpm=row.rpm,
        tpm=row.tpm,
        timeout=row.timeout,
        prices=row.prices,
        learnt=row.learnt,
    )
