"""The fine-tuning jobs of the test server: each look at a job brings it one state further."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

if __package__:
    from tests.runs.openai_batch_routes import BatchRoutes
else:  # run by hand, from its own folder
    from openai_batch_routes import BatchRoutes

STATES = ("validating_files", "queued", "running", "succeeded")


@dataclass
class TuningRoutes:
    """Routes under /v1; `files` hold what was uploaded, `fails` is what is wrong with every job."""

    files: BatchRoutes
    fails: str = ""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def add_to(self, app: web.Application) -> None:
        app.router.add_post("/v1/fine_tuning/jobs", self._create)
        app.router.add_get("/v1/fine_tuning/jobs/{id}", self._look)
        app.router.add_get("/v1/fine_tuning/jobs/{id}/events", self._events)
        app.router.add_post("/v1/fine_tuning/jobs/{id}/cancel", self._cancel)

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        if body["training_file"] not in self.files.files:
            error = {"message": "no such file", "type": "invalid_request_error", "code": "file_not_found"}
            return web.json_response({"error": error}, status=400)
        name = f"ftjob-{uuid.uuid4().hex[:8]}"
        self.jobs[name] = {
            "id": name,
            "object": "fine_tuning.job",
            "created_at": 1,
            "model": body["model"],
            "status": STATES[0],
            "fine_tuned_model": None,
            "trained_tokens": None,
            "training_file": body["training_file"],
            "validation_file": body.get("validation_file"),
            "hyperparameters": {"n_epochs": 3},
            "organization_id": "o",
            "result_files": [],
            "seed": body.get("seed", 0),
            "error": None,
        }
        return web.json_response(self.jobs[name])

    async def _look(self, request: web.Request) -> web.Response:
        job = self.jobs[request.match_info["id"]]
        if job["status"] in STATES[:-1]:
            job["status"] = STATES[STATES.index(job["status"]) + 1]
        if self.fails and job["status"] == "running":
            job["status"] = "failed"
            job["error"] = {"code": "invalid_training_file", "message": self.fails, "param": None}
        if job["status"] == "succeeded":
            lines = self.files.files[job["training_file"]].splitlines()
            job["fine_tuned_model"] = f"ft:{job['model']}:judgelab::{job['id'][-8:]}"
            job["trained_tokens"] = sum(len(json.loads(line)["messages"]) for line in lines)
        return web.json_response(job)

    async def _events(self, request: web.Request) -> web.Response:
        job = self.jobs[request.match_info["id"]]
        event = {"id": "e", "object": "fine_tuning.job.event", "created_at": 1, "level": "info"}
        events = [{**event, "message": f"is {job['status']}"}, {**event, "message": "was created"}]
        return web.json_response({"object": "list", "data": events, "has_more": False})

    async def _cancel(self, request: web.Request) -> web.Response:
        job = self.jobs[request.match_info["id"]]
        job["status"] = "cancelled"
        return web.json_response(job)
