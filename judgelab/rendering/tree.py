"""Elements and pieces of a text, and both as JSON for the rating screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# What an element may be. Nothing here runs or leads anywhere, and only a project's own images are loaded.
TAGS = frozenset(
    "p h5 h6 ul ol li blockquote pre code em strong del hr div span img table thead tbody tr th td".split()
)
MATH_TAGS = frozenset(
    "math mrow mi mn mo mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr "
    "mtd mstyle mpadded mphantom menclose".split()
)
ATTRIBUTES = frozenset({"class", "start", "title", "src", "alt"})
MATH_ATTRIBUTES = frozenset(
    "display mathvariant stretchy fence form linethickness columnalign accent movablelimits displaystyle "
    "scriptlevel notation".split()
)


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of the text, shown as they are, or as `shown` (a decoded entity)."""

    start: int
    end: int
    shown: str | None = None


@dataclass(frozen=True)
class Element:
    """An element with its children.

    Attributes:
        place: the characters that an element without pieces stands for, such as a formula.
    """

    tag: str
    children: tuple[Element | Piece, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Picture(Element):
    """A picture as words: its description, and its address.

    Attributes:
        address: where the text says that it is.
        description: what it shows, without marks of Markdown.
        whole: the characters of all of it.
    """

    address: str = ""
    description: str = ""
    whole: tuple[int, int] = (0, 0)


Node = Element | Piece
Tree = tuple[Node, ...]


def has_formula(tree: Sequence[Node]) -> bool:
    """Return whether an element of the tree is a formula in MathML."""
    elements = (node for node in tree if isinstance(node, Element))
    return any(element.tag == "math" or has_formula(element.children) for element in elements)


def to_json(tree: Sequence[Node], text: str) -> list[Any]:
    """Return pieces as `[from, to]` or `[from, to, shown]`, elements as `{tag, attributes, place, children}`.

    Places count as JavaScript does, characters beyond the basic plane as two.
    """
    return _json(tree, _script_places(text))


def _json(tree: Sequence[Node], places: Sequence[int] | None) -> list[Any]:
    def at(place: int) -> int:
        return place if places is None else places[place]

    found: list[Any] = []
    for node in tree:
        if isinstance(node, Piece):
            found.append([at(node.start), at(node.end), *([] if node.shown is None else [node.shown])])
            continue
        one: dict[str, Any] = {"tag": node.tag}
        if node.attributes:
            one["attributes"] = dict(node.attributes)
        if node.place is not None:
            one["place"] = [at(node.place[0]), at(node.place[1])]
        if node.children:
            one["children"] = _json(node.children, places)
        found.append(one)
    return found


def _script_places(text: str) -> list[int] | None:
    if text.isascii() or max(text) <= "\uffff":
        return None
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places
