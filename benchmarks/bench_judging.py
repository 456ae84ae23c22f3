"""Judging beside a bare client, in one run, against a server of our own that takes 200 ms for each call.

    python benchmarks/bench_judging.py [PART ...] [--calls 2000] [--url URL of a database]

Parts, each printed beside its aim: `speed` (64 at once, every verdict committed), `memory` (a worker's from
2,000 to 50,000 units, in five runs; takes minutes), `faults` (5 % 429, 2 % 500, 1 % each broken, truncated,
reset, 3 % unusable), `kills` (five kill -9 in 5,000 units), `pause` (until runs of 2,000, 12,000 and 50,000
units rest; until one is judged again), `page` (what the run page reads while another
process writes 1,000 verdicts a second).
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import aiohttp
from sqlalchemy import func, select

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from judgelab.config import Settings  # noqa: E402
from judgelab.runs import service  # noqa: E402
from judgelab.runs.calls.worker_context import WorkerContext  # noqa: E402
from judgelab.runs.endpoints import service as endpoints  # noqa: E402
from judgelab.runs.execute import review  # noqa: E402
from judgelab.runs.execute.execution import judge_positions  # noqa: E402
from judgelab.runs.plan.spec import JudgeSpec, Selection  # noqa: E402
from judgelab.runs.status import RunStatus  # noqa: E402
from judgelab.runs.worker.child_processes import child_environment, start_child, stop_children  # noqa: E402
from judgelab.store.db.engine import Store  # noqa: E402
from judgelab.store.db.schema import open_store  # noqa: E402
from judgelab.store.judging.runs import find_run  # noqa: E402
from judgelab.store.judging.verdicts import NewVerdict, save_verdicts  # noqa: E402
from judgelab.store.models import CriterionRow, FailedCall, Judgment, Verdict  # noqa: E402
from tests.runs.projects import flasks  # noqa: E402

PORT = 9871
WORKER = (sys.executable, "-m", "judgelab.runs")
PARTS = ("speed", "memory", "faults", "kills", "pause", "page")
LATENCY, AT_ONCE = 0.2, 64
ADDRESS = f"http://127.0.0.1:{PORT}"
RETRY_AFTER = 0.2  # seconds that the server asks for with a 429
MIX = ("429",) * 5 + ("500",) * 2 + ("broken", "truncated", "reset")
# 3 of 100 replies hold no score.
ANSWERS = (*("0", "1", "2", "3") * 24, "2", "I cannot say.", "It depends.", "none")


class Figure(NamedTuple):
    """One way of making the calls."""

    name: str
    rate: float
    cpu_ms: float
    memory_mb: float


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    words.add_argument("--calls", type=int, default=2000)
    words.add_argument("--url", default="")
    given = words.parse_args()
    with open("/proc/loadavg") as file:
        print(f"load of the machine before: {file.read().strip()}")
    for part in given.parts or ("speed", "faults", "kills", "pause", "page"):
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(given.url or f"sqlite:///{folder}/bench.db")
            print(f"\n{part}")
            {
                "speed": speed,
                "memory": memory,
                "faults": faults,
                "kills": kills,
                "pause": pause,
                "page": page,
                "write": write,
            }[part](store, given.calls)
            store.close()


@contextmanager
def _server(*words: str, latency: float = LATENCY) -> Iterator[None]:
    command = [
        sys.executable,
        "-m",
        "tests.runs.openai_server",
        "--port",
        str(PORT),
        "--latency",
        str(latency),
    ]
    running = start_child([*command, *words], dict(os.environ), folder=ROOT)
    try:
        while not _stats():
            time.sleep(0.1)
        yield
    finally:
        stop_children([running])


def _stats() -> dict[str, int]:
    try:
        with urllib.request.urlopen(f"{ADDRESS}/stats", timeout=5) as answer:
            found: dict[str, int] = json.load(answer)
            return found
    except OSError:
        return {}


def _prepared(store: Store, calls: int) -> tuple[str, JudgeSpec]:
    slug = flasks(store, calls)
    endpoints.add_endpoint(store, "local", base_url=f"{ADDRESS}/v1", concurrency=AT_ONCE)
    return slug, JudgeSpec("direct", "tiny", endpoint="local", samples=1)


def speed(store: Store, calls: int) -> None:
    """The bare client, our own path in this process, and a whole worker."""
    with _server():
        slug, spec = _prepared(store, calls)
        prompt = service.preview_calls(store, slug, spec, 1)[0].messages[0].content
        figures = [asyncio.run(_bare(f"{ADDRESS}/v1", prompt, calls, AT_ONCE))]
        figures.append(
            asyncio.run(_in_process(store, service.create_run(store, slug, spec, cache=False), calls))
        )
        figures.append(_in_worker(store, service.create_run(store, slug, spec, cache=False), calls))
    _show(figures, AT_ONCE / LATENCY)
    print("aims: 0.75 of bare, 3 ms CPU a verdict")


def memory(store: Store, calls: int) -> None:
    """The memory of one worker after 2,000 units and up to 50,000, in runs one after the other."""
    with _server(latency=0.02):
        slug, spec = _prepared(store, 12_000)
        worker, judged = _worker(store), 0
        for units in (2_000, *[12_000] * 4):
            run_id = service.create_run(store, slug, spec, Selection(limit=units), cache=False)
            status, most = _watched(store, run_id, worker)
            judged += units
            print(f"{judged:>7,} units: {most:.0f} MB at most, {units / status.seconds:.0f} verdicts/s")
        stop_children([worker])
    print("aim: flat")


def faults(store: Store, calls: int) -> None:
    """The mix of faults beside the same run without any."""
    seconds = []
    for words in ((), ("--fault-rate", "0.1", "--faults", *MIX)):
        with _server(*words, "--answers", *ANSWERS), tempfile.TemporaryDirectory() as folder:
            own = open_store(f"sqlite:///{folder}/bench.db")
            slug, spec = _prepared(own, calls)
            run_id = service.create_run(own, slug, spec, cache=False)
            _in_worker(own, run_id, calls)
            status = service.run_status(own, run_id)
            seconds.append(status.seconds)
            rested = _rested(own)
            left = calls - status.scored - status.unscored
            own.close()
    print(f"without faults {seconds[0]:.1f} s; with the mix {seconds[1]:.1f} s, of which the server asked")
    print(
        f"for {rested:.1f} s of rest; {status.unscored} unscored with their reason, {left} without a verdict"
    )
    share = (seconds[1] - rested) / seconds[0]
    print(f"{share:.2f} times the fault-free time, waits taken off; aim: 1.3. {dict(status.faults)}")


def _rested(store: Store) -> float:
    """Return the seconds during which the endpoint wanted no call: overlapping waits count once."""
    with store.reading() as session:
        query = select(FailedCall.at).where(FailedCall.cause == "rate_limit").order_by(FailedCall.at)
        moments: Sequence[datetime] = list(session.scalars(query))
    total, until = 0.0, datetime.min.replace(tzinfo=moments[0].tzinfo) if moments else None
    for at in moments:
        assert until is not None
        end = at + timedelta(seconds=RETRY_AFTER)
        total += max(0.0, (end - max(at, until)).total_seconds())
        until = max(until, end)
    return total


def kills(store: Store, calls: int) -> None:
    """Five kill -9 of the worker, at even distances."""
    units, answered = 5000, []
    with _server():
        slug, spec = _prepared(store, units)
        run_id = service.create_run(store, slug, spec, cache=False)
        for kill in range(1, 7):
            worker = _worker(store)
            _until(store, run_id, kill * units // 6 if kill < 6 else units)
            if kill < 6:
                worker.kill()
                worker.wait()
                answered.append(_stats()["answered"])
        status = _until(store, run_id, units)
        stop_children([worker])
        repeats = _stats()["answered"] - units
    with store.reading() as session:
        rows = session.scalar(select(func.count()).select_from(Judgment).where(Judgment.state == "scored"))
        verdicts = session.scalar(select(func.count()).select_from(Verdict)) or 0
    print(f"{rows:,} units scored, {verdicts - units} verdicts too many; aims: 5,000 and 0 ({status.state})")
    print(f"{repeats} calls repeated after 5 kills, {repeats / 5:.1f} a kill; aim: at most {AT_ONCE} a kill")


def pause(store: Store, calls: int) -> None:
    """How long a run goes on after its pause and its cancellation, and how soon a resumed one judges."""
    with _server():
        slug, spec = _prepared(store, 50_000)
        worker = _worker(store)
        for units in (2_000, 12_000, 50_000):
            run_id = service.create_run(store, slug, spec, Selection(limit=units), cache=False)
            _until(store, run_id, 500)
            taken = [_seconds_until_rest(store, run_id, service.pause)]
            began, scored = time.monotonic(), service.run_status(store, run_id).scored
            service.resume(store, run_id)
            _until(store, run_id, scored + 1)
            resumed = time.monotonic() - began
            taken.append(_seconds_until_rest(store, run_id, service.cancel))
            paused, cancelled = taken
            print(f"{units:>6,} units: paused in {paused:.2f} s, judging again in {resumed:.2f} s,", end="")
            print(f" cancelled in {cancelled:.2f} s")
        stop_children([worker])
    print("aim: at rest within 1 s; calls take 0.2 s")


def _seconds_until_rest(store: Store, run_id: int, act: Callable[[Store, int], object]) -> float:
    began = time.monotonic()
    act(store, run_id)
    # Not the whole status, as a page reads it once a second: a hundred of these would slow what is measured.
    while _state(store, run_id) in ("waiting", "running"):
        time.sleep(0.01)
    return time.monotonic() - began


def _state(store: Store, run_id: int) -> str:
    with store.reading() as session:
        return find_run(session, run_id).state


def page(store: Store, calls: int) -> None:
    """What a fragment of the run page reads, while another process commits 1,000 verdicts a second."""
    slug, spec = _prepared(store, 50_000)
    run_id = service.create_run(store, slug, spec)
    taken: list[float] = []
    used: list[float] = []
    writer = subprocess.Popen([sys.executable, __file__, "write", "--url", store.url])
    _until(store, run_id, 1000)
    began, before = time.monotonic(), service.run_status(store, run_id).scored
    for _index in range(40):
        start, cpu = time.perf_counter(), time.thread_time()
        status = service.run_status(store, run_id)
        review.latest_units(store, run_id, limit=8)
        taken.append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.thread_time() - cpu))
        time.sleep(0.3)
    rate = (status.scored - before) / (time.monotonic() - began)
    writer.terminate()
    writer.wait()
    worst = sorted(taken)[int(0.95 * len(taken))]
    middle, cpu = statistics.median(taken), statistics.median(used)
    print(f"{middle:.0f} ms (95 %: {worst:.0f} ms; CPU: {cpu:.0f} ms) at {rate:.0f} verdicts/s; aim: 50 ms")


def write(store: Store, calls: int) -> None:
    """Commit 1,000 verdicts a second, twenty at a time, until told to end."""
    with store.reading() as session:
        rows = session.execute(select(Judgment.id, Judgment.response_id).order_by(Judgment.id)).all()
        criterion = session.scalar(select(CriterionRow.id)) or 0
    began = time.monotonic()
    for start in range(0, len(rows), 20):
        time.sleep(max(0.0, began + start / 1000 - time.monotonic()))
        verdicts = [
            NewVerdict(judgment, response, "scored", scores={criterion: 1.0})
            for judgment, response in rows[start : start + 20]
        ]
        with store.writing() as session:
            save_verdicts(session, verdicts)


def _worker(store: Store) -> subprocess.Popen[bytes]:
    engine = Settings(database_url=store.url).job_engine_url
    return subprocess.Popen(WORKER, env=child_environment(store, engine))


def _until(store: Store, run_id: int, scored: int) -> RunStatus:
    while (status := service.run_status(store, run_id)).scored < scored and not status.resting:
        time.sleep(0.1)
    return status


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
    worker_context = WorkerContext(store)
    places = asyncio.Semaphore(4)

    async def chunk(low: int) -> None:
        async with places:
            await judge_positions(worker_context, run_id, 1, low=low, high=low + 200)

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(chunk(low) for low in range(0, calls, 200)))
    figure = _figure("judged and committed", calls, began, cpu)
    await worker_context.drain()
    assert service.run_status(store, run_id).scored == calls
    return figure


def _in_worker(store: Store, run_id: int, calls: int) -> Figure:
    """The whole path: a worker process, its start and its engine included in CPU, not in the rate."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    worker = _worker(store)
    status, most = _watched(store, run_id, worker)
    stop_children([worker])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert status.waiting == 0, status
    return Figure("whole worker process", calls / status.seconds, 1000 * cpu / calls, most)


def _watched(store: Store, run_id: int, worker: subprocess.Popen[bytes]) -> tuple[RunStatus, float]:
    """Return how the run ended, and the most megabytes that the worker had meanwhile."""
    most = 0.0
    while not (status := service.run_status(store, run_id)).resting:
        most = max(most, _memory_mb(worker.pid))
        time.sleep(0.5)
    return status, most


def _figure(name: str, calls: int, began: float, cpu: float) -> Figure:
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    return Figure(name, calls / seconds, 1000 * used / calls, _memory_mb(os.getpid()))


def _memory_mb(pid: int) -> float:
    path = Path(f"/proc/{pid}/statm")
    return int(path.read_text().split()[1]) * resource.getpagesize() / 2**20 if path.exists() else 0.0


def _show(figures: list[Figure], ideal: float) -> None:
    print(f"ideal {ideal:,.0f} calls/s")
    print(f"{'':24}{'calls/s':>10}{'of bare':>9}{'ms CPU':>9}{'MB':>7}")
    for figure in figures:
        share = figure.rate / figures[0].rate
        print(
            f"{figure.name:24}{figure.rate:>10.0f}{share:>9.2f}{figure.cpu_ms:>9.2f}{figure.memory_mb:>7.0f}"
        )


if __name__ == "__main__":
    main()
