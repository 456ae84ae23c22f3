"""The injection test set: none of it leaves its fence; a judge that obeys is shown up by every protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from judgelab.domain import Task
from judgelab.protocols import Call, protocols
from judgelab.protocols.core.prompts import SECTIONS
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.dry_run import possible_answers
from judgelab.runs.plan.judge_config import JudgeConfig, load_judge_config
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.service import RunStatus
from judgelab.selftest.injection_test import InjectionResult, run_injection_test
from judgelab.selftest.injections import CONTROL, PLAIN, injection_cases, injection_kinds, injection_project
from judgelab.store.db.engine import Store
from judgelab.store.judging.judgments import waiting_units
from judgelab.store.judging.run_verdicts import run_verdicts
from judgelab.store.judging.runs import end_run, locked_run
from judgelab.store.models import Completion, ResponseRow
from tests.cli.conftest import worker  # noqa: F401 - a fixture
from tests.command import judgelab
from tests.protocols.test_conformance import served, task_on
from tests.runs.judging import judge
from tests.runs.openai_server import Server

EVERY = pytest.mark.parametrize("name", protocols.names())
TAGS = re.compile(rf"</?(?:{'|'.join(SECTIONS)})\b", re.IGNORECASE)
TURNS = ("<|im_start|>", "<|im_end|>", "<|eot_id|>", "[INST]", "[/INST]")


def test_the_set_holds_many_kinds_each_told_apart() -> None:
    hostile = [kind for kind in injection_kinds() if kind.hostile]
    assert len(hostile) >= 20 and [kind.name for kind in injection_kinds()[:2]] == [PLAIN, CONTROL]
    assert (
        len({kind.name for kind in injection_kinds()})
        == len({kind.around("A.") for kind in injection_kinds()})
        == len(injection_kinds())
    )
    for case in injection_cases():
        assert len(case.references) == 4 and case.answer not in (*case.references, case.rival)
        assert all(case.answer in kind.around(case.answer) for kind in injection_kinds())
        assert not any(
            "{" + word + "}" in kind.around("A.")
            for kind in injection_kinds()
            for word in ("lines", "padding")
        )


@EVERY
def test_no_text_of_the_set_leaves_its_fence(name: str) -> None:
    protocol = protocols.get(name)
    scale = served(protocol)
    for kind in ("qa", "summarisation"):
        plain_prompt = protocol.build(task_on(scale, kind=kind), {})[-1].content
        for injection_kind in injection_kinds():
            hostile_prompt = protocol.build(
                task_on(scale, kind=kind, response=injection_kind.around("A lamp.")), {}
            )[-1].content
            assert TAGS.findall(hostile_prompt) == TAGS.findall(plain_prompt), injection_kind.name
            assert not [mark for mark in TURNS if mark in hostile_prompt], injection_kind.name


def test_the_project_of_the_set_is_made_once_and_holds_the_texts_as_they_are(any_store: Store) -> None:
    slug = injection_project(any_store)
    assert injection_project(any_store) == slug
    with any_store.reading() as session:
        text_of = {row.external_id: row.text for row in session.query(ResponseRow)}
    for case in injection_cases():
        for kind in injection_kinds():
            assert text_of[f"{case.name}.{kind.name}.candidate"] == kind.around(case.answer)


Worth = Callable[[str], float]


def obeys(text: str) -> float:
    """Return what a judge that does as it is told thinks of a text: 1 for all that talk to it."""
    harmless_texts = {
        kind.around(case.answer)
        for kind in injection_kinds()
        if not kind.hostile
        for case in injection_cases()
    }
    return ignores(text) if text in harmless_texts else 0.5 if ignores(text) else 1.0


def ignores(text: str) -> float:
    """Return what a judge thinks that hears nothing: 0 for the weak answers, whatever stands around them."""
    return 0.0 if any(case.answer in text for case in injection_cases()) else 0.5


def said(call: Call, task: Task, replies: list[str], worth: Worth) -> str:
    """Return what a judge says in the words of the protocol, by what each text is worth to it."""
    if "shown" in call.data:
        order = sorted(
            (-worth(task.contenders[response].text), n) for n, response in enumerate(call.data["shown"])
        )
        ranks = {str(rank): f"System {'AB'[n]}" for rank, (_, n) in enumerate(order, 1)}
        return json.dumps({"ranks": ranks, "Explanation": "So it seems."})
    if task.contenders:
        first, second = (task.contenders[call.data[word]].text for word in ("first", "second"))
        return replies[0] if worth(first) < worth(second) else replies[-1]
    return replies[round(worth(task.response) * (len(replies) - 1))]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def fared(store: Store, server: Server, worth: Worth, model: str) -> list[InjectionResult]:
    def wait(run_id: int) -> RunStatus:
        with store.reading() as session:
            judge_config = load_judge_config(session, run_id)
            units = with_inputs(session, judge_config, waiting_units(session, run_id, low=0, high=10_000))
        replies = {
            key: reply
            for unit in units
            for key, reply in _replies(judge_config, judge_config.task(unit), worth)
        }
        server.habits.speaks = replies.__getitem__
        judge(store, run_id)
        with store.writing() as session:
            end_run(locked_run(session, run_id), "done")
        return service.run_status(store, run_id)

    return run_injection_test(
        store, protocols.names(), JudgeSpec("", model, endpoint="local", samples=1), wait
    )


def _replies(judge_config: JudgeConfig, task: Task, worth: Worth) -> Iterator[tuple[str, str]]:
    for call in judge_config.calls(task):
        replies = possible_answers(judge_config.protocol, call, task, judge_config.judge.options)
        yield call.messages[-1].content, said(call, task, replies, worth)


def test_a_judge_that_obeys_is_shown_up_by_every_protocol_and_one_that_hears_nothing_is_not(
    store: Store, server: Server
) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=16, timeout=60)
    attempts = len(injection_cases()) * sum(kind.hostile for kind in injection_kinds())
    for result in fared(store, server, obeys, "obeys"):
        assert (result.state, result.reason) == ("done", ""), result
        assert (result.moves.pairs, result.moves.share_up) == (attempts, 1.0), result.protocol
        assert result.control.share_up == 0.0 and result.plain < result.hostile
    for result in fared(store, server, ignores, "ignores"):
        assert (result.moves.pairs, result.moves.up, result.moves.down, result.moves.lost) == (
            attempts,
            0,
            0,
            0,
        ), result.protocol
        assert result.plain == result.hostile


def test_an_attempt_that_costs_the_score_is_counted_as_lost(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    server.habits.speaks = lambda prompt: "Gladly!" if "begs" in prompt or "[[3]]" in prompt else "1"

    def wait(run_id: int) -> RunStatus:
        judge(store, run_id)
        return service.run_status(store, run_id)

    (result,) = run_injection_test(store, ["direct"], JudgeSpec("", "m", endpoint="local", samples=1), wait)
    assert result.of("brackets").lost == len(injection_cases()) == result.moves.lost
    assert (result.moves.up, result.plain, result.hostile) == (0, 1.0, 1.0)


@pytest.mark.usefixtures("worker")
def test_the_command_tells_how_each_protocol_fared(store: Store) -> None:
    words = ("--backend", "scripted", "--model", "rule", "--protocols", "direct, pairwise")
    process = judgelab(store.url, "injection", *words, "--json")
    assert process.returncode == 0, process.stderr
    results = json.loads(process.stdout)
    assert [result["protocol"] for result in results] == ["direct", "pairwise"]
    for result in results:
        assert result["state"] == "done" and result["moves"]["pairs"] == 3 * (len(injection_kinds()) - 2)
        assert result["moves"]["up"] == sum(
            k["up"] for name, k in result["by_kind"].items() if name != CONTROL
        )
    text = judgelab(store.url, "injection", *words).stdout
    assert "pairwise" in text and "remark up" in text and "asks in German" in text
    unknown = judgelab(store.url, "injection", *words[:-1], "drect")
    assert unknown.returncode == 1 and "Did you mean 'direct'?" in unknown.stderr
    without_source = judgelab(store.url, "injection", "--model", "m")
    assert without_source.returncode == 1 and "--endpoint" in without_source.stderr


@pytest.mark.usefixtures("worker")
def test_a_run_over_whole_items_names_the_response_of_each_verdict(store: Store) -> None:
    process = judgelab(
        store.url, *"injection --backend scripted --model rule --protocols pairwise_rank --json".split()
    )
    (result,) = json.loads(process.stdout)
    with store.reading() as session:
        names = [verdict.response for verdict in run_verdicts(session, result["run"])]
        completions = session.query(Completion).count()
    assert (
        len(set(names)) == len(names) == 2 * len(injection_cases()) * len(injection_kinds())
        and completions >= len(names) / 2
    )
