"""Names from files as plotly text: escaped, and short enough for an axis."""

from __future__ import annotations

from collections.abc import Sequence


def axis_label(name: str, limit: int = 28) -> str:
    """Return `name` for an axis or annotation, cut in the middle when longer than `limit`.

    Plotly interprets some HTML in its texts; a rater called `<a href=...>` must not become a link.
    """
    return escaped(shortened(name, limit))


def wrapped_label(name: str, width: int = 24) -> str:
    """Return `name` for an axis of rows, on two lines if longer than `width`, shortened to fit them."""
    one_line = " ".join(name.split())
    if len(one_line) <= width:
        return escaped(one_line)
    spaces = [cut_at for cut_at, letter in enumerate(one_line) if letter == " " and cut_at <= width]
    cut_at = spaces[-1] if spaces else width
    return f"{escaped(one_line[:cut_at])}<br>{escaped(shortened(one_line[cut_at:], width))}"


def escaped(words: str) -> str:
    """Return a text with HTML and `%{...}` escaped, which plotly would interpret."""
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return words.replace("%{", "&#37;{")


def shortened(name: str, limit: int = 28) -> str:
    """Return a text on one line, its middle replaced by "…" if it is longer than `limit`."""
    one_line = " ".join(name.split())
    if len(one_line) > limit:
        head = (limit - 1) * 2 // 3
        one_line = f"{one_line[:head]}…{one_line[-(limit - 1 - head) :]}"
    return one_line


def spread_out(places: Sequence[float], *, step: float, top: float) -> list[float]:
    """Return ascending places spread out to be at least `step` apart, none above `top`."""
    spread: list[float] = []
    for place in places:
        spread.append(max(place, spread[-1] + step) if spread else place)
    ceiling = top
    for index in reversed(range(len(spread))):
        spread[index] = min(spread[index], ceiling)
        ceiling = spread[index] - step
    return spread
