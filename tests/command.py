"""The command line as a script calls it: words in, exit code and two streams out."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from judgelab.cli import main
from judgelab.config import settings

ROOT = Path(__file__).resolve().parents[1]


class CommandResult(NamedTuple):
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def judgelab(
    address: str, *words: str, stdin: str = "", folder: Path = ROOT, **environment: str
) -> CommandResult:
    """Run `judgelab <words>` on the database at `address`, in this process: a new one takes a second."""
    out, err = _stream("strict"), _stream("backslashreplace")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err), _own_log():
        patch.chdir(folder)
        patch.setattr("sys.stdin", io.StringIO(stdin))
        for name, value in {"JUDGELAB_DATABASE_URL": address, **environment}.items():
            patch.setenv(name, value)
        patch.setattr("sys.argv", ["judgelab", *words])
        settings.cache_clear()
        with pytest.raises(SystemExit) as exit_error:
            main()
    settings.cache_clear()
    return CommandResult(int(exit_error.value.code or 0), _text(out), _text(err))


def judgelab_process(address: str, *words: str) -> CommandResult:
    """Run the same as a process of its own, where that is what the test is about."""
    result = subprocess.run(
        [sys.executable, "-m", "judgelab", *words],
        cwd=ROOT,
        env={**os.environ, "JUDGELAB_DATABASE_URL": address},
        capture_output=True,
        text=True,
    )
    return CommandResult(result.returncode, result.stdout, result.stderr)


def _stream(errors: str) -> io.TextIOWrapper:
    """Return a stream that takes and refuses letters as the one of a process does."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _own_log() -> Iterator[None]:
    """Let the command set up its log as in a new process; put back what was there."""
    root, ours = logging.getLogger(), logging.getLogger("judgelab")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    root.handlers.clear()
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
