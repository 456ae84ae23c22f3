"""A text of an item, response or judge on a page, in its format or, on request, as typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgelab.languages import _
from judgelab.rendering import MARKDOWN, PLAIN, rendered
from judgelab.rendering.formats import TEXTS, text_format
from judgelab.rendering.html import to_html
from judgelab.rendering.pictures import PICTURE, image_paths, with_images
from judgelab.rendering.tree import Element, Node, Tree, has_formula
from judgelab.ui.rater.images import image_sources, missing_image
from judgelab.ui.rater.text import draw_rendered
from judgelab.ui.session import gate, tokens
from judgelab.ui.session.page_tokens import image_token

RATIONALE = "rationale"  # what a model writes about its score is Markdown, whatever the project's texts are
AS_TYPED = "texts_as_typed"
LONG, HEIGHT = 900, 420  # characters from which a text scrolls in its box, and its height
KEPT = 256  # texts
LONGEST_KEPT = 20_000  # characters


def ask_as_typed(kinds: Iterable[str] = TEXTS, *, rationales: Iterable[str] = ()) -> None:
    """Offer to show the texts below as typed, if any of these kinds or rationales is formatted."""
    if any(_format(kind) != PLAIN for kind in kinds) or any(
        _tree(said, RATIONALE) is not None for said in rationales
    ):
        st.toggle(_("Show as typed"), key=AS_TYPED, persist_state="session")


def is_formatted(said: str, kind: str) -> bool:
    """Return whether the text is now shown in another way than as typed."""
    return not st.session_state.get(AS_TYPED) and _tree(said, kind) is not None


def draw_text(said: str, kind: str, *, key: object = "") -> None:
    """Draw a text of this kind: a "question", "response", "reference", "context" or `RATIONALE`.

    `key` tells it from other texts of this kind on the page, if there are any.
    """
    tree = None if st.session_state.get(AS_TYPED) else _tree(said, kind)
    if tree is not None and PICTURE in said:
        tree = _with_images(tree)
    if tree is None:
        st.text(said)
    elif has_formula(tree):
        draw_rendered(said, tree, key=f"text-{kind}-{key}-{sha256(said.encode()).hexdigest()[:12]}")
    else:
        st.html(f'<div class="rendered" dir="auto">{to_html(tree, said)}</div>')


def _with_images(tree: Tree) -> Tree:
    sources = image_sources(gate.store(), gate.the_project(), image_paths(tree))
    token = image_token()
    query = f"?{tokens.PARAMETER}={token}" if token else ""
    return with_images(tree, {path: source + query for path, source in sources.items()}, missing_image())


def box(said: str) -> DeltaGenerator:
    """Return a place for the text, in which a long one scrolls."""
    return st.container(height=HEIGHT if len(said) > LONG else "content", border=False)


def _format(kind: str) -> str:
    return MARKDOWN if kind == RATIONALE else text_format(gate.the_project().settings, kind)


def _tree(said: str, kind: str) -> Tree | None:
    """Return the text in its format; None if it looks the same as typed."""
    form = _format(kind)
    if form == PLAIN:
        return None
    return _kept(said, form) if len(said) <= LONGEST_KEPT else _new(said, form)


def _new(said: str, form: str) -> Tree | None:
    tree = rendered(said, form)
    return None if form == MARKDOWN and _has_no_signs(tree, said) else tree


_kept = lru_cache(maxsize=KEPT)(_new)


def _has_no_signs(tree: Sequence[Node], said: str) -> bool:
    """Return whether the text consists of paragraphs that show every letter of it."""
    if not all(isinstance(node, Element) and _is_paragraph(node) for node in tree):
        return False
    shown = "\n".join(_letters(node, said) for node in tree)
    return shown.split() == said.split()


def _is_paragraph(element: Element) -> bool:
    return element.tag in ("p", "div") and not any(isinstance(node, Element) for node in element.children)


def _letters(node: Node, said: str) -> str:
    if isinstance(node, Element):
        return "".join(_letters(child, said) for child in node.children)
    return said[node.start : node.end] if node.shown is None else node.shown
