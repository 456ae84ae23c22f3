"""The files and batches of the test server: states that take time, replies in any order, errors in a file."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[dict[str, Any]], Awaitable[web.Response]]


@dataclass
class BatchHabits:
    """How batches go.

    Args:
        step: seconds in each of the states validating, in_progress and finalizing.
        expires_after: requests that are answered before the batch expires; None = all are.
        fails: what is wrong with every file; empty = nothing.
        loses: requests that come back in no file.
        later: seconds that each batch waits longer than the one before.
        ascii: whether replies escape what is not ASCII.
        brings_after: seconds that the content of a file takes.
    """

    step: float = 0.05
    expires_after: int | None = None
    fails: str = ""
    loses: int = 0
    later: float = 0.0
    ascii: bool = True
    brings_after: float = 0.0


@dataclass
class BatchRoutes:
    """Routes under /v1; `answer` gives the reply to one request's body."""

    answer: Answer
    habits: BatchHabits = field(default_factory=BatchHabits)
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: int = 0
    answered: int = 0
    brought: list[str] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(5))

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._look)
        app.router.add_post("/v1/batches/{id}/cancel", self._cancel)

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] in ("batch", "fine-tune")
        text = form["file"].file.read().decode()  # type: ignore[union-attr]
        return web.json_response(self._file(text))

    def _file(self, text: str) -> dict[str, Any]:
        name = f"file-{uuid.uuid4().hex}"
        self.files[name] = text
        return {"id": name, "object": "file", "bytes": len(text), "created_at": 1, "filename": "b.jsonl"} | {
            "purpose": "batch",
            "status": "processed",
        }

    async def _content(self, request: web.Request) -> web.Response:
        self.brought.append(request.match_info["id"])
        await asyncio.sleep(self.habits.brings_after)
        return web.Response(text=self.files[request.match_info["id"]])

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.created += 1
        wait = self.habits.later * (self.created - 1)
        name = f"batch_{uuid.uuid4().hex}"
        batch = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "metadata": body.get("metadata"),
            "status": "validating",
            "created_at": 1,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        self.batches = {name: batch, **self.batches}  # the newest first
        batch["task"] = asyncio.create_task(self._work(batch, wait))
        return self._shown(batch)

    async def _list(self, request: web.Request) -> web.Response:
        batches = [self._plain(batch) for batch in self.batches.values()]
        return web.json_response({"object": "list", "data": batches, "has_more": False})

    async def _look(self, request: web.Request) -> web.Response:
        return self._shown(self.batches[request.match_info["id"]])

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["id"]]
        if batch["status"] in ("validating", "in_progress"):
            batch["status"] = "cancelling"
        return self._shown(batch)

    async def _work(self, batch: dict[str, Any], wait: float) -> None:
        await asyncio.sleep(self.habits.step + wait)
        if self.habits.fails:
            errors = [{"code": "invalid", "message": self.habits.fails, "line": 1, "param": None}]
            batch |= {"status": "failed", "errors": {"object": "list", "data": errors}}
            return
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        batch["request_counts"]["total"] = len(lines)
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        answered: list[str] = []
        refused: list[str] = []
        for number, line in enumerate(lines):
            await asyncio.sleep(self.habits.step / len(lines))
            expired = self.habits.expires_after is not None and number >= self.habits.expires_after
            if batch["status"] == "cancelling" or expired:
                code = "batch_expired" if expired else "batch_cancelled"
                outcome = {"response": None, "error": {"code": code, "message": "This request was not run."}}
                refused += [
                    json.dumps({"id": "x", "custom_id": unsent["custom_id"], **outcome})
                    for unsent in lines[number:]
                ]
                break
            if number < self.habits.loses:
                continue
            await self._ask(line, batch, answered, refused)
        self.rng.shuffle(answered)
        if batch["status"] == "in_progress":
            batch["status"] = "finalizing"
        await asyncio.sleep(self.habits.step)
        for name, output_lines in (("output_file_id", answered), ("error_file_id", refused)):
            if output_lines:
                batch[name] = self._file("\n".join(output_lines) + "\n")["id"]
        cut = self.habits.expires_after is not None and self.habits.expires_after < len(lines)
        final_states = {"cancelling": "cancelled", "finalizing": "expired" if cut else "completed"}
        batch["status"] = final_states[batch["status"]]

    async def _ask(
        self, line: dict[str, Any], batch: dict[str, Any], answered: list[str], refused: list[str]
    ) -> None:
        reply = await self.answer(line["body"])
        self.answered += reply.status == 200
        answer = {"status_code": reply.status, "request_id": f"req_{uuid.uuid4().hex}"}
        output_line = json.dumps(
            {
                "id": f"batch_req_{self.answered}",
                "custom_id": line["custom_id"],
                "response": {**answer, "body": json.loads(str(reply.text))},
                "error": None,
            },
            ensure_ascii=self.habits.ascii,
        )
        (answered if reply.status == 200 else refused).append(output_line)
        batch["request_counts"]["completed" if reply.status == 200 else "failed"] += 1

    def _shown(self, batch: dict[str, Any]) -> web.Response:
        return web.json_response(self._plain(batch))

    def _plain(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in batch.items() if key != "task"}
