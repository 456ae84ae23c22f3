"""Store endpoints: addresses, limits, prices, learnt model features and cool-downs."""

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
    """A stored endpoint; API keys are referred to by name only."""

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
    """When calls to an endpoint may start again, and the endpoint's message."""

    until: datetime
    reason: str


def add_endpoint(session: Session, values: Mapping[str, Any]) -> EndpointInfo:
    """Store a new endpoint; raises `InvalidInput` if its name is taken."""
    name = values["name"]
    if session.scalar(select(EndpointRow.id).where(EndpointRow.name == name)) is not None:
        raise InvalidInput(sentence("an endpoint '{name}' already exists; choose another name.", name=name))
    row = EndpointRow(**values)
    session.add(row)
    session.flush()
    return _info(row)


def find_endpoint(session: Session, name: str) -> EndpointInfo:
    """Return the endpoint named `name`; raises `NotFound` with the known names."""
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
    """Change an endpoint; a new address resets what was learnt about its models. Raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    if any(values.get(name, getattr(row, name)) != getattr(row, name) for name in ("base_url", "query")):
        row.learnt = {}
    for key, value in values.items():
        setattr(row, key, value)
    session.flush()
    return _info(row)


def endpoints_in_use(session: Session) -> set[int]:
    """Return the row ids of endpoints that judges, prepared replies or ablation grids use."""
    columns = (JudgeRow.endpoint_id, PreparedReply.endpoint_id, GridRow.endpoint_id)
    return {each for column in columns for each in session.scalars(select(column).distinct()) if each}


def remove_endpoint(session: Session, name: str) -> None:
    """Delete an endpoint; raises `NotFound`, or `InvalidInput` if it is in use."""
    endpoint_id = find_endpoint(session, name).id
    if endpoint_id in endpoints_in_use(session):
        raise InvalidInput(
            sentence(
                "endpoint '{name}' can't be deleted: judges, prepared texts or grids use it.",
                name=name,
            )
        )
    session.execute(delete(EndpointRow).where(EndpointRow.id == endpoint_id))


def set_price(session: Session, name: str, model: str, price: Mapping[str, float]) -> None:
    """Store the price of a model at an endpoint; raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    row.prices = {**row.prices, model: dict(price)}


def set_prices(session: Session, name: str, prices: Mapping[str, Mapping[str, float]]) -> None:
    """Replace an endpoint's price list; raises `NotFound`."""
    row = session.get_one(EndpointRow, find_endpoint(session, name).id)
    row.prices = {model: dict(price) for model, price in prices.items()}


def add_learnt(session: Session, endpoint_id: int, learnt: Mapping[str, Any]) -> None:
    """Merge what a process learnt about an endpoint's models into what is stored."""
    row = session.get_one(EndpointRow, endpoint_id)
    row.learnt = {
        **row.learnt,
        **{model: {**row.learnt.get(model, {}), **new} for model, new in learnt.items()},
    }


def replace_learnt(session: Session, endpoint_id: int, model: str, learnt: Mapping[str, Any]) -> None:
    """Replace what is stored about a model with the findings of a test."""
    row = session.get_one(EndpointRow, endpoint_id)
    row.learnt = {**row.learnt, model: dict(learnt)}


def cool_down(session: Session, endpoint_id: int, until: datetime, reason: str) -> CoolDown:
    """Stop calls to the endpoint until then, and return its cool-down; a longer one stays."""
    row = session.scalar(select(EndpointPause).where(EndpointPause.endpoint_id == endpoint_id))
    if row is None:
        row = EndpointPause(endpoint_id=endpoint_id, until=until, reason=reason)
        session.add(row)
    elif row.until < until:
        row.until, row.reason = until, reason
    return CoolDown(row.until, row.reason)


def end_cool_down(session: Session, endpoint_id: int) -> None:
    """End the endpoint's running cool-down, if any."""
    at = now()
    running = (EndpointPause.endpoint_id == endpoint_id, EndpointPause.until > at)
    session.execute(update(EndpointPause).where(*running).values(until=at))


def cool_downs(session: Session) -> dict[int, CoolDown]:
    """Return the latest cool-down of each endpoint, by endpoint id; it may be over."""
    rows = session.execute(select(EndpointPause.endpoint_id, EndpointPause.until, EndpointPause.reason))
    return {endpoint_id: CoolDown(until, reason) for endpoint_id, until, reason in rows}


class CoolingRun(NamedTuple):
    """A running run whose endpoint is cooling down, with its units, waiting units and cool-down."""

    run_id: int
    endpoint: str
    backend: str
    units: int
    waiting: int
    until: datetime
    reason: str


def cooling_runs(session: Session) -> list[CoolingRun]:
    """Return all running runs whose endpoint is cooling down, in the order they started."""
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
