"""Whatever stands in the body of an answer: the unit is scored, or says what was wrong with it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select

from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.store.db.engine import Store
from judgelab.store.models import Completion, Judgment
from tests.runs.conftest import start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server

ONCE = RetryPolicy(base=0.01, attempts=1)


class Odd(Server):
    """A server that answers everything with one body."""

    body: bytes = b""

    def _answer(self, body: dict[str, Any]) -> web.Response:
        return web.Response(body=self.body, content_type="application/json")


def completion(content: Any = "2", **more: Any) -> dict[str, Any]:
    """Return a sound body whose only choice has these further parts."""
    message = {"role": "assistant", "content": content}
    return {"model": "tiny", "choices": [{"index": 0, "message": message, "finish_reason": "stop", **more}]}


def judged(store: Store, body: bytes) -> tuple[Judgment, Completion]:
    with Odd() as server:
        server.body = body
        run = start_run(store, server, 1)
        judge(store, run, policy=ONCE)
    with store.reading() as session:
        rows = [*session.scalars(select(Judgment)), *session.scalars(select(Completion))]
        session.expunge_all()
    [judgment, completion] = rows
    return judgment, completion


READABLE = {
    "letters that no database takes": completion("\ud800 2\x00"),
    "a model named in such letters": {**completion(), "model": "t\x00\ud800"},
    "an end named in such letters": completion(finish_reason="stop\x00\ud800"),
    "counts that are no counts": {
        **completion(),
        "usage": {"prompt_tokens": math.nan, "completion_tokens": True},
    },
    "counts beyond any number": {**completion(), "usage": {"prompt_tokens": 10**30, "completion_tokens": -5}},
    "a count that is endless": {**completion(), "usage": {"prompt_tokens": math.inf}},
    "counts that are a list": {**completion(), "usage": [1, 2]},
    "probabilities of nothing": completion(logprobs={"content": [{"logprob": -1}]}),
    "probabilities that are words": completion(logprobs={"content": [{"token": "2", "logprob": "high"}]}),
    "probabilities of odd letters": completion(
        logprobs={
            "content": [
                {"token": "2\x00\ud800", "logprob": -1, "top_logprobs": [{"token": "\x00", "logprob": -1}]}
            ]
        }
    ),
    "probabilities as a table": completion(
        logprobs={"content": [{"token": "2", "logprob": -1, "top_logprobs": {"2": -1}}]}
    ),
    "probabilities that are none": completion(logprobs={"content": [{"token": "2", "logprob": -math.inf}]}),
    "probabilities as a text": completion(logprobs={"content": "2"}),
}
UNREADABLE = {
    "a number": b"2",
    "nothing": b"",
    "brackets without end": b'{"choices": ' + b"[" * 200_000,
    "a number of a million digits": b'{"choices": ' + b"1" * 1_000_000 + b"}",
    "choices that are a text": json.dumps({"choices": "2"}).encode(),
    "a choice that is a text": json.dumps({"choices": ["2"]}).encode(),
    "letters that are none": b'{"choices": [{"message": {"content": "\xff\xfe"',
}


@pytest.mark.parametrize("name", READABLE)
def test_an_answer_with_an_odd_part_is_read_kept_and_comes_back_from_an_export(
    any_store: Store, name: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    judgment, row = judged(any_store, json.dumps(READABLE[name]).encode())
    assert (judgment.state, row.cause) == ("scored", "")
    for file_format in ("csv", "jsonl", "parquet"):
        export_project(any_store, "flasks", tmp_path / file_format, file_format=file_format)
        assert import_files(any_store, file_format, collect_files([tmp_path / file_format])).judgments == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_body_that_cannot_be_read_is_named(
    any_store: Store, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    judgment, row = judged(any_store, UNREADABLE[name])
    assert (judgment.state, row.cause) == ("failed", "broken_body")
    assert judgment.reason
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
