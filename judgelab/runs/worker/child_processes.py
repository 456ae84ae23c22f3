"""Processes of our own that a command starts and stops."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from judgelab.store.db.db_errors import refuse_memory
from judgelab.store.db.engine import Store

# Our matrices are small: beside other work, threads that wait for one another in a loop took several times
# the processor time of one. With them and a pool of pyarrow's own the app held 15 MB more. Whoever sets
# these keeps their own.
SMALL_PROCESS = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
SHUT_DOWN_SECONDS = 8.0  # a worker stores the answers in flight first
PR_SET_PDEATHSIG = 1
LAUNCHER = "JUDGELAB_LAUNCHER"
# -P: a file in the folder somebody works in is not taken for a module of Python.
PYTHON = (sys.executable, "-P", "-m")
APP = (*PYTHON, "judgelab.ui")
WORKER = (*PYTHON, "judgelab.runs")
# Ends by itself when it had nothing to do for a while: its model's memory is wanted elsewhere.
LOCAL_WORKER = (*WORKER, "--local", "--idle", "300")


def absolute_url(url: str) -> str:
    """Return a database URL that means the same file from any folder."""
    if not url.startswith("sqlite:///"):
        return url
    return f"sqlite:///{Path(url.removeprefix('sqlite:///')).absolute()}"


def child_environment(store: Store, engine_url: str) -> dict[str, str]:
    """Return the environment for a child that works on the same database and ends with us."""
    refuse_memory(engine_url, "JUDGELAB_ENGINE_URL")
    return {
        **SMALL_PROCESS,
        **os.environ,
        "JUDGELAB_DATABASE_URL": absolute_url(store.url),
        "JUDGELAB_ENGINE_URL": absolute_url(engine_url),
        LAUNCHER: str(os.getpid()),
    }


def start_child(
    command: Sequence[str], environment: Mapping[str, str], *, folder: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, so that Ctrl-C reaches it through us and in our order."""
    return subprocess.Popen(
        command, env=environment, cwd=folder, start_new_session=True, preexec_fn=die_with_parent
    )


def stop_children(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask children to end, all at once, and end those that do not."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    end = time.monotonic() + SHUT_DOWN_SECONDS
    for child in children:
        try:
            child.wait(timeout=max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def die_with_parent() -> None:
    """Have this process end with its parent; for the moment between fork and exec."""
    # A launcher killed with -9 stops nobody: on Linux the kernel does it. Elsewhere workers look themselves.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
