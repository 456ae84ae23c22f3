"""Where the names of marks are written so that they cover neither each other nor another mark."""

from __future__ import annotations

from collections.abc import Sequence

# In plotly's words, the preferred one first.
POSITIONS = (
    "top center", "middle right", "middle left", "bottom center",
    "top right", "top left", "bottom right", "bottom left",
)  # fmt: skip
WIDTHS = (260, 500, 800)  # pixels of the plot: on a phone, in half of a page, over a whole page
LETTER, LINE = 6.2, 14  # pixels of a letter and a line at size 11
MARK = 6  # pixels from the centre of a mark to its edge and the start of its name
Box = tuple[float, float, float, float]  # left, top, right, bottom


def text_positions(
    names: Sequence[str],
    places: Sequence[tuple[float, float]],
    *,
    limits: tuple[float, float],
    height: float,
) -> list[str]:
    """Return where each mark's name is written; the best place left if every place covers something.

    Args:
        names: as written.
        places: x and y of each mark.
        limits: ends of both axes.
        height: of the plot in pixels. Its width is not known, so a place must be free at all `WIDTHS`.
    """
    low, span = limits[0], (limits[1] - limits[0]) or 1.0
    chosen: list[str] = []
    for index, name in enumerate(names):
        costs = []
        for position in POSITIONS:
            cost = 0.0
            for width in WIDTHS:
                centres = [((x - low) / span * width, (1 - (y - low) / span) * height) for x, y in places]
                box = _box(name, centres[index], position)
                marks = [_mark_box(centre) for k, centre in enumerate(centres) if k != index]
                written = [_box(names[k], centres[k], at) for k, at in enumerate(chosen)]
                cost += sum(_shared(box, other) for other in (*marks, *written))
                cost += _area(box) - _shared(box, (0, -LINE, width, height))
            costs.append(cost)
        chosen.append(POSITIONS[costs.index(min(costs))])
    return chosen


def _box(name: str, centre: tuple[float, float], position: str) -> Box:
    """Return the box of a name written at a mark."""
    (x, y), width = centre, len(name) * LETTER
    vertical, horizontal = position.split()
    left = {"left": x - MARK - width, "center": x - width / 2, "right": x + MARK}[horizontal]
    top = {"top": y - MARK - LINE, "middle": y - LINE / 2, "bottom": y + MARK}[vertical]
    return left, top, left + width, top + LINE


def _mark_box(centre: tuple[float, float]) -> Box:
    x, y = centre
    return x - MARK, y - MARK, x + MARK, y + MARK


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _shared(first: Box, second: Box) -> float:
    """Return the area that two boxes share."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    return max(width, 0.0) * max(height, 0.0)
