"""The candidate cache only proposes units: the database decides, and every rule of assignment holds."""

from __future__ import annotations

import uuid

from judgelab.annotation import service
from judgelab.annotation.assign.candidate_cache import CandidateCache
from judgelab.store.db.engine import Store
from judgelab.store.rating.evidence import units_over_k
from tests.annotation.conftest import make_person, make_project

SCORES = {"relevance": 2.0, "fluency": 4.0}


def rate(
    store: Store, person: int, project: int, item: int, candidate_cache: CandidateCache
) -> service.ScreenUpdate:
    op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item, "scores": SCORES}
    return service.apply_operations(store, person, project, [op], candidate_cache=candidate_cache)


def test_raters_with_a_candidate_cache_get_every_unit_once_and_never_over_k(any_store: Store) -> None:
    project = make_project(any_store, answers=70, raters_per_response=2)
    people = [make_person(any_store, name) for name in ("Ada", "Ben", "Cleo")]
    caches = {person: CandidateCache() for person in people}
    queues = {p: service.next_items(any_store, p, project, candidate_cache=caches[p]) for p in people}
    rated: dict[int, list[int]] = {person: [] for person in people}
    assert all(caches[person].units for person in people)
    while any(queues.values()):
        for person in people:
            if queues[person]:
                first = queues[person][0].id
                rated[person].append(first)
                queues[person] = rate(any_store, person, project, first, caches[person]).queue
            else:
                queues[person] = service.next_items(
                    any_store, person, project, candidate_cache=caches[person]
                )
    assert sum(map(len, rated.values())) == 140
    assert all(len(set(ids)) == len(ids) for ids in rated.values())
    with any_store.reading() as session:
        assert units_over_k(session, project, k=2) == 0


def test_a_refused_operation_does_not_affect_others(any_store: Store) -> None:
    project, person = make_project(any_store), make_person(any_store, "Ada")
    first, second, *_ = service.next_items(any_store, person, project)
    good = {"uid": str(uuid.uuid4()), "kind": "rate", "item": first.id, "scores": SCORES}
    bad = {**good, "uid": str(uuid.uuid4()), "item": second.id, "scores": {"relevance": 99}}
    reply = service.apply_operations(any_store, person, project, [good, bad, good])
    assert [result.state for result in reply.results] == ["stored", "refused", "repeated"]
    queue = [item.id for item in reply.queue]
    assert first.id not in queue and second.id in queue
