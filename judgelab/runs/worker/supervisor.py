"""One command for everything: the app and its workers as child processes, restarted when they die."""

from __future__ import annotations

import contextlib
import http.client
import logging
import signal
import socket
import subprocess
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from judgelab.accounts import modes
from judgelab.accounts.signin import new_owner_link
from judgelab.config import address_of, settings
from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.package_files import package_path
from judgelab.runs.plan.worker_kinds import local_worker_lacks
from judgelab.runs.worker.child_processes import (
    APP,
    LOCAL_WORKER,
    WORKER,
    absolute_url,
    child_environment,
    start_child,
    stop_children,
)
from judgelab.store.db.db_errors import database_name
from judgelab.store.db.engine import Store

log = logging.getLogger("judgelab.up")
POLL_SECONDS = 0.2
LOCAL_SECONDS = 1.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
STEADY_SECONDS = 30.0  # a child that lived so long has earned a quick restart
START_SECONDS = 60.0


@dataclass
class _Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    restart_at: float = 0.0
    pause: float = FIRST_PAUSE
    leaves: bool = False


@dataclass
class Supervisor:
    """Keeps child processes alive until it is told to stop.

    Args:
        environment: what the children see.
        local_work: whether a worker for local models is wanted now; it is started then, and may leave again.
    """

    environment: dict[str, str]
    local_work: Callable[[], bool] | None = None
    children: list[_Child] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    _looked: float = 0.0

    def add(self, name: str, command: Sequence[str], *, leaves: bool = False) -> None:
        """Start a child and keep it alive from now on; one that `leaves` until it ends of its own accord."""
        child = _Child(name, command, leaves=leaves)
        self.children.append(child)
        self._start(child)

    def run(self) -> None:
        """Restart what dies, until `stopping` is set; then end all children together."""
        while not self.stopping.wait(POLL_SECONDS):
            for child in list(self.children):
                self._look_after(child)
            self._look_for_local_work()
        stop_children([child.process for child in self.children if child.process is not None])

    def _look_after(self, child: _Child) -> None:
        if child.process is not None:
            code = child.process.poll()
            if code is None:
                return
            if child.leaves and code == 0:
                self.children.remove(child)
                return
            if time.monotonic() - child.started > STEADY_SECONDS:
                child.pause = FIRST_PAUSE
            log.warning("%s ended with %s; it restarts in %g s", child.name, code, child.pause)
            child.process, child.restart_at = None, time.monotonic() + child.pause
            child.pause = min(LONGEST_PAUSE, child.pause * 2)
        elif time.monotonic() >= child.restart_at:
            self._start(child)

    def _look_for_local_work(self) -> None:
        """Start a worker for local models when a run needs one: it takes memory as soon as it is there."""
        if self.local_work is None or time.monotonic() - self._looked < LOCAL_SECONDS:
            return
        self._looked = time.monotonic()
        try:
            if not any(child.leaves for child in self.children) and self.local_work():
                self.add("the worker for local models", LOCAL_WORKER, leaves=True)
        except StoreUnavailable as error:
            log.warning("the local runs could not be listed: %s", error)

    def _start(self, child: _Child) -> None:
        child.process = start_child(child.command, self.environment, folder=Path(settings().home))
        child.started = time.monotonic()


def launch(
    store: Store,
    engine_url: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8501,
    workers: int = 1,
    browser: bool = True,
) -> None:
    """Run the app and its workers until SIGINT or SIGTERM.

    Raises:
        InvalidInput: the address cannot be listened on; nothing was started.
    """
    _check(store, host, port, workers)
    local_worker_due = partial(local_worker_lacks, store) if workers else None
    launcher = Supervisor(child_environment(store, engine_url), local_worker_due)
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, lambda *_: launcher.stopping.set())
    launcher.add("the app", app_command(host, port))
    for number in range(workers):
        launcher.add(f"worker {number}", WORKER)
    greet = threading.Thread(
        target=_announce, args=(store, host, port, browser, launcher.stopping.is_set), daemon=True
    )
    greet.start()
    launcher.run()


def _check(store: Store, host: str, port: int, workers: int) -> None:
    modes.check_address(store, host)
    home = settings().home
    if home and not Path(home).is_dir():
        raise InvalidInput(f"JUDGELAB_HOME is {home}, which is not a folder; create it, or name another.")
    if workers < 0:
        raise InvalidInput(f"--workers {workers} is not valid; it must be at least 0.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # As the app itself does: a port that only lingers after a restart is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise InvalidInput(
                f"port {port} on {host} cannot be used ({error}); is JudgeLab already running? "
                "Choose another port with --port."
            ) from None


def app_command(host: str, port: int) -> list[str]:
    """Return the command that serves the app."""
    options = {
        "server.port": str(port),
        "server.address": host,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "logger.hideWelcomeMessage": "true",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [*APP, "run", str(package_path("app.py")), *words]


def _announce(store: Store, host: str, port: int, browser: bool, stopped: Callable[[], bool]) -> None:
    """Print and open the owner's link once the app answers."""
    end = time.monotonic() + START_SECONDS
    while not _healthy(host, port):
        if stopped() or time.monotonic() > end:
            return
        time.sleep(0.1)
    address = address_of(host, port)
    if settings().public_demo:
        link, browser = settings().address if settings().public_url else address, False
        notice = f"The open demo listens on {host}. The address for visitors:\n\n  {link}"
    elif modes.is_local(host):
        link = address + new_owner_link(store)
        notice = (
            "This link signs you in as the owner. It works once; the next start prints a new one:\n\n"
            f"  {link}"
        )
    else:
        link = f"{settings().public_url.rstrip('/') or address}/sign-in"
        notice = f"It listens on {host}; everyone must sign in:\n\n  {link}"
    database = database_name(absolute_url(store.url))
    print(
        f"\nJudgeLab is ready. {notice}\n\nYour data is stored in {database}. Press Ctrl-C to stop.",
        flush=True,
    )
    if browser and modes.is_local(host):
        webbrowser.open(link)


def _healthy(host: str, port: int) -> bool:
    with contextlib.closing(http.client.HTTPConnection(host, port, timeout=2)) as connection:
        try:
            connection.request("GET", "/_stcore/health")
            return connection.getresponse().status == http.HTTPStatus.OK
        except OSError:
            return False
