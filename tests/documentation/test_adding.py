"""The pages on adding a metric and a protocol, followed as they stand in a fresh copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.pages import DOCS
from tests.runs.openai_server import Habits, Server

ROOT = DOCS.parent
FILE = re.compile(r"Put\s+this\s+into\s+`(judgelab/\S+\.py)`:\n\n```python\n(.*?)```", flags=re.DOTALL)
COMMAND = re.compile(r"^    judgelab (.*?)(?: {2,}#.*)?$", flags=re.MULTILINE)
TESTS = re.compile(r"`pytest ([^`]+)`")


class Copy:
    """A copy of the project's files, and commands in it on a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "judgelab"
        command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0"):
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
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        assert result.returncode == 0, f"{' '.join(words)}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def tests(self, *words: str) -> None:
        self.run("pytest", "-p", "no:cacheprovider", *words)


class Page:
    """What a page tells its reader to write, to test and to run."""

    def __init__(self, name: str) -> None:
        text = (DOCS / name).read_text("utf-8")
        [(self.file, self.source)] = FILE.findall(text)
        self.tests = [words.split() for words in TESTS.findall(text)]
        self.commands = [words.split() for words in COMMAND.findall(text)]


METRIC, PROTOCOL = Page("adding-a-metric.md"), Page("adding-a-protocol.md")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("copy"))
    for page in (METRIC, PROTOCOL):
        assert not (copy.folder / page.file).exists()
        (copy.folder / page.file).write_text(page.source, encoding="utf-8")
    copy.run("judgelab", "demo", "--no-serve")
    return copy


def test_a_metric_is_one_file(copy: Copy) -> None:
    for words in METRIC.tests:
        copy.tests(*words)
    share_output, number_output = [copy.run("judgelab", *words) for words in METRIC.commands]
    assert "questions" in share_output and "questions (count=number)" in number_output


def test_a_protocol_is_one_file(copy: Copy) -> None:
    for words in PROTOCOL.tests:
        copy.tests(*words)
    with Server(Habits(answers=("It is clear. [[1]]", "It is not. [[0]]"))) as server:
        copy.run("judgelab", "endpoint", "add", "local", "--base-url", server.url)
        rehearsed, judged = [copy.run("judgelab", *words) for words in PROTOCOL.commands]
    assert " 0 unscored" in rehearsed and " 0 unscored" in judged


def test_no_other_test_asks_for_more(copy: Copy) -> None:
    copy.tests("tests/languages", "tests/metrics/test_docs.py", "tests/test_architecture.py")
