"""A formula in LaTeX as MathML."""

from __future__ import annotations

from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml.converter import convert

from judgelab.rendering.environments import in_known_words
from judgelab.rendering.tree import MATH_ATTRIBUTES, MATH_TAGS, Element, Node, Piece

HALVES = ("\\begin", "\\end")  # of an environment without the other half, which the converter prints
LONGEST, DEEPEST = 2_000, 40  # characters, and elements within one another


@lru_cache(maxsize=2_000)
def formula(latex: str, *, display: bool) -> Element | None:
    """Return the formula without its place in a text; None if it is no LaTeX or shows nothing.

    Elements and attributes that could load or lead anywhere are left out.
    """
    if len(latex) > LONGEST or not latex.strip():
        return None
    try:
        found = convert(in_known_words(latex), display="block" if display else "inline")
        root = ElementTree.fromstring(found)
        words = [one.text or "" for one in root.iter()]
        if any(word.startswith(HALVES) for word in words):
            return None
        seen = any(one.tag.endswith("mspace") for one in root.iter()) or any(map(str.strip, words))
        return _element(root) if seen else None
    except Exception:  # noqa: BLE001  (the converter raises errors of its own, KeyError, IndexError and others)
        return None


def _element(found: ElementTree.Element, depth: int = 0) -> Element:
    if depth > DEEPEST:
        raise ValueError("the formula is nested too deep")
    tag = found.tag.rpartition("}")[2]
    children: list[Node] = [Piece(0, 0, found.text)] if found.text else []
    children += [_element(child, depth + 1) for child in found]
    attributes = tuple((name, value) for name, value in found.attrib.items() if name in MATH_ATTRIBUTES)
    return Element(tag if tag in MATH_TAGS else "mrow", tuple(children), attributes)
