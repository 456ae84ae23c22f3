"""`jl.judge`: the app's execution on a frame, over HTTP on this machine and with written replies."""

from __future__ import annotations

import asyncio
import os
import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import text

import judgelab as jl
import judgelab.api.judge as judge_module
from judgelab.api import progress
from judgelab.api.judge_call import JudgeCall
from judgelab.api.judge_store import prepare_endpoint, replies_file, workplace
from judgelab.api.judged import Judged
from judgelab.backends import backends
from judgelab.config import settings
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.service import import_files
from judgelab.runs import in_process, service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.run_results import run_results
from judgelab.store.models import now
from judgelab.store.projects.projects import create_project, list_projects
from judgelab.store.rating.criteria import add_criteria
from tests.runs.conftest import DEADLINE, Workers
from tests.runs.judging import judge as judge_as_worker
from tests.runs.openai_server import Server

N = 8
FRAME = pd.DataFrame(
    {
        "item": [f"q{n}" for n in range(N)],
        "question": [f"Does flask {n} leak?" for n in range(N)],
        "response": [f"Flask {n} does not leak." for n in range(N)],
        "system": ["a", "b"] * (N // 2),
        "ann": [0, 1, 2, 3] * (N // 4),
    }
)
SCALE = (0, 3)
KEY = "sk-very-secret-1234"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Replies are kept in a folder of the test."""
    monkeypatch.setenv("JUDGELAB_HOME", str(tmp_path / "home"))
    settings.cache_clear()
    yield tmp_path / "home"
    settings.cache_clear()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def ask(server: Server, frame: pd.DataFrame = FRAME, **changes: object) -> Judged:
    given = {"model": "tiny", "base_url": server.url, "criteria": {"helpful": SCALE}, **changes}
    return jl.judge(frame, **given)  # type: ignore[arg-type]


def test_scores_and_prompts_are_those_of_a_run_of_the_app(store: Store, server: Server) -> None:
    server.habits.speaks = lambda prompt: str(sum(map(ord, prompt)) % 4)
    judged = ask(server, samples=2)
    with store.writing() as session:
        info = create_project(session, name="Flasks")
        scale = {"kind": "ordinal", "low": 0, "high": 3}
        add_criteria(session, info.id, [Criterion("helpful", "helpful", scale=scale)])
    lines = FRAME.drop(columns="ann").to_csv(index=False).encode()
    import_files(store, "flasks", [("flasks.csv", lines)])
    endpoints.add_endpoint(store, "local", base_url=server.url)
    run_id = service.create_run(
        store, "flasks", JudgeSpec(protocol="direct", model="tiny", endpoint="local", samples=2)
    )
    judge_as_worker(store, run_id)
    with store.reading() as session:
        results = run_results(session, run_id)
    assert judged.frame["helpful"].tolist() == [score.score for score in results.scores]
    sent = {message["content"] for messages in results.prompts.values() for message in messages}
    assert set(judged.prompts["content"]) == sent and len(sent) == N
    assert len(judged.replies) == 2 * N and judged.run.judge == service.run_status(store, run_id).judge


def test_what_cannot_be_scored_is_missing_with_its_reason(server: Server) -> None:
    server.habits.speaks = lambda prompt: "no idea" if "flask 1" in prompt else "2"
    frame = FRAME.iloc[:4].set_index(pd.Index([5, 5, 1, 0])).assign(response=["x", "y", None, ""])
    before = frame.copy()
    judged = ask(server, frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(judged.frame[frame.columns], frame)
    assert judged.frame["helpful_state"].tolist()[:3] == ["scored", "unscored", "missing"]
    assert judged.frame["helpful"].iloc[0] == 2 and judged.frame["helpful"].iloc[1:3].isna().all()
    assert judged.frame["helpful_reply"].iloc[1] == "no idea" and judged.frame["helpful_reason"].iloc[1]
    assert judged.frame["helpful_reason"].iloc[2] == "no response"
    assert "1 unscored" in repr(judged) and "<table>" in judged._repr_html_()
    again = pickle.loads(pickle.dumps(judged))
    pd.testing.assert_frame_equal(again.frame, judged.frame)
    assert judged.to_dict()["scores"]["helpful"][1] is None


def test_a_frame_that_was_judged_or_scored_is_judged_again() -> None:
    given = {"model": "rule", "backend": "scripted", "criteria": {"helpful": SCALE}}
    once = jl.judge(FRAME, **given).frame  # type: ignore[arg-type]
    scored = jl.score(once, "length")
    again = jl.score(jl.judge(scored, **given).frame, "length")  # type: ignore[arg-type]
    assert list(again.columns) == list(scored.columns)
    assert again["helpful"].equals(once["helpful"])


def test_scores_stand_beside_the_raters(server: Server) -> None:
    judged = ask(server, humans="ann")
    assert judged.scores.humans == ("ann",) and judged.scores.judges == (judged.run.judge,)
    assert jl.agreement(judged.scores, level="none", coefficient="pearson") is not None
    for frame, name in ((FRAME.rename(columns={"ann": 3}), 3), (FRAME.set_index("ann"), "ann")):
        assert ask(server, frame, humans=[name]).scores.humans == (str(name),)
    two = ask(
        server,
        FRAME.assign(bob=FRAME["ann"]),
        criteria={"helpful": SCALE, "Clear text": {"scale": "yes/no", "question": "Is it clear?"}},
        humans={"helpful": ["ann"], "Clear text": []},
    )
    assert two.scores.criteria == ("helpful", "clear_text")
    assert any("Is it clear?" in content for content in two.prompts["content"])


def test_errors_of_the_server_are_tried_again(server: Server) -> None:
    server.habits.fault_rate, server.habits.faults = 0.4, ("429", "500")
    server.habits.retry_after = "0.05"
    judged = ask(server)
    assert judged.run.scored == N and server.failed.total() > 0
    assert server.calls == N + server.failed.total()


def test_the_same_call_again_asks_nothing(server: Server) -> None:
    first = ask(server)
    calls = server.calls
    second = ask(server)
    assert server.calls == calls and second.run.cached == N
    assert second.frame["helpful"].tolist() == first.frame["helpful"].tolist()
    ask(server, cache=False)
    assert server.calls == 2 * calls
    with open_store(f"sqlite:///{replies_file()}").reading() as session:
        left = [session.scalar(text(f"SELECT count(*) FROM {table}")) for table in ("project", "prompt")]
    assert left == [0, 0]  # a frame's texts do not stay


def test_an_interruption_keeps_what_was_paid_for(server: Server, monkeypatch, capsys) -> None:
    server.habits.latency = 0.2

    def interrupt(_line, status) -> None:
        if status.completions >= 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(judge_module, "_tell", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ask(server, concurrency=2)
    assert "the same call again asks only for the rest" in capsys.readouterr().err
    paid = server.answered
    assert 2 <= paid < N
    judged = ask(server, concurrency=2)
    assert judged.run.scored == N and judged.run.cached == paid and server.answered == N


def test_it_works_in_an_event_loop_that_runs(server: Server) -> None:
    async def notebook() -> tuple[Judged, Judged, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        awaited = await jl.ajudge(FRAME, model="tiny", base_url=server.url, criteria={"helpful": SCALE})
        seen = ticks
        ticking.cancel()
        return awaited, ask(server), seen

    awaited, inside, seen = asyncio.run(notebook())
    assert awaited.run.scored == inside.run.scored == N and seen > 3


def test_a_cancelled_task_keeps_what_was_paid_for(server: Server) -> None:
    server.habits.latency = 0.3

    async def cancelled() -> None:
        call = jl.ajudge(FRAME, model="tiny", base_url=server.url, criteria={"helpful": SCALE}, concurrency=2)
        task = asyncio.create_task(call)
        while server.answered < 2:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    paid = server.answered
    assert ask(server).run.cached == paid < N


def test_a_task_cancelled_while_it_prepares_leaves_nothing(server: Server) -> None:
    async def cancelled() -> None:
        call = jl.ajudge(FRAME, model="tiny", base_url=server.url, criteria={"helpful": SCALE}, api_key=KEY)
        task = asyncio.create_task(call)
        while KEY not in os.environ.values():  # the thread has begun
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert KEY not in os.environ.values()

    asyncio.run(cancelled())
    with closing(sqlite3.connect(replies_file())) as connection:
        assert connection.execute("SELECT count(*) FROM project").fetchone() == (0,)


def test_a_key_is_sent_and_stands_nowhere(server: Server, home: Path) -> None:
    server.habits.key = KEY
    judged = ask(server, api_key=KEY)
    assert judged.run.scored == N
    assert KEY not in repr(judged) + judged._repr_html_() + repr(judged.run) + str(judged.to_dict())
    assert KEY.encode() not in pickle.dumps(judged)
    assert not [path for path in home.rglob("*") if KEY.encode() in path.read_bytes()]
    assert KEY not in os.environ.values()
    with pytest.raises(InvalidInput) as caught:
        ask(server, FRAME.assign(response="new"), api_key="sk-wrong-5678")
    assert "sk-wrong-5678" not in str(caught.value) and "check api_key" in str(caught.value)
    assert "JUDGELAB_" not in str(caught.value)


def test_no_key_of_another_server_is_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.habits.key = KEY
    with pytest.raises(InvalidInput):
        ask(server)
    assert server.answered == 0


def test_openais_own_server_gets_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for url, variable in (("https://api.openai.com/v1", "OPENAI_API_KEY"), ("http://127.0.0.1:1/v1", None)):
        assert JudgeCall(FRAME, base_url=url)._server(backends.get("openai_api")) == (url, variable)


def test_nothing_is_printed_of_a_log(server: Server) -> None:
    server.habits.status = (404, "none")
    code = (
        "import judgelab as jl\n"
        "try:\n"
        f"    jl.judge({{'response': ['a']}}, model='m', base_url={server.url!r}, criteria={{'h': (0, 3)}},"
        " progress=False)\n"
        "except Exception as error:\n    assert '404' in str(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_several_calls_may_be_the_first_at_a_server(server: Server) -> None:
    open_store(f"sqlite:///{_made(replies_file())}").close()
    together = threading.Barrier(6)

    def call(number: int) -> str:
        with workplace(None, None, keeps_replies=True) as place:
            together.wait()
            return prepare_endpoint(place, server.url, variable=None, concurrency=None, named=False)

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(call, range(6)))) == 1


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_a_budget_pauses_and_cost_is_counted(server: Server) -> None:
    judged = ask(server, price=(1_000_000, 0))
    tokens = judged.replies["prompt_tokens"].sum()
    assert judged.cost == pytest.approx(tokens)
    poor = ask(server, FRAME.assign(response=FRAME["response"] + "!"), price=(1_000_000, 0), budget=200)
    assert poor.run.state == "paused" and poor.run.waiting and "waiting" in set(poor.frame["helpful_state"])
    assert "paused" in repr(poor)
    with pytest.raises(InvalidInput, match="a budget needs a price"):
        ask(server, model="other", budget=1)


def test_a_database_that_is_given_gets_a_run(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    first = ask(server, store=path, project="My flasks")
    again = ask(server, store=path, project="My flasks")
    assert again.run.id == first.run.id + 1 and again.run.cached == N
    opened = open_store(f"sqlite:///{path}")
    assert [status.scored for status in service.list_runs(opened, "my-flasks")] == [N, N]
    with pytest.raises(InvalidInput, match="on another scale"):
        ask(server, store=path, project="My flasks", criteria={"helpful": (1, 5)})
    opened.close()


def test_responses_of_one_item_are_compared(server: Server) -> None:
    frame = FRAME.assign(item=["x", "x", "y", "y"] * 2, question=["x?", "x?", "y?", "y?"] * 2).iloc[:4]
    server.habits.speaks = lambda prompt: "A"
    judged = ask(server, frame, protocol="pairwise_rank", samples=1)
    assert set(judged.frame["helpful_state"]) <= {"scored", "unscored"}
    assert len(judged.prompts)
    ranked = jl.judge(frame, "pairwise", model="rule", backend="scripted", criteria={"helpful": SCALE})
    assert ranked.scores._data.own_scale == {ranked.run.judge}  # shares of wins, not points of the scale


def test_progress_is_of_the_runs_counts(server: Server, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0)
    server.habits.latency = 0.1
    ask(server, concurrency=2)
    assert f"{N} of {N} judgments" in capsys.readouterr().err
    ask(server, progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"criteria": {}}, 'criteria={"helpful": (1, 5)}'),
        ({"criteria": {"helpful": 5}}, "5 is not a scale"),
        ({"criteria": {"helpful": {"scale": (1, 5), "text": "?"}}}, "has 'text'"),
        ({"criteria": {"ann": (0, 3)}}, "a column 'ann' already"),
        ({"base_url": None}, "OPENAI_API_KEY is not set"),
        ({"api_key": " "}, "api_key is empty"),
        ({"backend": "scripted", "model": "rule"}, "asks no server"),
        ({"project": "x"}, 'store="judgelab.db"'),
        ({"humans": ["bob"]}, "no column is called 'bob'"),
        ({"columns": {"response": "x"}}, "no column is called 'x'"),
        ({"temperature": 9}, "temperature"),
        ({"base_url": "nowhere"}, "not a valid address"),
        ({"base_url": ""}, "base_url is empty"),
        ({"base_url": 3}, "base_url is a int"),
        ({"base_url": "http://ann:s3cret@127.0.0.1:1/v1"}, 'api_key="…"'),
        ({"model": ""}, "model is empty"),
        ({"model": None}, "model is a NoneType"),
        ({"api_key": 3}, "api_key is a int"),
        ({"api_key": "schlüssel"}, "in no key"),
        ({"api_key": "a\0b"}, "in no key"),
        ({"samples": 1.5}, "samples is 1.5"),
        ({"seed": "a"}, "seed is 'a'"),
        ({"parameters": {"api_key": "s3cret"}}, "parameters are stored"),
        ({"concurrency": "many"}, "concurrency is 'many'"),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"price": 1}, "price=(0.15, 0.60)"),
        ({"options": ["explain"]}, "options must be a dictionary"),
        ({"columns": "response"}, 'columns={"response": "…"}'),
        ({"humans": "bob"}, "no column is called 'bob'"),
        ({"criteria": {" ": SCALE}}, "without a name"),
        ({"criteria": {"Clear text": SCALE, "clear_text": SCALE}}, "the column 'clear_text'; rename"),
        ({"criteria": {"h": {"scale": SCALE, "higher_is_better": "no"}}}, "must be True or False"),
        ({"criteria": {"h": {"scale": SCALE, "label": 3}}}, "must be a text"),
    ],
)
def test_what_cannot_be_judged_is_refused(changes: dict[str, object], words: str, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    given = {"model": "m", "base_url": "http://127.0.0.1:1/v1", "criteria": {"helpful": SCALE}, **changes}
    with pytest.raises(InvalidInput) as caught:
        jl.judge(FRAME, **given)  # type: ignore[arg-type]
    assert words in str(caught.value) and "s3cret" not in str(caught.value) and "--" not in str(caught.value)


def test_arguments_that_there_are_not_are_told_of_both() -> None:
    for wrong, words in (({"nope": 1, "model": "m"}, "'nope'"), ({}, "'model'")):
        with pytest.raises(TypeError, match=words):
            asyncio.run(jl.ajudge(FRAME, criteria={"helpful": SCALE}, **wrong))  # type: ignore[arg-type]


def test_unknown_names_and_a_silent_server_are_told() -> None:
    with pytest.raises(NotFound, match="no protocol named 'derect'"):
        jl.judge(FRAME, "derect", model="m", criteria={"helpful": SCALE})
    with pytest.raises(InvalidInput, match="every one is missing"):
        jl.judge(FRAME.assign(response=None), model="rule", backend="scripted", criteria={"h": SCALE})


def test_a_server_that_is_away_is_named_and_found_again_at_once(capsys) -> None:
    with Server() as server:
        port = server.port
        ask(server)
    with Server(port=port) as server:
        asyncio.run(server.close_door())
        opening = threading.Timer(1.0, lambda: asyncio.run(server.open_door()))
        opening.start()
        judged = ask(server, FRAME.assign(response="new"))
        opening.join()
    assert judged.run.scored == N
    assert "no server is running at this address" in capsys.readouterr().err


def test_frames_of_killed_processes_are_deleted_in_the_end(server: Server) -> None:
    ask(server)
    opened = open_store(f"sqlite:///{replies_file()}")
    with opened.writing() as session:
        for name, days in (("frame old", 8), ("frame new", 1)):
            create_project(session, name=name)
            at = now() - timedelta(days=days)
            session.execute(
                text("UPDATE project SET created_at = :at WHERE name = :name"), {"at": at, "name": name}
            )
    ask(server)
    with opened.reading() as session:
        assert [project.name for project in list_projects(session)] == ["frame new"]
    opened.close()


def test_a_worker_on_the_database_does_the_work(server: Server, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "study.db"
    opened = open_store(f"sqlite:///{path}")
    workers = Workers(opened.url)
    try:
        workers.start()
        end = time.monotonic() + DEADLINE
        while not service.live_workers(opened) and time.monotonic() < end:
            time.sleep(0.05)
        with pytest.raises(InvalidInput, match="takes keys from its own environment"):
            ask(server, store=path, api_key=KEY)
        monkeypatch.setattr(in_process.RunHere, "_judge", None)  # not called
        assert ask(server, store=path).run.scored == N
    finally:
        workers.stop()
        opened.close()
