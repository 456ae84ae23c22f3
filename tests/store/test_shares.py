"""Processes that call one endpoint never take more than its limit together, whenever they look."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging import shares
from judgelab.store.judging.shares import EndpointShare, EndpointUse

ENDPOINT = 7


def look(store: Store, name: str, use: EndpointUse | None) -> Mapping[int, EndpointShare]:
    uses = {} if use is None else {ENDPOINT: use}
    with store.reading() as session:
        shares_taken, changed = shares.take_share(session, name, uses)
    if changed:
        with store.writing() as session:
            shares_taken = shares.publish_use(session, name, uses)
    return shares_taken


def alive(store: Store, *names: str) -> None:
    with store.writing() as session:
        for name in names:
            workers.record_heartbeat(session, name, pid=1, slots=4)


def test_an_idle_worker_takes_no_share_and_a_newcomer_waits_for_its_part(any_store: Store) -> None:
    alive(any_store, "a", "b")
    assert look(any_store, "a", EndpointUse(16, 0, 0))[ENDPOINT] == EndpointShare(16, 1)
    assert look(any_store, "b", EndpointUse(16, 0, 0))[ENDPOINT] == EndpointShare(0, 2)
    # a shrinks, but twelve calls are still out: b gets four places first, its half later.
    assert look(any_store, "a", EndpointUse(16, 16, 16))[ENDPOINT] == EndpointShare(8, 2)
    assert look(any_store, "a", EndpointUse(16, 12, 8))[ENDPOINT] == EndpointShare(8, 2)
    assert look(any_store, "b", EndpointUse(16, 0, 0))[ENDPOINT] == EndpointShare(4, 2)
    assert look(any_store, "a", EndpointUse(16, 8, 8))[ENDPOINT] == EndpointShare(8, 2)
    assert look(any_store, "b", EndpointUse(16, 4, 4))[ENDPOINT] == EndpointShare(8, 2)
    look(any_store, "b", EndpointUse(16, 8, 6))
    with any_store.reading() as session:
        assert shares.shared_concurrency(session, ENDPOINT) == (14, 2)
    assert look(any_store, "b", None) == {}
    assert look(any_store, "a", EndpointUse(16, 8, 8))[ENDPOINT] == EndpointShare(16, 1)


def test_one_place_goes_to_one_process_alone(store: Store) -> None:
    alive(store, "a", "b")
    assert look(store, "a", EndpointUse(1, 0, 0))[ENDPOINT].concurrent_calls == 1
    assert look(store, "b", EndpointUse(1, 0, 0))[ENDPOINT].concurrent_calls == 0
    assert look(store, "a", EndpointUse(1, 1, 1))[ENDPOINT].concurrent_calls == 1


def test_a_worker_started_anew_holds_nothing(store: Store) -> None:
    alive(store, "a", "b")
    look(store, "a", EndpointUse(16, 0, 0))
    with store.writing() as session:
        workers.record_heartbeat(session, "a", pid=2, slots=4)
    assert look(store, "b", EndpointUse(16, 0, 0))[ENDPOINT] == EndpointShare(16, 1)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_order_of_looks_the_limit_holds(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    names, limit = ["a", "b", "c"], 10
    alive(store, *names)
    allowed = dict.fromkeys(names, 0)
    out = dict.fromkeys(names, 0)
    for _ in range(60):
        name = rng.choice(names)
        # Calls start and end as they like within the places; then this process looks.
        out[name] = (
            rng.randint(0, max(allowed[name], out[name])) if out[name] > allowed[name] else allowed[name]
        )
        if rng.random() < 0.1 and not out[name]:
            look(store, name, None)
            allowed[name] = 0
            continue
        in_use = max(allowed[name], out[name])
        allowed[name] = look(store, name, EndpointUse(limit, in_use, in_use))[ENDPOINT].concurrent_calls
        assert sum(max(allowed[n], out[n]) for n in names) <= limit
