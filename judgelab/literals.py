"""Python's literals in cells and replies, read one at a time.

Python 3.11 and early 3.12 count the depth of a tree in one place for all threads: two that make trees at once
end in "AST constructor recursion depth mismatch" (CPython issue 106905). Streamlit makes none, as its "magic"
is off (`.streamlit/config.toml`).
"""

from __future__ import annotations

import ast
from threading import Lock

_one_at_a_time = Lock()


def tree(text: str) -> ast.Expression:
    """Return the tree of an expression; raises what `ast.parse` raises, `SyntaxError` and others."""
    with _one_at_a_time:
        return ast.parse(text, mode="eval")


def value(text: str) -> object:
    """Return what a literal stands for; raises what `ast.literal_eval` raises, `ValueError` and others."""
    return ast.literal_eval(tree(text.strip()))
