"""`judgelab endpoint`, `judge`, `runs` and `run`, as a shell runs them, with no app running."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from judgelab.errors import CREATED_WITH
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Judgment, Rating
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import update_criterion
from tests.command import judgelab
from tests.runs.openai_server import Server
from tests.runs.projects import flasks, rate

SCRIPTED = ("--backend", "scripted", "--model", "rule", "--samples", "1")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def _json(store: Store, *words: str, code: int = 0) -> Any:
    result = judgelab(store.url, *words, "--json")
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


def test_a_run_is_judged_with_no_worker_running(store: Store, server: Server) -> None:
    flasks(store, 12)
    added = _json(store, "endpoint", "add", "local", "--base-url", server.url)
    assert (added["name"], added["concurrency"], added["api_key_env"]) == ("local", 64, None)
    words = (
        "--endpoint",
        "local",
        "--model",
        "tiny",
        "--samples",
        "3",
        "--temperature",
        "0.7",
        "--limit",
        "10",
    )
    report = _json(store, "judge", "flasks", "direct", *words, "--wait")
    assert set(report) == {
        "run",
        "state",
        "units",
        "scored",
        "unscored",
        "failed",
        "calls",
        "cost",
        "seconds",
        "template_version",
    }
    assert (report["state"], report["units"], report["scored"], report["calls"], report["cost"]) == (
        "done",
        10,
        10,
        10,
        None,
    )
    assert {body["temperature"] for body in server.bodies} == {0.7}
    assert judgelab(store.url, "runs", "flasks").stdout.rstrip().endswith("10 calls, 30 replies")
    (listed_run,) = _json(store, "runs", "flasks")
    assert (listed_run["run"], listed_run["state"], listed_run["judge"]) == (
        report["run"],
        "done",
        "direct tiny",
    )


def test_imported_verdicts_made_no_call_and_say_how_many_replies_came_along(
    store: Store, tmp_path: Path
) -> None:
    flasks(store, 2)
    (tmp_path / "j.csv").write_text("item_id,judge,score,reply\nq0,m,1,It is 1.\nq1,m,2,\n")
    _json(store, "import", "flasks", str(tmp_path / "j.csv"), "--kind", "judgments")
    (run,) = _json(store, "runs", "flasks")
    assert (run["calls"], run["completions"]) == (0, 1)
    assert judgelab(store.url, "runs", "flasks").stdout.rstrip().endswith("  imported, 1 reply")


@pytest.mark.usefixtures("worker")
def test_what_is_left_unscored_shows_in_the_exit_code(store: Store) -> None:
    flasks(store, 2)
    words = ("judge", "flasks", "direct", *SCRIPTED, "--option", "answers=maybe", "--wait")
    report = _json(store, *words, code=2)
    assert (report["scored"], report["unscored"]) == (0, 2)


def test_a_protocol_that_cannot_serve_a_criterion_is_refused_with_one_sentence(store: Store) -> None:
    flasks(store, 2, criteria=("helpfulness", "style"), scale={"kind": "ordinal", "low": 1, "high": 5})
    result = judgelab(store.url, "judge", "flasks", "elect", *SCRIPTED, "--json")
    assert (result.returncode, json.loads(result.stdout)) == (1, {"error": result.stderr.rstrip("\n")})
    assert result.stderr.startswith("ELECT cannot judge 'Helpfulness' and 'Style': ")
    assert result.stderr.endswith("choose Direct (direct) or G-Eval (geval).\n")
    assert result.stderr.count("\n") == 1
    assert _json(store, "runs", "flasks") == []


def test_a_run_waits_for_a_worker_and_can_be_cancelled_before(store: Store) -> None:
    flasks(store, 2)
    result = judgelab(store.url, "judge", "flasks", "direct", *SCRIPTED)
    assert result.returncode == 0
    assert "No worker is running" in result.stdout
    assert _json(store, "run", "pause", "1")["state"] == "paused"
    assert _json(store, "run", "resume", "1")["state"] == "waiting"
    assert _json(store, "run", "cancel", "1")["state"] == "cancelled"
    assert judgelab(store.url, "run", "retry-failed", "1").returncode == 1
    assert _json(store, "run", "reparse", "1") == {
        "run": 1,
        "units": 0,
        "scored_before": 0,
        "scored_after": 0,
    }


def test_an_endpoint_is_listed_and_tried(store: Store, server: Server) -> None:
    _json(store, "endpoint", "add", "local", "--base-url", server.url)
    _json(store, "endpoint", "add", "down", "--base-url", "http://127.0.0.1:9/v1")
    assert [e["name"] for e in _json(store, "endpoint", "list")] == ["down", "local"]
    assert _json(store, "endpoint", "test", "local")["models"] == ["tiny"]
    assert "cannot be reached" in _json(store, "endpoint", "test", "down", code=1)["sentence"]


def test_what_is_missing_altogether_is_said_with_the_command_that_makes_it(store: Store) -> None:
    for words, advice in (
        (("judge", "soup", "direct", *SCRIPTED), "create one with `judgelab project create NAME`."),
        (("endpoint", "test", "far"), "create one with `judgelab endpoint add NAME --base-url URL`."),
    ):
        result = judgelab(store.url, *words)
        assert result.returncode == 1 and "none exist yet: " + advice in result.stderr


@pytest.mark.parametrize("command", CREATED_WITH.values())
def test_the_commands_that_errors_name_are_there(store: Store, command: str) -> None:
    words = [word for word in command.split()[1:] if not word.startswith("-") and word.islower()]
    help_page = judgelab(store.url, *(w for w in words if w not in ("demonstrations", "annotator")), "--help")
    assert help_page.returncode == 0
    assert all(word in help_page.stdout for word in command.split() if word.startswith("--"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("judge", "flasks", "dircet", *SCRIPTED), "Did you mean 'direct'?"),
        (("judge", "soup", "direct", *SCRIPTED), "no project named 'soup'"),
        (("judge", "flasks", "direct", "--model", "m"), "--endpoint NAME or --backend NAME"),
        (("judge", "flasks", "direct", *SCRIPTED, "--option", "shots"), "NAME=VALUE"),
        (("judge", "flasks", "direct", *SCRIPTED, "--option", "latency=soon"), "like 0.0"),
        (("run", "pause", "7"), "no run named '7'"),
        (("endpoint", "add", "e", "--base-url", "nowhere"), "is not a valid address"),
        (("up", "--host", "0.0.0.0"), "or listen on 127.0.0.1"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_1(
    store: Store, words: tuple[str, ...], message: str
) -> None:
    flasks(store, 1)
    result = judgelab(store.url, *words)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("worker")
def test_a_reply_without_a_score_is_entered_by_hand_or_asked_again(store: Store, tmp_path: Path) -> None:
    flasks(store, 3)
    script = tmp_path / "vague.json"
    script.write_text('{"flask 0 ": ["2"], "*": ["well"]}')
    words = ("--backend", "scripted", "--model", str(script), "--samples", "1", "--wait")
    report = _json(store, "judge", "flasks", "direct", *words, code=2)
    assert (report["scored"], report["unscored"]) == (1, 2)
    run = str(report["run"])
    entered = judgelab(store.url, "run", "enter", run, "r1", "3", "--reason", "it says well")
    assert entered.stdout == "Entered by hand: 3 for r1; 1 judgment left unscored.\n"
    refused = judgelab(store.url, "run", "enter", run, "r1", "7")
    assert refused.returncode == 1 and "7 is not one of 0, 1, 2, 3" in refused.stderr
    assert _json(store, "run", "reask", run) == {"run": int(run), "units": 1, "state": "waiting"}
    assert _json(store, "run", "reask", run, "--response", "q1/r1")["units"] == 1


@pytest.mark.usefixtures("worker")
def test_the_second_run_comes_from_the_cache_unless_told_otherwise(store: Store, server: Server) -> None:
    flasks(store, 2)
    _json(store, "endpoint", "add", "local", "--base-url", server.url)
    words = (
        "judge",
        "flasks",
        "direct",
        "--endpoint",
        "local",
        "--model",
        "tiny",
        "--samples",
        "2",
        "--wait",
    )
    assert "cached" not in _json(store, *words)
    second_report = _json(store, *words)
    assert (second_report["cached"], second_report["calls"], second_report["scored"]) == (4, 0, 2)
    assert "0 calls, 4 replies, 4 of them from the cache" in judgelab(store.url, "runs", "flasks").stdout
    assert _json(store, *words, "--no-cache", "--estimate")["calls"][0] == 2
    assert _json(store, *words, "--no-cache")["calls"] == 2
    (cache,) = _json(store, "cache", "show")
    assert (cache["endpoint"], cache["model"], cache["replies"]) == ("local", "tiny", 4)
    assert (
        judgelab(store.url, "cache", "clear", "--endpoint", "local").stdout == "Cleared: 4 cached replies.\n"
    )
    assert judgelab(store.url, "cache", "show").stdout == "There are no cached replies.\n"


def test_what_a_run_takes_and_may_cost_is_said_and_changed(store: Store, server: Server) -> None:
    flasks(store, 12)
    _json(store, "endpoint", "add", "local", "--base-url", server.url, "--concurrency", "2")
    judge = ("judge", "flasks", "direct", "--endpoint", "local", "--model", "tiny", "--samples", "1")
    unknown = judgelab(store.url, *judge, "--estimate").stdout
    assert "Judgments: 12" in unknown
    assert "Prompt tokens (estimated)" in unknown
    assert "Cost: unknown: no price given" in unknown
    judgelab(store.url, "endpoint", "price", "local", "tiny", "--prompt", "0", "--completion", "10000")
    assert judgelab(store.url, "project", "set", "flasks", "budget_usd=0.05").returncode == 0
    assert "Remaining project budget: 0.05 USD" in judgelab(store.url, *judge, "--estimate").stdout
    assert _json(store, "runs", "flasks") == []
    paused_run = _json(store, *judge, "--wait", code=2)
    assert (paused_run["state"], paused_run["calls"]) == ("paused", 5)
    listing = judgelab(store.url, "runs", "flasks").stdout
    assert (
        "the project's budget is too small for another call: all its runs together have cost 0.05 of 0.05 USD"
        in listing
    )
    assert judgelab(store.url, "project", "set", "flasks", "budget_usd=none").returncode == 0
    output = judgelab(store.url, "run", "budget", str(paused_run["run"]), "1").stdout
    assert output.strip() == f"Budget of run {paused_run['run']}: 1 USD; cost so far: 0.05 USD."
    assert _json(store, "runs", "flasks")[0]["budget"] == 1.0


@pytest.mark.usefixtures("worker")
def test_only_responses_that_people_rated_under_a_criterion_are_judged(store: Store) -> None:
    slug = flasks(store, 6, criteria=("helpfulness", "tone"))
    rate(store, slug, {5: 1, 2: 3, 4: None})
    rate(store, slug, {2: 1}, rater="Bea")
    rate(store, slug, {6: 0}, criterion="tone")
    words = ("judge", slug, "direct", *SCRIPTED, "--criterion", "helpfulness")
    judged_responses = {
        case: _judged(store, _json(store, *words, *filter_words, "--wait")["run"])
        for case, filter_words in {
            "rated": ("--rated", "helpfulness"),
            "another": ("--rated", "tone"),
            "first": ("--rated", "helpfulness", "--limit", "1"),
        }.items()
    }
    assert judged_responses == {"rated": [2, 5], "another": [6], "first": [2]}
    assert _json(store, *words, "--rated", "helpfulness", "--estimate")["units"] == 2
    with store.writing() as session:
        session.execute(delete(Rating).where(Rating.score == 0))
    for filter_words, message in (
        (("--rated", "tone"), "there are no ratings under 'tone'"),
        (("--rated", "wit"), "known: helpfulness, tone"),
    ):
        refused = judgelab(store.url, *words, *filter_words)
        assert refused.returncode == 1 and message in refused.stderr
    assert len(_json(store, "runs", slug)) == 3


@pytest.mark.usefixtures("worker")
def test_rated_responses_that_are_in_no_analysis_are_not_judged(store: Store) -> None:
    slug = flasks(store, 2)
    rate(store, slug, {1: 3, 2: 0})
    with store.writing() as session:
        session.get_one(ItemRow, 1).purpose = "training"
    assert _judged(
        store, _json(store, "judge", slug, "direct", *SCRIPTED, "--rated", "helpfulness", "--wait")["run"]
    ) == [2]


def _judged(store: Store, run: int) -> list[int]:
    with store.reading() as session:
        return sorted(session.scalars(select(Judgment.response_id).where(Judgment.run_id == run)))


def test_how_often_a_unit_is_asked_is_said_unless_it_was_chosen(store: Store) -> None:
    flasks(store, 1)
    words = ("judge", "flasks", "direct", "--backend", "scripted", "--model", "rule")
    result = judgelab(store.url, *words)
    assert result.returncode == 0 and "Each judgment takes 10 replies" in result.stderr
    assert "Each judgment" not in judgelab(store.url, *words, "--samples", "1").stderr
    refused = judgelab(store.url, *words, "--endpoint", "none")
    assert refused.returncode == 1 and "give either --endpoint or --backend" in refused.stderr


def test_a_criterion_that_nothing_defines_is_named(store: Store) -> None:
    flasks(store, 2, criteria=("truth", "style"))
    words = ("judge", "flasks", "direct", *SCRIPTED, "--estimate")
    assert (
        "note: 'Truth', 'Style' have no definitions: a judge sees only their names"
        in judgelab(store.url, *words).stderr
    )
    with store.writing() as session:
        project = find_project(session, "flasks")
        truth, style = project.criteria
        update_criterion(session, project.id, replace(truth, question="Is it true?"))
        update_criterion(session, project.id, replace(style, scale={**style.scale, "labels": {"0": "Dull"}}))
    assert "no definition" not in judgelab(store.url, *words).stderr
