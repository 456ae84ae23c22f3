"""The pages of the documentation, as the tests read them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.command import judgelab

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# What was written about replays becomes a part of the studies' pages (docs/replays/tables.py).
PAGES = [
    *(page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "replays"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "sample_data/README.md")),
    *sorted((ROOT / "design").glob("*.md")),
]
FENCED = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def name_of(page: Path) -> str:
    """Return a page's path within the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *languages: str) -> list[tuple[str, str, str]]:
    """Return (language, rest of its line, text) of a page's fenced blocks in these languages."""
    return [block for block in FENCED.findall(page.read_text(encoding="utf-8")) if block[0] in languages]


def run(commands: str, url: str, folder: Path) -> None:
    """Run the commands of a block of `console`; each line below one must be found in what it prints."""
    command_lines = re.split(r"^\$ judgelab ", commands, flags=re.MULTILINE)[1:]
    assert command_lines, commands
    for command in command_lines:
        line, *expected = command.strip().splitlines()
        result = judgelab(url, *shlex.split(line), folder=folder)
        assert result.returncode == 0, (line, result)
        for line_expected in expected:
            assert line_expected in result.stdout + result.stderr, (line, result)
