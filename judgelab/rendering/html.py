"""A rendered text as HTML for our own pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from judgelab.rendering.tree import Node, Piece

EMPTY = frozenset({"hr", "img"})


def to_html(tree: Sequence[Node], text: str) -> str:
    """Return the tree as HTML."""
    return "".join(_node(node, text) for node in tree)


def _node(node: Node, text: str) -> str:
    if isinstance(node, Piece):
        return escape(text[node.start : node.end] if node.shown is None else node.shown, quote=False)
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes)
    if node.tag in EMPTY:
        return f"<{node.tag}{attributes}>"
    return f"<{node.tag}{attributes}>{to_html(node.children, text)}</{node.tag}>"
