"""Replies bought before: what counts as the same question, what is never kept, what a hit costs."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.estimate import estimate
from judgelab.store.db.engine import Store
from judgelab.store.judging import reply_cache
from judgelab.store.models import CachedReply, Completion, Project, PromptRow, Verdict
from judgelab.store.projects.deletion import delete_project
from tests.runs.conftest import spec, start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks


def kept(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(CachedReply)) or 0


def again(store: Store, *, cache: bool = True, **changes: object) -> int:
    run_id = service.create_run(store, "flasks", spec(**changes), cache=cache)
    judge(store, run_id)
    return run_id


def test_the_same_judge_asks_nothing_twice_and_comes_to_the_same(any_store: Store, server: Server) -> None:
    first = start_run(any_store, server, 3, samples=2)
    judge(any_store, first)
    endpoints.set_price(any_store, "local", "tiny", prompt=1.0, completion=1.0)
    calls = server.calls
    second = again(any_store, samples=2)
    assert server.calls == calls
    status = service.run_status(any_store, second)
    assert (status.scored, status.completions, status.cached, status.calls) == (3, 6, 6, 0)
    assert (status.cost, status.prompt_tokens) == (0.0, None)
    with any_store.reading() as session:
        scores = session.scalars(select(Verdict.score).order_by(Verdict.judgment_id)).all()
        rows = session.scalars(select(Completion).where(Completion.cached)).all()
    assert scores[:3] == scores[3:]
    assert all(row.body and row.sent and row.request_id is not None and row.cost == 0 for row in rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"temperature": 0.3}},
        {"parameters": {"seed": 4}},
        {"model": "other"},
        {"options": {"explain": True}},
    ],
)
def test_whatever_changes_the_answer_is_another_question(
    store: Store, server: Server, changes: dict[str, object]
) -> None:
    judge(store, start_run(store, server, 1))
    calls = server.calls
    run_id = again(store, **changes)
    assert server.calls == calls + 1
    assert service.run_status(store, run_id).cached == 0


def test_a_prompt_goes_with_the_last_project_whose_replies_name_it(any_store: Store, server: Server) -> None:
    """A prompt holds the texts of a project: who deletes it wants them gone."""
    judge(any_store, start_run(any_store, server, 2))
    with any_store.writing() as session:
        session.query(Project).update({"slug": "first", "name": "First"})
    judge(any_store, service.create_run(any_store, flasks(any_store, 1), spec()))
    for slug, prompts_left in (("first", 1), ("flasks", 0)):
        with any_store.writing() as session:
            delete_project(session, slug)
            assert session.scalar(select(func.count()).select_from(PromptRow)) == prompts_left


def test_samples_are_kept_one_by_one_and_only_the_missing_ones_are_asked_for(
    store: Store, server: Server
) -> None:
    judge(store, start_run(store, server, 1, samples=2))
    run_id = again(store, samples=5)
    assert server.bodies[-1]["n"] == 3
    status = service.run_status(store, run_id)
    assert (status.completions, status.cached, status.calls) == (5, 2, 1)


def test_it_can_be_bypassed_and_still_keeps_what_comes(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 1)
    judge(store, run_id)
    with store.writing() as session:
        assert reply_cache.clear(session) == 1
    calls = server.calls
    second_run = again(store, cache=False)
    assert (server.calls, kept(store), service.run_status(store, second_run).cached) == (calls + 1, 1, 0)
    again(store, cache=False)
    assert server.calls == calls + 2


def test_failures_and_replies_that_are_cut_are_never_kept(store: Store, server: Server) -> None:
    server.habits.status = (500, "server_error")
    judge(store, start_run(store, server, 1))
    assert kept(store) == 0
    server.habits.status = None
    server.habits.answers = ("",)
    again(store)
    assert kept(store) == 0


def test_another_address_is_another_question(store: Store, server: Server) -> None:
    judge(store, start_run(store, server, 1))
    calls = server.calls
    endpoints.add_endpoint(store, "other", base_url=server.url.replace("127.0.0.1", "localhost"))
    run_id = again(store, endpoint="other")
    assert (server.calls, service.run_status(store, run_id).cached) == (calls + 1, 0)


def test_what_is_kept_is_listed_and_cleared_by_endpoint(store: Store, server: Server) -> None:
    judge(store, start_run(store, server, 2))
    with store.writing() as session:
        sizes = reply_cache.cache_sizes(session)
        assert [(size.endpoint, size.model, size.replies) for size in sizes] == [("local", "tiny", 2)]
        assert reply_cache.clear(session, endpoint_id=99) == 0
        assert reply_cache.clear(session, endpoint_id=1) == 2


def test_the_estimate_says_what_would_come_from_the_cache(store: Store, server: Server) -> None:
    judge(store, start_run(store, server, 3, samples=2))
    endpoints.set_price(store, "local", "tiny", prompt=1.0, completion=1.0)
    all_cached = estimate(store, "flasks", spec(samples=2))
    assert (all_cached.cached, all_cached.completions, all_cached.calls, all_cached.cost) == (
        6,
        6,
        (0, 0),
        (0, 0),
    )
    half_cached = estimate(store, "flasks", spec(samples=4))
    assert (half_cached.cached, half_cached.completions) == (6, 12)
    for options in (
        estimate(store, "flasks", spec(samples=2), cache=False),
        estimate(store, "flasks", spec(samples=2), batch=True),
        estimate(store, "flasks", spec(samples=2, model="other")),
    ):
        assert options.cached == 0 and options.calls.low == 3
