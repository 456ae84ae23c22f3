"""Names from files as plotly text: shown letter by letter, short enough for an axis."""

from __future__ import annotations

from collections.abc import Sequence


def axis_label(name: str, limit: int = 28) -> str:
    """Return `name` for an axis or annotation, cut in the middle when longer than `limit`.

    Plotly reads a little HTML in its texts; a rater called `<a href=...>` must not become a link.
    """
    return escaped(shortened(name, limit))


def wrapped_label(name: str, width: int = 24) -> str:
    """Return `name` for an axis of rows, over two lines when it is longer than `width`; cut beyond them."""
    shown = " ".join(name.split())
    if len(shown) <= width:
        return escaped(shown)
    spaces = [at for at, letter in enumerate(shown) if letter == " " and at <= width]
    at = spaces[-1] if spaces else width
    return f"{escaped(shown[:at])}<br>{escaped(shortened(shown[at:], width))}"


def escaped(shown: str) -> str:
    """Return all of a text without what plotly reads in it: a little HTML, `%{...}` in what a mark says."""
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("%{", "&#37;{")


def shortened(name: str, limit: int = 28) -> str:
    """Return a text on one line, without its middle when longer than `limit`."""
    shown = " ".join(name.split())
    if len(shown) > limit:
        head = (limit - 1) * 2 // 3
        shown = f"{shown[:head]}…{shown[-(limit - 1 - head) :]}"
    return shown


def spread_out(places: Sequence[float], *, step: float, top: float) -> list[float]:
    """Return rising places moved up, and down from the top, until each is a step from the next."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + step) if moved else place)
    ceiling = top
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], ceiling)
        ceiling = moved[number] - step
    return moved
