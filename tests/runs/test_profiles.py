"""Every sort of server is found out, judged with, and remembered; over real HTTP, in each one's own words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import select

from judgelab.runs import service
from judgelab.runs.endpoints import probe
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db.engine import Store
from judgelab.store.judging.endpoints import EndpointInfo
from judgelab.store.models import Completion, Judgment
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_profiles import PROFILES, ProfiledServer, profiled
from tests.runs.projects import flasks

KEY = "sk-of-nobody/with?signs"
Start = Callable[[str], ProfiledServer]


@pytest.fixture
def start(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a server with the habits of a profile and adds it as the endpoint "local"."""
    monkeypatch.setenv("A_KEY", KEY)
    with ExitStack() as running:

        def started(name: str) -> ProfiledServer:
            server = running.enter_context(profiled(name))
            server.habits.key = KEY
            endpoints.add_endpoint(
                store,
                "local",
                base_url=server.url,
                api_key_env="A_KEY",
                key_header=server.profile.key_header,
                query=server.profile.query,
                headers={"X-Team": "soup"},
                timeout=10,
            )
            return server

        yield started


def _endpoint(store: Store) -> EndpointInfo:
    return endpoints.find_endpoint(store, "local")


FOUND = {
    "openai": {"format": "json_schema", "logprobs": 5, "n": True, "reasoning": False},
    "vllm": {"format": "json_schema", "logprobs": 5, "n": True, "reasoning": False},
    "ollama": {"format": "json_schema", "logprobs": 0, "n": False, "reasoning": False},
    "llama.cpp": {"format": "json_object", "logprobs": 5, "n": False, "reasoning": False},
    "azure": {"format": "json_object", "logprobs": 5, "n": True, "reasoning": False},
    "reasoning": {"format": "json_schema", "logprobs": 0, "n": True, "reasoning": True},
    "ignorant": {"format": "text", "logprobs": 0, "n": False, "reasoning": False},
}


@pytest.mark.parametrize("name", list(PROFILES))
def test_a_trial_finds_out_what_a_server_can_and_remembers_it(store: Store, start: Start, name: str) -> None:
    server = start(name)
    trial = probe.probe_endpoint(store, "local", model="tiny" if name == "azure" else "")
    assert trial.works, trial.sentence
    assert (trial.model, trial.reply != "") == ("tiny", True)
    assert list(trial.models) == list(server.profile.models or ())
    assert {key: trial.findings[key] for key in FOUND[name]} == FOUND[name]
    dropped = ["logprobs", "temperature"] if name == "reasoning" else []
    assert trial.findings["dropped"] == dropped
    learnt = _endpoint(store).learnt["tiny"]
    assert learnt["trial"] == dict(trial.findings)
    assert probe.describe_findings(learnt["trial"])[0].text.endswith("three short calls")
    assert {headers["x-team"] for headers in server.headers} == {"soup"}
    bearer = server.profile.key_header == "Authorization"
    assert all(("authorization" in headers) == bearer for headers in server.headers)


def test_what_was_learnt_is_learnt_anew_by_a_trial_and_kept_beside_it_by_a_run(
    store: Store, start: Start
) -> None:
    server = start("ollama")
    probe.probe_endpoint(store, "local")
    server.profile = PROFILES["openai"]
    probe.probe_endpoint(store, "local")
    assert "single" not in _endpoint(store).learnt["tiny"]
    server.profile = PROFILES["ollama"]
    judge(store, service.create_run(store, flasks(store, 2), spec(samples=3)))
    learnt = _endpoint(store).learnt["tiny"]
    assert learnt["single"] and learnt["trial"]["n"]


def test_a_limit_under_a_name_that_is_passed_over_is_sent_under_the_other(store: Store, start: Start) -> None:
    server = start("ollama")
    endpoints.update_endpoint(store, "local", concurrency=1)
    run = service.create_run(store, flasks(store, 3), spec(parameters={"max_tokens": 5}))
    judge(store, run)
    assert [name for name in server.bodies[-1] if name.startswith("max_")] == ["max_tokens"]
    assert _endpoint(store).learnt["tiny"]["renamed"] == {"max_completion_tokens": "max_tokens"}


def test_a_thinking_model_that_used_up_its_room_gets_twice_as_much_once(store: Store, start: Start) -> None:
    server = start("reasoning")
    run = service.create_run(
        store, flasks(store, 1), spec(parameters={"max_tokens": 200, "temperature": 0.5})
    )
    judge(store, run)
    limits = [body.get("max_completion_tokens") for body in server.bodies]
    assert limits == [200, 200, 400]  # the first one was refused for its temperature
    with store.reading() as session:
        completion = session.scalars(select(Completion)).one()
    assert (completion.sent, completion.text.isdigit()) == (
        {"model": "tiny", "max_completion_tokens": 400},
        True,
    )
    assert "Let me think" in completion.body
    assert completion.usage["completion_tokens_details"] == {"reasoning_tokens": 300}
    assert service.run_status(store, run).scored == 1


def test_a_thinking_model_without_a_limit_gets_room_to_think(store: Store, start: Start) -> None:
    server = start("reasoning")
    judge(store, service.create_run(store, flasks(store, 3), spec(), service.Selection(limit=1)))
    judge(store, service.create_run(store, "flasks", spec(samples=2), service.Selection(limit=1)))
    assert server.bodies[-1]["max_completion_tokens"] == 4096


def test_a_reply_cut_off_twice_is_unscored_and_says_why(store: Store, start: Start) -> None:
    start("reasoning")
    run = service.create_run(store, flasks(store, 1), spec(parameters={"max_tokens": 20}))
    judge(store, run)
    status = service.run_status(store, run)
    assert (status.unscored, status.failed, status.faults["truncated"]) == (1, 0, 1)
    with store.reading() as session:
        assert "raise max_tokens" in session.scalars(select(Judgment.reason)).one()


@pytest.mark.parametrize(
    ("profile", "word", "message"),
    [
        ("azure", "forbidden words", "content filter"),
        ("openai", "refuse this", "the model refused to answer: I cannot rate this 1 to 5."),
    ],
)
def test_a_refusal_is_unscored_with_its_reason_and_never_read(
    store: Store, start: Start, profile: str, word: str, message: str
) -> None:
    start(profile)
    options = {"instruction": f"Judge it. {word}"}
    run = service.create_run(store, flasks(store, 1), spec(options=options))
    judge(store, run)
    with store.reading() as session:
        judgment = session.scalars(select(Judgment)).one()
        completion = session.scalars(select(Completion)).one()
    assert (judgment.state, message in judgment.reason) == ("unscored", True)
    assert json.loads(completion.body)
    assert service.run_status(store, run).failed == 0


@pytest.mark.parametrize(
    ("profile", "formats"),
    [
        ("openai", {"json_schema"}),
        ("vllm", {"json_schema"}),
        ("ollama", {"json_schema"}),
        ("llama.cpp", {"json_object"}),
        ("azure", {"json_object"}),
        ("reasoning", {"json_schema"}),
        ("ignorant", {"json_schema", "json_object", None}),
    ],
)
def test_scores_as_json_are_asked_for_by_the_best_way_a_server_knows(
    store: Store, start: Start, profile: str, formats: set[str | None]
) -> None:
    start(profile)
    if profile == "ignorant":  # one call after the other, so that each learns from the one before
        endpoints.update_endpoint(store, "local", concurrency=1)
    run = service.create_run(store, flasks(store, 8), spec(options={"grammar": "json", "explain": True}))
    judge(store, run)
    assert service.run_status(store, run).scored == 8
    with store.reading() as session:
        response_formats = [row.get("response_format") for row in session.scalars(select(Completion.sent))]
    assert {response_format and response_format["type"] for response_format in response_formats} == formats
    by_schema = [
        response_format["json_schema"]
        for response_format in response_formats
        if response_format and response_format["type"] == "json_schema"
    ]
    assert all(
        response_format["schema"]["properties"]["score"]["enum"] == [0, 1, 2, 3]
        for response_format in by_schema
    )
    next_run = service.create_run(store, "flasks", spec(options={"grammar": "json"}))
    judge(store, next_run)
    with store.reading() as session:
        last = session.scalars(select(Completion.sent).order_by(Completion.id.desc())).first()
    assert (last or {}).get("response_format", {}).get("type") == _last(formats)


def _last(formats: set[str | None]) -> str | None:
    return None if None in formats else next(iter(formats))


def test_request_ids_usage_and_alternatives_are_kept(store: Store, start: Start) -> None:
    start("azure")
    run = service.create_run(store, flasks(store, 1), spec(parameters={"logprobs": True, "top_logprobs": 30}))
    judge(store, run)
    with store.reading() as session:
        completion = session.scalars(select(Completion)).one()
    assert completion.request_id.startswith("req_")
    assert completion.usage["prompt_tokens_details"]["cached_tokens"] == 32
    assert completion.sent["top_logprobs"] == 20
    assert completion.top_logprobs is not None and len(completion.top_logprobs[0]) == 20
    assert completion.code_version.startswith("0.")


def test_cached_input_costs_its_own_price(store: Store, start: Start) -> None:
    start("openai")
    endpoints.set_price(store, "local", "tiny", prompt=1.0, completion=2.0, cached=0.25)
    run = service.create_run(store, flasks(store, 1), spec())
    judge(store, run)
    assert service.run_status(store, run).cost == pytest.approx((8 * 1 + 32 * 0.25 + 12 * 2) / 1e6)


def test_a_stumble_of_the_endpoint_is_not_taken_for_what_it_can_do(store: Store, start: Start) -> None:
    server = start("openai")
    # By the server's seed the second and the third timed call stumble, and one of the probes twice.
    server.habits.fault_rate, server.habits.faults = 0.16, ("500", "broken")
    trial = probe.probe_endpoint(store, "local")
    assert trial.works, trial.sentence
    assert {key: trial.findings[key] for key in FOUND["openai"]} == FOUND["openai"]
    assert server.failed.total() == 4
