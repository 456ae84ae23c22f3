"""The load of `bench_raters.py` on potato (`pip install potato-annotation`), where it is installed.

A rater does what the browser does at *Next*: saves the scores of the item shown (POST /updateinstance), asks
for the next one (POST /annotate) and loads its page (GET /annotate); scripts and styles of the page stay in
a browser's cache and are not loaded. Everybody's sign-in and first item come before the clock starts, for
the server loads parts of itself then. It is served by `potato start` and, where gunicorn stands beside that
command, also as potato's container image serves it: one process, eight threads. What the server answers with
an error is asked again at once, as a rater would who presses the key again or reloads. What became of the
ratings is read from potato's own files afterwards.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np

from judgelab.selftest import process_usage
from judgelab.selftest.run import CRITERIA, K, SelftestPlan, SelftestReport
from judgelab.selftest.simulated_raters import GIVE_UP_SECONDS, TIMEOUT, RaterLog, SentRating
from judgelab.selftest.stored_check import StoredCheck

POINTS = (1, 2, 3, 4, 5)
START_SECONDS = 120.0
OUTPUT = "annotation_output"
SHOWN = re.compile(r'id="instance_id"[^>]*value="(\d+)"')
NAVIGATION = {"X-Potato-Navigation": "1"}  # what its own buttons send: the page follows by a GET


def version(command: str) -> str:
    """Return name and version of the installed potato."""
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def servers(command: str) -> dict[str, list[str]]:
    """Return the ways to serve `config.yaml` in the current folder, by name; `{port}` stands for the port."""
    found = {"potato start": [command, "start", "config.yaml", "--host", "127.0.0.1", "-p", "{port}"]}
    gunicorn = Path(command).with_name("gunicorn")
    if gunicorn.exists():
        settings = ["--workers", "1", "--threads", "8", "--timeout", "120", "--bind", "127.0.0.1:{port}"]
        found["gunicorn"] = [str(gunicorn), *settings, "potato.flask_server:create_app('config.yaml')"]
    return found


def measure(server: Sequence[str], plan: SelftestPlan, *, strategy: str = "random") -> SelftestReport:
    """Try the raters, items and seconds of `plan` on a potato server with files of its own.

    Args:
        server: one of `servers`.
        plan: how many raters and items, and how long; the rest of it does not apply.
        strategy: potato's `assignment_strategy`: `random` hands out an item at a time, `fixed_order` each
            rater's whole share at sign-in.

    Raises:
        RuntimeError: the server did not start.
        ExceptionGroup: it stopped answering.
    """
    with tempfile.TemporaryDirectory(prefix="peer-potato-") as name:
        folder = Path(name)
        _write(folder, plan, strategy)
        diaries = [RaterLog(n) for n in range(plan.raters)]
        with _serving(server, folder) as (pids, address):
            spent = asyncio.run(_rate_all(plan.seconds, address, pids, diaries))
            memory = process_usage.memory_mb(pids)
        findings = examine(folder, diaries)
    seconds = np.array([second for diary in diaries for second in diary.seconds])
    measured = findings.acknowledged - spent.before
    return SelftestReport(
        plan=plan,
        database="files",
        findings=findings,
        judged=None,
        p50=float(np.median(seconds)) if len(seconds) else None,
        p95=float(np.quantile(seconds, 0.95)) if len(seconds) else None,
        a_second=measured / spent.seconds,
        processor_ms=1000 * spent.processor / measured if spent.processor and measured else None,
        memory=memory,
        refusals=tuple(sorted({said for diary in diaries for said in diary.refusals})),
    )


def examine(folder: Path, diaries: Sequence[RaterLog]) -> StoredCheck:
    """Compare what raters were told with what stands in potato's files."""
    raters_of: Counter[int] = Counter()
    lost = altered = doubled = 0
    for diary in diaries:
        stored = _stored(folder / OUTPUT / _user(diary) / "user_state.json")
        raters_of.update(stored.keys())
        last = {sent.assignment: dict(sent.scores) for sent in diary.sent if sent.acknowledged}
        kept = {item: dict(scores) for item, scores in stored.items()}
        lost += sum(set(scores) != set(kept.get(item, {})) for item, scores in last.items())
        altered += sum(
            any(scores[key] != score for key, score in kept.get(item, {}).items())
            for item, scores in last.items()
        )
        doubled += sum(len(scores) > len(kept[item]) for item, scores in stored.items())
    return StoredCheck(
        acknowledged=sum(sent.acknowledged for diary in diaries for sent in diary.sent),
        lost=lost,
        altered=altered,
        doubled=doubled,
        over_k=sum(n > K for n in raters_of.values()),
        repeated=sum(diary.retries for diary in diaries),
    )


def _stored(state: Path) -> dict[int, list[tuple[str, float]]]:
    """Return the criteria and scores of each item that stands in one rater's file."""
    if not state.exists():
        return {}
    found = json.loads(state.read_text(encoding="utf-8"))["instance_id_to_label_to_value"]
    return {
        int(item): [(label["schema"], float(value)) for label, value in labels]
        for item, labels in found.items()
        if labels
    }


def _write(folder: Path, plan: SelftestPlan, strategy: str) -> None:
    scales = [
        {
            "annotation_type": "likert",
            "name": criterion.key,
            "description": criterion.label,
            "size": len(POINTS),
            "min_label": "low",
            "max_label": "high",
        }
        for criterion in CRITERIA
    ]
    settings = {
        "annotation_task_name": "Raters at work",
        "task_dir": ".",
        "data_files": ["items.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": OUTPUT,
        "require_password": False,
        "assignment_strategy": strategy,
        "max_annotations_per_item": K,
        "max_annotations_per_user": math.ceil(plan.items * K / plan.raters),
        "annotation_schemes": scales,
    }
    lines = [
        json.dumps({"id": str(n), "text": f"Is this answer number {n}? It is answer {n}."})
        for n in range(plan.items)
    ]
    (folder / "items.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "config.yaml").write_text(json.dumps(settings, indent=1), encoding="utf-8")  # JSON is YAML too


@contextmanager
def _serving(server: Sequence[str], folder: Path) -> Iterator[tuple[list[int], str]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command, home = [word.format(port=port) for word in server], {**os.environ, "HOME": str(folder)}
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=home, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(process, address, folder / "server.log")
        yield [process.pid, *_children(process.pid)], address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def _wait_until_it_answers(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"potato did not start: {log.read_text(errors='replace')[-1500:]}")


@dataclass
class Spent:
    """What the measured part took: seconds, the server's processor time, and the ratings before it."""

    seconds: float = 0.0
    processor: float | None = None
    before: int = 0


async def _rate_all(seconds: float, address: str, pids: Sequence[int], diaries: Sequence[RaterLog]) -> Spent:
    """Let everybody sign in and rate one item, then for `seconds` measure what they do."""
    ready = asyncio.Barrier(len(diaries) + 1)
    async with asyncio.TaskGroup() as work:
        for diary in diaries:
            work.create_task(_rate(seconds, address, diary, ready))
        await ready.wait()
        began, used = time.monotonic(), process_usage.processor_seconds(pids)
        before = sum(sent.acknowledged for diary in diaries for sent in diary.sent)
    used_then = process_usage.processor_seconds(pids)
    processor = None if used is None or used_then is None else used_then - used
    return Spent(time.monotonic() - began, processor, before)


def _user(diary: RaterLog) -> str:
    return f"rater{diary.person_id}"


async def _rate(seconds: float, address: str, diary: RaterLog, ready: asyncio.Barrier) -> None:
    chance, jar = random.Random(diary.person_id), aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(address, timeout=TIMEOUT, cookie_jar=jar) as client:
        async with client.post("/auth", data={"email": _user(diary), "pass": ""}) as answer:
            await answer.read()
        shown = await _page(client, diary)
        if shown is not None:
            shown = await _save_and_next(client, shown, chance, diary)
        diary.seconds.clear()
        await ready.wait()
        end = time.monotonic() + seconds
        while shown is not None and time.monotonic() < end:
            shown = await _save_and_next(client, shown, chance, diary)


async def _save_and_next(
    client: aiohttp.ClientSession, item: int, chance: random.Random, diary: RaterLog
) -> int | None:
    scores = {criterion.key: float(chance.choice(POINTS)) for criterion in CRITERIA}
    sent = SentRating(str(len(diary.sent)), item, scores)
    diary.sent.append(sent)
    rating = {
        "instance_id": str(item),
        "annotations": {f"{key}:{score:.0f}": f"{score:.0f}" for key, score in scores.items()},
        "cleared_schemas": [],
        "span_annotations": [],
        "response_time_seconds": 1.0,
    }
    started = time.perf_counter()
    said = json.loads(await _ask(client, diary, "POST", "/updateinstance", rating))
    sent.acknowledged = said.get("status") == "success"
    await _ask(client, diary, "POST", "/annotate", {"action": "next_instance", "instance_id": str(item)})
    shown = await _page(client, diary)
    diary.seconds.append(time.perf_counter() - started)
    return shown


async def _page(client: aiohttp.ClientSession, diary: RaterLog) -> int | None:
    """Return the item that the rater's page shows; None where it shows none."""
    found = SHOWN.search(await _ask(client, diary, "GET", "/annotate"))
    return None if found is None else int(found[1])


async def _ask(
    client: aiohttp.ClientSession,
    diary: RaterLog,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
) -> str:
    give_up = time.monotonic() + GIVE_UP_SECONDS
    while True:
        async with client.request(method, path, json=body, headers=NAVIGATION) as answer:
            said = await answer.text()
            if answer.ok:
                return said
        diary.retries += 1
        diary.refusals.append(f"{method} {path}: {answer.status}")
        if time.monotonic() > give_up:
            raise TimeoutError(f"{method} {path}: only errors for {GIVE_UP_SECONDS:.0f} s")
