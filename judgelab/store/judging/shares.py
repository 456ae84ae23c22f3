"""Share an endpoint's concurrency limit among the processes that call it now.

A process publishes its share in its own row, and takes only what the others do not hold. So the limit is
never exceeded: while a new process waits, the others reduce their shares and publish that when done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.db.workers import alive_since
from judgelab.store.models import Worker


class EndpointUse(NamedTuple):
    """A process's use of an endpoint: the limit, calls it holds, and its concurrency now."""

    limit: int
    calls_held: int
    at_once: int


class EndpointShare(NamedTuple):
    """A process's share of concurrent calls, and the number of processes that share."""

    concurrent_calls: int
    processes: int


class SharedConcurrency(NamedTuple):
    """Concurrent calls to an endpoint over all processes that call it now."""

    at_once: int
    processes: int


def take_share(
    session: Session, executor_id: str | None, uses: Mapping[int, EndpointUse]
) -> tuple[dict[int, EndpointShare], bool]:
    """Return the shares of a process, and whether it must publish them (`publish_use`)."""
    rows = _rows(session)
    shares, published = _shared(rows, executor_id, uses)
    stored = next((held for name, held in rows if name == executor_id), None)
    return shares, stored is not None and stored != published


def publish_use(
    session: Session, executor_id: str, uses: Mapping[int, EndpointUse]
) -> dict[int, EndpointShare]:
    """Publish and return a process's shares, locking the rows of all processes."""
    query = select(Worker).where(Worker.beat_at >= alive_since()).order_by(Worker.id).with_for_update()
    workers = list(session.scalars(query))
    rows = [(worker.executor_id, worker.uses) for worker in workers]
    shares, published = _shared(rows, executor_id, uses)
    for worker in workers:
        if worker.executor_id == executor_id:
            worker.uses = published
    return shares


def shared_concurrency(session: Session, endpoint_id: int) -> SharedConcurrency:
    """Return the concurrency at the endpoint now, over all processes that call it."""
    uses = [held[str(endpoint_id)] for _, held in _rows(session) if str(endpoint_id) in held]
    return SharedConcurrency(sum(use["at_once"] for use in uses), len(uses))


def _rows(session: Session) -> list[tuple[str, Mapping[str, Any]]]:
    query = select(Worker.executor_id, Worker.uses).where(Worker.beat_at >= alive_since())
    return [(name, uses) for name, uses in session.execute(query.order_by(Worker.id))]


def _shared(
    rows: Sequence[tuple[str, Mapping[str, Any]]], me: str | None, uses: Mapping[int, EndpointUse]
) -> tuple[dict[int, EndpointShare], dict[str, Any]]:
    shares: dict[int, EndpointShare] = {}
    published: dict[str, Any] = {}
    for endpoint_id, use in uses.items():
        others = [(name, held[str(endpoint_id)]) for name, held in rows if str(endpoint_id) in held]
        names = sorted({me or "", *(name for name, _ in others)})
        free = use.limit - sum(held["places"] for name, held in others if name != me)
        places = max(0, min(_part(use.limit, len(names), names.index(me or "")), free))
        shares[endpoint_id] = EndpointShare(places, len(names))
        published[str(endpoint_id)] = {
            "places": max(places, use.calls_held),
            "at_once": min(use.at_once, places),
        }
    return shares, published


def _part(limit: int, processes: int, number: int) -> int:
    """Return a process's equal part, at least 1; the remainder goes to the first processes."""
    return max(1, limit // processes + (number < limit % processes))
