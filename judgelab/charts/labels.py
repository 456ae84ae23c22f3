"""Names from files as plotly text: shown letter by letter, short enough for an axis."""

from __future__ import annotations


def label(name: str, limit: int = 28) -> str:
    """Return `name` for an axis or annotation, cut in the middle when longer than `limit`.

    Plotly reads a little HTML in its texts; a rater called `<a href=...>` must not become a link.
    """
    return _escaped(_cut(name, limit))


def wrapped(name: str, width: int = 24) -> str:
    """Return `name` for an axis of rows, over two lines when it is longer than `width`; cut beyond them."""
    shown = " ".join(name.split())
    if len(shown) <= width:
        return _escaped(shown)
    spaces = [at for at, letter in enumerate(shown) if letter == " " and at <= width]
    at = spaces[-1] if spaces else width
    return f"{_escaped(shown[:at])}<br>{_escaped(_cut(shown[at:], width))}"


def _cut(name: str, limit: int) -> str:
    shown = " ".join(name.split())
    if len(shown) > limit:
        head = (limit - 1) * 2 // 3
        shown = f"{shown[:head]}…{shown[-(limit - 1 - head) :]}"
    return shown


def _escaped(shown: str) -> str:
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
