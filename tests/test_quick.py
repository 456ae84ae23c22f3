"""`make quick SINCE=REF` runs what a change can touch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import quick

FILES = {
    "judgelab/__init__.py": "",
    "judgelab/scales/__init__.py": "",
    "judgelab/scales/points.py": "",
    "judgelab/charts/__init__.py": "",
    "judgelab/charts/lines.py": "from judgelab.scales import points\n",
    "judgelab/protocols/direct.py": "",
    "tests/charts/test_lines.py": "def test_it():\n    from judgelab.charts.lines import (\n        a,)\n",
    "tests/scales/test_points.py": "import judgelab.scales.points\n",
    "tests/protocols/test_conformance.py": "",
    "tests/documentation/test_links.py": "",
    "docs/guide.md": "",
    "pyproject.toml": "",
}
LINES, POINTS = "tests/charts/test_lines.py", "tests/scales/test_points.py"
CONFORMANCE, LINKS = "tests/protocols/test_conformance.py", "tests/documentation/test_links.py"


@pytest.mark.parametrize(
    ("changed_file", "touched_tests"),
    [
        ("judgelab/scales/points.py", {POINTS, LINES}),
        ("judgelab/charts/lines.py", {LINES}),
        ("judgelab/protocols/direct.py", {CONFORMANCE}),
        ("judgelab/protocols/new.py", {CONFORMANCE}),
        ("docs/guide.md", {LINKS}),
        (LINES, {LINES}),
        ("pyproject.toml", {LINES, POINTS, CONFORMANCE, LINKS}),
    ],
)
def test_a_change_touches_what_imports_it(tmp_path: Path, changed_file: str, touched_tests: set[str]) -> None:
    for name, source in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
        subprocess.run((*git, *words), cwd=tmp_path, check=True)
    (tmp_path / changed_file).write_text("# changed\n")
    assert quick.touched_tests(tmp_path, "HEAD") == touched_tests
