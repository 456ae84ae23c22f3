"""Parse Python literals in cells and replies, one at a time.

Python 3.11 and early 3.12 share the recursion depth of the AST constructor between threads: two threads that
parse at once fail with "AST constructor recursion depth mismatch" (CPython issue 106905). Streamlit does not
parse, as its "magic" is off (`.streamlit/config.toml`).
"""

from __future__ import annotations

import ast
from threading import Lock

_one_at_a_time = Lock()


def parse_expression(text: str) -> ast.Expression:
    """Return the syntax tree of an expression; raises the errors of `ast.parse`, such as `SyntaxError`."""
    with _one_at_a_time:
        return ast.parse(text, mode="eval")


def literal_value(text: str) -> object:
    """Return the value of a literal; raises the errors of `ast.literal_eval`, such as `ValueError`."""
    return ast.literal_eval(parse_expression(text.strip()))
