"""The self-test as a whole: a project, the app and a worker, raters, a kill, and the look afterwards."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judgelab.accounts import members
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.imports.service import import_files
from judgelab.runs import service as runs
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.worker.child_processes import WORKER, child_environment
from judgelab.runs.worker.supervisor import Supervisor, app_command
from judgelab.selftest import process_usage
from judgelab.selftest.proxy import StickyProxy
from judgelab.selftest.simulated_raters import RaterLog, RateUntil, RatingTarget, rate_until
from judgelab.selftest.stored_check import StoredCheck, check_stored
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project, find_project, list_projects

log = logging.getLogger("judgelab.selftest")
SLUG, APP = "selftest", "the app"
K = 3
SCALE = {"kind": "ordinal", "low": 1, "high": 5}
CRITERIA = (Criterion("quality", "Quality", SCALE), Criterion("fluency", "Fluency", SCALE))
START_SECONDS = 60.0
JUDGING_SECONDS = 120.0


@dataclass(frozen=True)
class SelftestPlan:
    """What is to be tried.

    Args:
        raters: people who rate at the same time.
        items: responses, each wanted from three raters.
        seconds: how long.
        kill: end the app and the worker with SIGKILL in the middle.
        ends: shares of the time at which both are ended, where not just in the middle.
        gently: end them with SIGTERM, so that they may finish what they have begun.
        pause: seconds between an answer and the rater's next rating.
        processes: how many app processes serve them, behind a proxy that keeps each rater with one of them.
        judge: whether a judge's run goes on beside them.
        seed: of the scores.
    """

    raters: int = 20
    items: int = 200
    seconds: float = 20.0
    kill: bool = False
    pause: float = 0.0
    processes: int = 1
    judge: bool = True
    seed: int = 0
    ends: tuple[float, ...] = ()
    gently: bool = False


@dataclass(frozen=True)
class JudgingResult:
    """What became of the judge's run beside the raters; `missing` and `doubled` must be 0."""

    units: int
    judged: int
    missing: int
    state: str


@dataclass(frozen=True)
class SelftestReport:
    """What the self-test found.

    Attributes:
        judged: what became of the judge's run, where one was asked for.
        p50: median time from sending a rating to holding the next unit, in seconds.
        p95: the time that 95 of 100 stay below.
        a_second: ratings acknowledged in a second.
        processor_ms: processor time of the app for each of them, in ms; None where it is not known.
        memory: what the app's processes held at the end together, in MB; None where it is not known.
    """

    plan: SelftestPlan
    database: str
    findings: StoredCheck
    judged: JudgingResult | None
    p50: float | None
    p95: float | None
    a_second: float
    processor_ms: float | None
    memory: float | None
    refusals: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was lost, on either side."""
        judged = self.judged is None or not self.judged.missing
        return self.findings.clean and judged and not self.refusals

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab selftest --json` prints."""
        return {**asdict(self), "passed": self.passed}


def run_selftest(
    plan: SelftestPlan, *, url: str | None = None, way: RateUntil = rate_until
) -> SelftestReport:
    """Try what `plan` says, on a new SQLite file or on the empty database at `url`.

    Args:
        plan: what to try.
        url: a database of its own; a new SQLite file without one.
        way: how a rater rates.

    Raises:
        InvalidInput: a plan that cannot be tried, or the database holds projects.
        StoreUnavailable: the app did not start or did not come back.
    """
    if min(plan.raters, plan.items, plan.processes) < 1 or plan.seconds <= 0 or plan.pause < 0:
        raise InvalidInput("a self-test needs at least one rater, one item, one process and some seconds.")
    with tempfile.TemporaryDirectory(prefix="judgelab-selftest-") as folder:
        store = open_store(url or f"sqlite:///{folder}/selftest.db")
        try:
            return _run(plan, store, f"sqlite:///{folder}/engine.db" if url is None else url, way)
        finally:
            store.close()


def _run(plan: SelftestPlan, store: Store, engine_url: str, way: RateUntil) -> SelftestReport:
    project_id = _prepare(plan, store)
    diaries, links = _raters(plan, store, project_id)
    with _serving(plan, store, engine_url) as (launcher, address):
        run_id = _judge(store) if plan.judge else None
        place = RatingTarget(address, SLUG, {c.key: (1, 2, 3, 4, 5) for c in CRITERIA})
        began, used = time.monotonic(), process_usage.processor_seconds(_apps(launcher))
        ends = plan.ends or ((0.5,) if plan.kill else ())
        killers = [threading.Timer(plan.seconds * e, _end, args=(launcher, plan.gently)) for e in ends]
        for killer in killers:
            killer.start()
        asyncio.run(_rate(plan, place, diaries, links, way))
        elapsed = time.monotonic() - began
        for killer in killers:
            killer.cancel()
        used_then = None if ends else process_usage.processor_seconds(_apps(launcher))
        memory = process_usage.memory_mb(_apps(launcher))
        judged = None if run_id is None else _wait_for(store, run_id)
    seconds = np.array([second for diary in diaries for second in diary.seconds])
    findings = check_stored(store, project_id, diaries, k=K)
    return SelftestReport(
        plan=plan,
        database="sqlite" if store.is_sqlite else "postgresql",
        findings=findings,
        judged=judged,
        p50=float(np.median(seconds)) if len(seconds) else None,
        p95=float(np.quantile(seconds, 0.95)) if len(seconds) else None,
        a_second=findings.acknowledged / elapsed,
        processor_ms=_each(used, used_then, findings.acknowledged),
        memory=memory,
        refusals=tuple(sorted({refusal for diary in diaries for refusal in diary.refusals})),
    )


def _prepare(plan: SelftestPlan, store: Store) -> int:
    with store.writing() as session:
        if list_projects(session):
            raise InvalidInput("the self-test needs an empty database; this one contains projects.")
        create_project(
            session, name=SLUG, criteria=CRITERIA, settings={"raters_per_response": min(K, plan.raters)}
        )
    lines = ["item_id,question,response_id,system,response"]
    lines += [f"q{n},Is this answer number {n}?,r{n},s,It is answer {n}." for n in range(plan.items)]
    import_files(store, SLUG, [("items.csv", "\n".join(lines).encode())])
    with store.reading() as session:
        return find_project(session, SLUG).id


def _raters(plan: SelftestPlan, store: Store, project_id: int) -> tuple[list[RaterLog], list[str]]:
    people = [members.add(store, None, project_id, f"Rater {n}") for n in range(1, plan.raters + 1)]
    links = [members.new_link(store, None, project_id, person.id).path for person in people]
    return [RaterLog(person.id) for person in people], links


def _judge(store: Store) -> int:
    spec = JudgeSpec(protocol="direct", model="rule", backend="scripted")
    return runs.create_run(store, SLUG, spec, Selection())


async def _rate(
    plan: SelftestPlan, place: RatingTarget, diaries: Sequence[RaterLog], links: Sequence[str], way: RateUntil
) -> None:
    end = time.monotonic() + plan.seconds
    work = [
        way(end, place, link, diary, seed=plan.seed + n, pause=plan.pause)
        for n, (diary, link) in enumerate(zip(diaries, links, strict=True))
    ]
    try:
        await asyncio.gather(*work)
    except TimeoutError as error:
        raise StoreUnavailable(f"the self-test ended early: {error}.") from error


@contextmanager
def _serving(plan: SelftestPlan, store: Store, engine_url: str) -> Iterator[tuple[Supervisor, str]]:
    front, *backends = [_free_port() for _ in range(1 if plan.processes == 1 else 1 + plan.processes)]
    launcher = Supervisor(child_environment(store, engine_url))
    for port in backends or [front]:
        launcher.add(APP, app_command("127.0.0.1", port))
    launcher.add("worker", WORKER)
    keeper = threading.Thread(target=launcher.run, daemon=True)
    keeper.start()
    proxy = StickyProxy(front, backends) if backends else None
    try:
        for port in backends or [front]:
            _wait_until_it_answers(f"http://127.0.0.1:{port}")
        if proxy is not None:
            proxy.start()
        yield launcher, f"http://127.0.0.1:{front}"
    finally:
        if proxy is not None:
            proxy.stop()
        launcher.stopping.set()
        keeper.join(30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _apps(launcher: Supervisor) -> list[int]:
    return [c.process.pid for c in launcher.children if c.name == APP and c.process is not None]


def _each(before: float | None, after: float | None, count: int) -> float | None:
    return None if before is None or after is None or not count else 1000 * (after - before) / count


def _wait_until_it_answers(address: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=2):  # noqa: S310  # an address of ours
                return
        except OSError:
            time.sleep(0.1)
    raise StoreUnavailable("the app did not start within a minute; run `judgelab up` to see why.")


def _end(launcher: Supervisor, gently: bool) -> None:
    for child in launcher.children:
        if child.process is not None:
            log.info("ending %s", child.name)
            child.process.send_signal(signal.SIGTERM if gently else signal.SIGKILL)


def _wait_for(store: Store, run_id: int) -> JudgingResult:
    end = time.monotonic() + JUDGING_SECONDS
    status = runs.run_status(store, run_id)
    while status.state not in ("done", "stopped", "cancelled") and time.monotonic() < end:
        time.sleep(0.2)
        status = runs.run_status(store, run_id)
    judged = status.scored + status.unscored + status.failed
    return JudgingResult(status.units, judged, status.units - judged, status.state)
