"""The pages on adding a metric and a protocol, followed as they stand in a fresh copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation.pages import DOCS
from tests.runs.openai_server import Server

ROOT = DOCS.parent
FILE = re.compile(r"Put\s+this\s+into\s+`(judgelab/\S+\.py)`:\n\n```python\n(.*?)```", flags=re.DOTALL)
COMMAND = re.compile(r"^    judgelab (.*?)(?: {2,}#.*)?$", flags=re.MULTILINE)
TESTS = re.compile(r"`pytest ([^`]+)`")


class Copy:
    """A copy of the project's files, and commands in it on a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "judgelab"
        listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
            if name and (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.folder / name)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
            "PYTHONPATH": str(self.folder),
            "JUDGELAB_DATABASE_URL": f"sqlite:///{folder / 'judgelab.db'}",
        }

    def run(self, *words: str) -> str:
        """Return what `python -m WORDS` prints; it must succeed."""
        command = [sys.executable, "-m", *words]
        ended = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert ended.returncode == 0, f"{' '.join(words)}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def follow(self, page: str) -> list[str]:
        """Write the page's file and run its tests, then its commands; return what the commands print."""
        text = (DOCS / page).read_text("utf-8")
        [(file, source)] = FILE.findall(text)
        assert not (self.folder / file).exists()
        (self.folder / file).write_text(source, encoding="utf-8")
        for words in TESTS.findall(text):
            self.run("pytest", "-p", "no:cacheprovider", *words.split())
        self.run("pytest", "-p", "no:cacheprovider", "tests/languages", "tests/test_architecture.py")
        self.run("judgelab", "demo", "--no-serve")
        return [self.run("judgelab", *words.split()) for words in COMMAND.findall(text)]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_a_metric_is_one_file(copy: Copy) -> None:
    share, number = copy.follow("adding-a-metric.md")
    assert "questions" in share and "questions (count=number)" in number


def test_a_protocol_is_one_file(copy: Copy, server: Server) -> None:
    copy.run("judgelab", "endpoint", "add", "local", "--base-url", server.url)
    rehearsed, asked = copy.follow("adding-a-protocol.md")
    assert "0 unscored" in rehearsed and "0 unscored" in asked
