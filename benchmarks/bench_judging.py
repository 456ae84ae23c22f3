"""Judging beside a bare client, in one run: 64 calls at once, 200 ms each, every verdict committed.

    python benchmarks/bench_judging.py [--calls 3000] [--latency 0.2] [--at-once 64] [--url URL of a database]

Targets: at least 0.75 of the bare client's rate, at most 3 ms CPU a verdict, memory that does not grow.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import aiohttp

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from judgelab.config import Settings  # noqa: E402
from judgelab.runs import endpoints, service  # noqa: E402
from judgelab.runs.bench import Bench  # noqa: E402
from judgelab.runs.children import child_environment, start_child, stop_children  # noqa: E402
from judgelab.runs.execution import judge_chunk  # noqa: E402
from judgelab.runs.spec import JudgeSpec  # noqa: E402
from judgelab.store.engine import Store  # noqa: E402
from judgelab.store.schema import open_store  # noqa: E402
from tests.runs.projects import flasks  # noqa: E402

PORT = 9871
WORKER = (sys.executable, "-m", "judgelab.runs")


class Figure(NamedTuple):
    """One way of making the calls."""

    name: str
    rate: float
    cpu_ms: float
    memory_mb: float


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--calls", type=int, default=3000)
    words.add_argument("--latency", type=float, default=0.2)
    words.add_argument("--at-once", type=int, default=64)
    words.add_argument("--url", default="")
    given = words.parse_args()
    server = [sys.executable, str(ROOT / "tests/runs/openai_server.py"), "--port", str(PORT)]
    running = start_child([*server, "--latency", str(given.latency)], dict(os.environ))
    time.sleep(2)
    try:
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(given.url or f"sqlite:///{folder}/bench.db")
            figures = _measure(store, given.calls, given.at_once)
            store.close()
    finally:
        stop_children([running])
    _show(figures, given.at_once / given.latency)


def _measure(store: Store, calls: int, at_once: int) -> list[Figure]:
    slug = flasks(store, calls)
    address = f"http://127.0.0.1:{PORT}/v1"
    endpoints.add_endpoint(store, "local", base_url=address, concurrency=at_once)
    spec = JudgeSpec("direct", "tiny", endpoint="local", samples=1)
    prompt = service.preview_prompt(store, slug, spec, 1)[0].content
    figures = [asyncio.run(_bare(address, prompt, calls, at_once))]
    figures.append(asyncio.run(_in_process(store, service.create_run(store, slug, spec), calls)))
    figures.append(_in_worker(store, service.create_run(store, slug, spec), calls))
    return figures


async def _bare(address: str, prompt: str, calls: int, at_once: int) -> Figure:
    places = asyncio.Semaphore(at_once)
    body = {"model": "tiny", "messages": [{"role": "user", "content": prompt}]}

    async def one(session: aiohttp.ClientSession) -> None:
        async with places, session.post(f"{address}/chat/completions", json=body) as answer:
            json.loads(await answer.text())["choices"][0]["message"]["content"]

    began, cpu = time.perf_counter(), time.process_time()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(one(session) for _ in range(calls)))
    return _figure("bare aiohttp client", calls, began, cpu)


async def _in_process(store: Store, run_id: int, calls: int) -> Figure:
    """Four portions at a time, as a worker's slots have them."""
    # The client's import, a second, belongs to the start of a worker and not to a call.
    importlib.import_module("openai.types")
    bench = Bench(store)
    places = asyncio.Semaphore(4)

    async def portion(low: int) -> None:
        async with places:
            await judge_chunk(bench, run_id, 1, low=low, high=low + 200)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(portion(low) for low in range(0, calls, 200)))
    figure = _figure("judged and committed", calls, began, cpu)
    await bench.close()
    _check(store, run_id, calls)
    return figure


def _in_worker(store: Store, run_id: int, calls: int) -> Figure:
    """The whole path: a worker process, its start and its engine included in CPU, not in the rate."""
    engine = Settings(database_url=store.url).job_engine_url
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    worker = subprocess.Popen(WORKER, env=child_environment(store, engine))
    memory = 0.0
    while not (status := service.run_status(store, run_id)).resting:
        memory = max(memory, _memory_mb(worker.pid))
        time.sleep(0.5)
    stop_children([worker])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    _check(store, run_id, calls)
    return Figure("whole worker process", calls / status.seconds, 1000 * cpu / calls, memory)


def _check(store: Store, run_id: int, calls: int) -> None:
    status = service.run_status(store, run_id)
    assert (status.scored, status.calls) == (calls, calls), status


def _figure(name: str, calls: int, began: float, cpu: float) -> Figure:
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    return Figure(name, calls / seconds, 1000 * used / calls, _memory_mb(os.getpid()))


def _memory_mb(pid: int) -> float:
    path = Path(f"/proc/{pid}/statm")
    return int(path.read_text().split()[1]) * resource.getpagesize() / 2**20 if path.exists() else 0.0


def _show(figures: list[Figure], ideal: float) -> None:
    print(f"ideal {ideal:,.0f} calls/s")
    print(f"{'':24}{'calls/s':>10}{'of bare':>9}{'ms CPU':>9}{'MB':>7}")
    for one in figures:
        share = one.rate / figures[0].rate
        print(f"{one.name:24}{one.rate:>10.0f}{share:>9.2f}{one.cpu_ms:>9.2f}{one.memory_mb:>7.0f}")


if __name__ == "__main__":
    main()
