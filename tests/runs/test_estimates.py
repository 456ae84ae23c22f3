"""What is said before a run: tokens by the model's own table, money, what the project's budget leaves."""

from __future__ import annotations

import socket

import pytest
import tiktoken
import tiktoken.registry

from judgelab.domain import Message
from judgelab.runs.endpoints import service
from judgelab.runs.estimate import describe_estimate, estimate
from judgelab.runs.plan import tokens
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from tests.runs.projects import flasks

MODEL = "gpt-4o-mini"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of tokens on this machine: every byte is one token."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("o200k_base", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "o200k_base", encoding)
    monkeypatch.setattr(tokens, "_tables", {})
    return "o200k_base"


def test_tokens_are_counted_by_the_models_own_table(table: str) -> None:
    assert tokens.count_loaded_tables() == 0
    counted = tokens.tokenizer_of(f"openai/{MODEL}")
    assert (counted.name, counted.exact) == (table, True) and tokens.count_loaded_tables() == 1
    assert counted.of([Message("user", "abc"), Message("system", "é")]) == 3 + 2 + 3 * 2 + 3


def test_a_model_without_a_table_is_estimated(table: str) -> None:
    guessed = tokens.tokenizer_of("llama-3-8b")
    assert (guessed.exact, guessed.of([Message("user", "abcdefgh")])) == (False, 2.0)


def test_without_a_network_tokens_are_estimated_and_nobody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(tokens, "_tables", {})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "o200k_base", None)
    monkeypatch.delitem(tiktoken.registry.ENCODINGS, "o200k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes a connection and never answers
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not tokens.tokenizer_of(MODEL).exact, "who waited for the answer would wait for ever"
        assert not tokens.tokenizer_of(MODEL).exact


def test_a_batch_costs_its_share_and_a_project_says_what_its_budget_leaves(store: Store, table: str) -> None:
    slug = flasks(store, 10)
    service.add_endpoint(store, "local", base_url="http://127.0.0.1:9/v1")
    service.set_price(store, "local", MODEL, prompt=10, completion=40, cached=5, batch=0.5)
    with store.writing() as session:
        update_project(session, find_project(session, slug).id, settings={"budget_usd": 3.0})
    spec = JudgeSpec("direct", MODEL, endpoint="local", samples=1)
    live, batch = estimate(store, slug, spec), estimate(store, slug, spec, batch=True)
    assert live.cost is not None
    assert batch.cost is not None
    assert batch.cost.high == pytest.approx(live.cost.high / 2)
    assert (live.tokenizer, live.left, live.batch_share) == (table, 3.0, 0.5)
    assert (f"Prompt tokens ({table})", f"{live.prompt_tokens.low:,.0f}") in describe_estimate(live)
    assert ("Replies", "10") in describe_estimate(live)
    assert batch.seconds.high == 24 * 3600


def test_a_price_list_without_a_share_for_batches_asks_the_full_price() -> None:
    full = price_of({"*": {"prompt": 1, "completion": 2}}, "any")
    half = price_of({"*": {"prompt": 1, "completion": 2, "cached": 0.5, "batch": 0.5}}, "any")
    assert full is not None
    assert half is not None
    assert full.in_batch() == full
    assert half.in_batch()[:3] == (0.5, 1.0, 0.25)
