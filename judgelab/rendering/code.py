"""Code, highlighted by Pygments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Token, _TokenType
from pygments.util import ClassNotFound

from judgelab.rendering.source import pieces
from judgelab.rendering.tree import Element, Node, Piece, Tree

LONGEST_HIGHLIGHTED = 20_000  # characters; more would take longer to colour than to read
# Short names of Pygments that have a colour: comment, keyword, name, number, operator, string.
COLOURED = ("c", "k", "n", "m", "o", "s")


def code_tree(text: str) -> Tree:
    """Return a whole text as code without a named language."""
    return (Element("pre", (Element("code", (Piece(0, len(text)),)),)),)


def code_block(content: str, places: Sequence[int] | None, language: str, place: tuple[int, int]) -> Element:
    """Return a block of code.

    Args:
        content: the code.
        places: the place of each character in the text, and of the end; None if it is not there literally.
        language: as the block names it; a language that is not known is not highlighted.
        place: the characters of the text that the whole block stands for.
    """
    if places is None:
        children: tuple[Node, ...] = (Piece(*place, content),)
    else:
        lexer = _lexer(language) if language and len(content) <= LONGEST_HIGHLIGHTED else None
        children = pieces(places, 0, len(content)) if lexer is None else _highlighted(content, places, lexer)
    return Element("pre", (Element("code", children),))


def _highlighted(content: str, places: Sequence[int], lexer: Lexer) -> tuple[Node, ...]:
    found: list[Node] = []
    for at, kind, said in lexer.get_tokens_unprocessed(content):
        name = _colour(kind)
        inside = pieces(places, at, at + len(said))
        found += [Element("span", inside, (("class", f"code-{name}"),))] if name and said.strip() else inside
    return tuple(found)


def _colour(kind: _TokenType) -> str:
    if kind in Token.Name and kind not in Token.Name.Function and kind not in Token.Name.Class:
        return ""
    short = STANDARD_TYPES.get(kind, "")
    return short[0] if short[:1] in COLOURED else ""


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
