"""Who works: workers, runs that wait for one, endpoints with their keys, and who may sign in."""

from __future__ import annotations

from collections.abc import Iterator

from judgelab.accounts import modes
from judgelab.config import Settings
from judgelab.doctor.findings import Finding, broken, look, ok
from judgelab.errors import UserError
from judgelab.runs.endpoints import service
from judgelab.runs.plan.worker_kinds import local_backends
from judgelab.store.db import db_health
from judgelab.store.db.engine import Store
from judgelab.store.db.workers import LONG_AGO, SILENT_SECONDS
from judgelab.store.judging import endpoints as stored
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.store.models.base import now


def examine(store: Store, chosen: Settings) -> Iterator[Finding]:
    """Yield what the tables say."""
    yield from _owner(store, chosen)
    yield from _workers(store)
    yield from _endpoints(store)


def _owner(store: Store, chosen: Settings) -> Iterator[Finding]:
    try:
        modes.check_address(store, chosen.host)
    except UserError as error:
        yield broken("owner", str(error))


def _workers(store: Store) -> Iterator[Finding]:
    with store.reading() as session:
        beats = db_health.worker_heartbeats(session)
        local_runs, runs = db_health.count_waiting_runs(session, backends=local_backends())
    living = []
    for name, kind, at, doing in beats:
        age = (now() - at).total_seconds()
        if at <= LONG_AGO:
            continue
        if age < -SILENT_SECONDS:
            yield broken(
                "worker",
                f"the clock of {name} is {-age:z.0f} s ahead of this machine's.",
                "Synchronise the clocks (NTP).",
            )
        elif age < SILENT_SECONDS:
            living.append(kind)
            busy = f", {doing}" if doing else ""
            yield ok("worker", f"{name} last reported {max(0.0, age):z.0f} s ago{busy}.")
        else:
            yield look(
                "worker",
                f"{name} has not reported since {at:%Y-%m-%d %H:%M:%S} UTC.",
                "Another worker takes over its work; check its log if it should be running.",
            )
    if not living:
        yield look("workers", "none is running.", "Start `judgelab up` or `judgelab worker`.")
    yield from _waiting(runs, "api" in living, "`judgelab worker`")
    yield from _waiting(local_runs, "local" in living, "`judgelab worker --local` where the model can run")


def _waiting(count: int, served: bool, start: str) -> Iterator[Finding]:
    message = f"{count} {'run wants' if count == 1 else 'runs want'} a worker"
    if count and served:
        yield ok("runs", f"{message}; one is there.")
    elif count:
        yield broken("runs", f"{message}, and none is running.", f"Start {start}.")


def _endpoints(store: Store) -> Iterator[Finding]:
    with store.reading() as session:
        rests = stored.cool_downs(session)
    for endpoint in service.list_endpoints(store):
        yield _endpoint(endpoint, rests.get(endpoint.id))


def _endpoint(endpoint: EndpointInfo, rest: CoolDown | None) -> Finding:
    topic = f"endpoint {endpoint.name}"
    if not service.has_key(endpoint):
        where = endpoint.api_key_env or "the keyring"
        return look(
            topic,
            f"this process cannot find its key in {where}.",
            "The workers need it where they run; `judgelab endpoint test` asks for one reply.",
        )
    key = "its key is found" if endpoint.api_key_env or endpoint.keyring_name else "it needs no key"
    if rest is not None and rest.until > now():
        return look(
            topic, f"{key}; paused until {rest.until:%H:%M:%S} UTC ({rest.reason}).", "Wait, or test it."
        )
    return ok(topic, f"{key}.")
