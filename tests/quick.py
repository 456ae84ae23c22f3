"""Which tests `make quick` runs: those that need no browser, server, worker, model or data set, and are fast.

With `--since REF` only those of them that a change since the git revision REF can touch.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Each of these rooms starts browsers, servers, workers or whole commands, or reads the published data sets.
SLOW_ROOMS = frozenset(
    ("cli", "crowd", "e2e", "learned_training", "pages", "runs", "security", "selftest", "verification")
)
# Files that take more than about three seconds alone, by `pytest --durations`.
SLOW_FILES = frozenset(
    f"tests/{name}.py"
    for name in (
        "accounts/test_erasure_learned",
        "accounts/test_members",
        "accounts/test_sharing",
        "analysis/test_conflicts",
        "analysis/test_filter_effect",
        "analysis/test_filter_preview",
        "analysis/test_one_figure",
        "analysis/test_raters",
        "analysis/test_trust_table",
        "analysis/test_trust_vs_ceiling",
        "analysis/test_write_cache",
        "annotation/test_interleaving",
        "annotation/test_policies",
        "annotation/test_service",
        "annotation/test_service_together",
        "backends/test_odd_answers",
        "backends/test_transformers_local",
        "documentation/test_adding",
        "documentation/test_examples",
        "documentation/test_notebooks",
        "imports/test_exports",
        "imports/test_fuzz",
        "imports/test_learned_exports",
        "imports/test_meaning",
        "imports/test_postgres",
        "imports/test_presets",
        "metaeval/test_distributions",
        "metaeval/test_resampling",
        "metrics/test_conformance",
        "metrics/test_encoder",
        "metrics/test_neural",
        "metrics/test_rouge",
        "preparation/test_fine_tuning",
        "preparation/test_generate",
        "preparation/test_prompts",
        "protocols/test_real_replies",
        "replication/test_tables",
        "replication/test_who_fills_a_row",
        "report/test_methods",
        "report/test_pack",
        "store/test_backup",
        "store/test_blocks",
        "store/test_every_schema",
        "store/test_sandboxes",
        "store/test_schema",
        "test_deploy",
        "test_wheel",
        "ui/test_rating_route",
    )
)
SLOW_MARKS = ("browser", "postgres", "datasets")
EVERYTHING = re.compile(
    r"^(?:pyproject\.toml|requirements.*\.txt|Makefile|tests/[^/]+\.py|tests/.*conftest\.py)$"
)
IMPORT = re.compile(
    r"^[ \t]*(?:from ((?:judgelab|tests)[\w.]*) import (?:\(([^)]*)\)|([^\n(]+))"
    r"|import ((?:judgelab|tests)[\w.]*))",
    re.MULTILINE,
)


def add_options(parser: pytest.Parser) -> None:
    """Add `--quick` and `--since` to pytest's options."""
    group = parser.getgroup("judgelab")
    group.addoption(
        "--quick", action="store_true", help="only tests without browser, server, worker or model"
    )
    group.addoption(
        "--since", default="", metavar="REF", help="with --quick: only what a change since REF touches"
    )


def is_left_out(path: Path, *, since: str) -> bool:
    """Return whether a quick run doesn't collect this file."""
    name = path.relative_to(ROOT).as_posix()
    if name.split("/")[1] in SLOW_ROOMS or name in SLOW_FILES:
        return True
    return bool(since) and path.name.startswith("test_") and name not in touched_tests(ROOT, since)


def is_quick(item: pytest.Item) -> bool:
    """Return whether a quick run includes this test of a file that it collects."""
    return not any(item.get_closest_marker(mark) for mark in SLOW_MARKS)


@cache
def touched_tests(root: Path, since: str) -> frozenset[str]:
    """Return the test files that a change since a git revision can touch.

    A test is touched by what it imports, directly or through others. Plug-ins are found by name and not
    imported, so a change also touches all tests of its room.
    """
    changed = _changed_files(root, since)
    tests = [path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py")]
    if any(map(EVERYTHING.match, changed)):
        return frozenset(tests)
    rooms = {_room(name) for name in changed}
    importers = _importers(root)
    reached, waiting = set(changed), list(changed)
    while waiting:
        for importer in importers[waiting.pop()] - reached:
            reached.add(importer)
            waiting.append(importer)
    return frozenset(name for name in tests if name in reached or _room(name) in rooms)


def _changed_files(root: Path, since: str) -> list[str]:
    commands = (["git", "diff", "--name-only", since], ["git", "ls-files", "--others", "--exclude-standard"])
    printed = [subprocess.check_output(command, cwd=root, text=True) for command in commands]
    return [name for names in printed for name in names.splitlines()]


def _room(name: str) -> str:
    """Return the room of a file: of `docs` and `design` it is that of the tests of the documentation."""
    top, *below = name.split("/")
    if top in ("docs", "design") or (not below and name.endswith(".md")):
        return "documentation"
    return below[0] if top in ("judgelab", "tests") and len(below) > 1 else name


def _importers(root: Path) -> defaultdict[str, set[str]]:
    """Return by file the files that import it."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for folder in ("judgelab", "tests"):
        for path in (root / folder).rglob("*.py"):
            for module in _imported_modules(root, path.read_text(encoding="utf-8")):
                importers[module].add(path.relative_to(root).as_posix())
    return importers


def _imported_modules(root: Path, source: str) -> Iterator[str]:
    for module, several, one_line, plain in IMPORT.findall(source):
        yield from _files_of(root, (module or plain).split("."))
        for name in re.findall(r"(\w+)(?: as \w+)?", several or one_line):
            yield from _files_of(root, [*module.split("."), name])


def _files_of(root: Path, parts: Sequence[str]) -> Iterator[str]:
    path = "/".join(parts)
    for name in (f"{path}.py", f"{path}/__init__.py"):
        if (root / name).is_file():
            yield name
