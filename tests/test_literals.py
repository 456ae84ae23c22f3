"""Literals are read one at a time: CPython 3.11 ends in an error where two threads make trees at once."""

from __future__ import annotations

import ast
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judgelab import literals


def test_a_literal_is_what_python_reads() -> None:
    assert literals.literal_value(" ['a', 1.5, None] ") == ["a", 1.5, None]
    for text in ("f(1)", "[1,", "__import__('os')"):
        with pytest.raises((ValueError, SyntaxError)):
            literals.literal_value(text)


def test_no_two_threads_make_a_tree_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most_running, parse = 0, 0, ast.parse

    def slow(text: str, mode: str) -> ast.AST:
        nonlocal running, most_running
        running += 1
        most_running = max(most_running, running)
        time.sleep(0.01)
        running -= 1
        return parse(text, mode=mode)

    monkeypatch.setattr(ast, "parse", slow)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(literals.literal_value, map(str, range(8)))) == list(range(8))
    assert most_running == 1
