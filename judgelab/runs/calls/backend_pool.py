"""The open connections of one process: a backend and a rate limiter for each endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from judgelab.backends import Backend, Connection, backends
from judgelab.runs.calls.rate_limits import Limits, RateLimiter
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.shares import EndpointShare, EndpointUse
from judgelab.store.models.base import now

NO_ENDPOINT = 0  # the rate limiter of backends that need none


@dataclass
class _OpenBackend:
    endpoint: EndpointInfo | None
    backend: Backend
    stored: Mapping[str, Any]


class BackendPool:
    """Backends and rate limiters by endpoint, opened when first needed, shared by all runs of the process.

    Args:
        store: the database, for what is learnt about endpoints.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rate_limiters: dict[int, RateLimiter] = {}
        self._backends: dict[tuple[str, Connection], _OpenBackend] = {}
        self._retired: list[Backend] = []

    def backend(self, judge: JudgeInfo, endpoint: EndpointInfo | None) -> Backend:
        """Return the open_backend to the judge's model; an endpoint that was changed is opened anew."""
        address = connection_of(endpoint)
        key = (judge.backend, address)
        if key in self._backends and self._backends[key].backend.outdated:
            # Calls in flight may still use its connections.
            self._retired.append(self._backends.pop(key).backend)
        if key not in self._backends:
            kind = backends.get(judge.backend)
            self._backends[key] = _OpenBackend(endpoint, kind(address), dict(address.learnt))
        return self._backends[key].backend

    def rate_limiter(self, endpoint: EndpointInfo | None) -> RateLimiter:
        """Return an endpoint's rate limiter, with the limits as they are now."""
        key = endpoint.id if endpoint else NO_ENDPOINT
        limits = Limits(endpoint.concurrency, endpoint.rpm, endpoint.tpm) if endpoint else Limits()
        # No call starts before the endpoint's limits were shared with the other processes.
        rate_limiter = self._rate_limiters.setdefault(
            key, RateLimiter(limits, places=0 if endpoint else None)
        )
        rate_limiter.limits = limits
        return rate_limiter

    def uses(self, endpoint_ids: Iterable[int]) -> dict[int, EndpointUse]:
        """Return what this process does at these endpoints now."""
        rate_limiters = {key: self._rate_limiters[key] for key in endpoint_ids if key in self._rate_limiters}
        return {
            key: EndpointUse(
                rate_limiter.limits.concurrency,
                max(rate_limiter.places, rate_limiter.inside),
                rate_limiter.at_once,
            )
            for key, rate_limiter in rate_limiters.items()
        }

    def update_limits(self, cool_downs: Mapping[int, CoolDown], shares: Mapping[int, EndpointShare]) -> None:
        """Record the endpoints' cool-downs and this process's share of their limits.

        An endpoint that nobody of this process calls is given up: its place is free for the others.
        """
        for endpoint_id, rate_limiter in self._rate_limiters.items():
            if endpoint_id in cool_downs:
                rate_limiter.update_cool_down(*cool_down_left(cool_downs[endpoint_id]))
            if endpoint_id in shares:
                rate_limiter.take_share(*shares[endpoint_id])
            elif endpoint_id != NO_ENDPOINT:
                rate_limiter.take_share(0, 1)

    @property
    def doing(self) -> str:
        """Return what a backend is busy with before it can answer."""
        return next(
            (
                activity
                for open_backend in list(self._backends.values())
                if (activity := open_backend.backend.doing)
            ),
            "",
        )

    async def keep_learnt(self) -> None:
        """Store what the backends learnt about their models since the last time."""
        for open_backend in list(self._backends.values()):  # others come and go while this one waits
            learnt = dict(open_backend.backend.learnt)
            if open_backend.endpoint is not None and learnt != open_backend.stored:
                await asyncio.to_thread(self._remember, open_backend.endpoint.id, learnt)
                open_backend.stored = learnt

    async def close(self) -> None:
        """Give all connections back."""
        for backend in (*(open_backend.backend for open_backend in self._backends.values()), *self._retired):
            await backend.close()
        self._backends.clear()
        self._retired.clear()

    def _remember(self, endpoint_id: int, learnt: Mapping[str, Any]) -> None:
        with self._store.writing() as session:
            endpoints.add_learnt(session, endpoint_id, learnt)


def cool_down_left(rest: CoolDown) -> tuple[float, float]:
    """Return when a cool-down ends, as a timestamp shared by all processes, and the seconds until then."""
    return rest.until.timestamp(), (rest.until - now()).total_seconds()


def connection_of(endpoint: EndpointInfo | None) -> Connection:
    """Return how a backend reaches an endpoint."""
    if endpoint is None:
        return Connection()
    return Connection(
        name=endpoint.name,
        base_url=endpoint.base_url,
        api_key_env=endpoint.api_key_env,
        keyring_name=endpoint.keyring_name,
        key_header=endpoint.key_header,
        headers=tuple(endpoint.headers.items()),
        query=tuple(endpoint.query.items()),
        timeout=endpoint.timeout,
        concurrency=endpoint.concurrency,
        learnt=endpoint.learnt,
    )
