"""A text as people read it: Markdown, code or as typed, with each character's place in the text.

`rendered` returns a tree of elements and pieces of the text. It contains no HTML of the text's author, no
address to load and no link to follow, so a page or screen can build it as it is (`html.to_html`,
`rater/rendered.js`).
"""

from __future__ import annotations

from judgelab.rendering.code import code_tree
from judgelab.rendering.formats import CODE, FORMATS, MARKDOWN, PLAIN, PREFORMATTED
from judgelab.rendering.guess import guess_format
from judgelab.rendering.markdown import markdown_tree
from judgelab.rendering.tree import Element, Piece, Tree

__all__ = [
    "CODE",
    "FORMATS",
    "MARKDOWN",
    "PLAIN",
    "PREFORMATTED",
    "Element",
    "Piece",
    "Tree",
    "guess_format",
    "rendered",
]


def rendered(text: str, text_format: str) -> Tree:
    """Return the text in a format of `FORMATS`: its pieces in reading order, within elements.

    Raises:
        KeyError: no such format.
    """
    return _TREES[text_format](text)


def _typed(text: str) -> Tree:
    return (Element("div", (Piece(0, len(text)),), (("class", "typed"),)),)


def _preformatted(text: str) -> Tree:
    return (Element("pre", (Piece(0, len(text)),)),)


_TREES = {PLAIN: _typed, PREFORMATTED: _preformatted, CODE: code_tree, MARKDOWN: markdown_tree}
