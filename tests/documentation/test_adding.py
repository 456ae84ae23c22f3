"""The pages on adding metrics, protocols, scales and importers, followed in a copy of the project."""

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
DATA = re.compile(r'```(?:csv|json) title="(\S+)"\n(.*?)```', flags=re.DOTALL)
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
        self.data = dict(DATA.findall(text))
        self.tests = [words.split() for words in TESTS.findall(text)]
        self.commands = [words.split() for words in COMMAND.findall(text)]


METRIC, PROTOCOL, SCALE, IMPORTER = (
    Page(f"adding-{kind}.md") for kind in ("a-metric", "a-protocol", "a-scale", "an-importer")
)
# What a rater's screen gets for the scale.
SCREEN = """
from judgelab.domain import Criterion
from judgelab.ui.rater.criteria import criterion_data

data = criterion_data(Criterion("stars", "Stars", {"kind": "halves", "low": 0.5, "high": 5.0}))
print(data["widget"], data["low"], data["high"], data["step"])
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("copy"))
    for page in (METRIC, PROTOCOL, SCALE, IMPORTER):
        for name, content in {page.file: page.source, **page.data}.items():
            assert not (copy.folder / name).exists()
            (copy.folder / name).write_text(content, encoding="utf-8")
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


def test_a_scale_is_one_file(copy: Copy) -> None:
    for words in SCALE.tests:
        copy.tests(*words)
    created, imported, agreement = [copy.run("judgelab", *words) for words in SCALE.commands]
    assert "films" in created and "3 responses" in imported
    assert "length-judge" in agreement
    assert "stars: stars 0.5 to 5" in copy.run("judgelab", "project", "show", "films")
    screen = subprocess.run(
        [sys.executable, "-c", SCREEN], cwd=copy.folder, env=copy.environment, capture_output=True, text=True
    )
    assert screen.stdout.split() == ["number", "0.5", "5", "0.5"], screen.stderr


def test_an_importer_is_one_file(copy: Copy) -> None:
    for words in IMPORTER.tests:
        copy.tests(*words)
    created, imported, agreement = [copy.run("judgelab", *words) for words in IMPORTER.commands]
    assert "capitals" in created
    assert "2 items, 4 responses, 3 ratings, 4 judgments new" in imported
    assert "m1" in agreement and "1 unscored" in agreement


def test_no_other_test_asks_for_more(copy: Copy) -> None:
    copy.tests("tests/languages", "tests/metrics/test_docs.py", "tests/test_architecture.py")
