"""docs/security.md names tests; each of them is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_test_that_the_threat_model_names_exists() -> None:
    document = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named_tests = NAMED.findall(document)
    assert len(named_tests) == document.count("`tests/") > 30
    missing = [f"{path}::{name}" for path, name in named_tests if name not in _tests_in(ROOT / path)]
    assert missing == []


def _tests_in(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    return {
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
