"""Where the characters of a block, whose markers are cut off, stand in the text it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from judgelab.rendering.tree import Piece

LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class Lines:
    """The lines of a text without their ends, and where each begins; the last place is the text's end."""

    lines: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Return the lines as Markdown counts them."""
        ends = [found.span() for found in LINE_END.finditer(text)]
        starts = (0, *(end for _start, end in ends))
        lines = tuple(
            text[start:end]
            for start, end in zip(starts, [*(start for start, _end in ends), len(text)], strict=True)
        )
        return cls(lines, (*starts, len(text)))

    def places(self, content: str, first: int) -> list[int] | None:
        """Return the place of each character of a block that begins on line `first`, and of its end.

        Each line of the block ends as a line of the text does, cut off on the left; None if one does not.
        """
        places: list[int] = []
        at = 0
        for offset, line in enumerate(content.split("\n")):
            number = first + offset
            if number >= len(self.lines):
                return [*places, self.starts[-1]] if offset and not line else None
            whole = self.lines[number]
            # Of a tab that is partly indentation, the block has spaces: they have the place of what follows.
            tries = ((kept, said) for said in (line, line.lstrip(" ")) for kept in (whole, whole.rstrip()))
            kept, said = next((pair for pair in tries if pair[0].endswith(pair[1])), (None, line))
            if kept is None:
                return None
            at = self.starts[number] + len(kept) - len(said)
            places += [at] * (len(line) - len(said))
            places += [*range(at, at + len(said)), self.starts[number + 1] - 1]  # its end, of two the last
        places[-1] = at + len(said)
        return places


def pieces(places: Sequence[int], start: int, end: int) -> tuple[Piece, ...]:
    """Return characters `start` to `end` of a block, one piece for each run that is unbroken in the text."""
    if start == end:
        return ()
    stands = [at for at in range(start, end) if at + 1 == len(places) or places[at] != places[at + 1]]
    if not stands:
        return ()
    cuts = [
        0,
        *(k for k in range(1, len(stands)) if places[stands[k]] != places[stands[k - 1]] + 1),
        len(stands),
    ]
    return tuple(Piece(places[stands[begin]], places[stands[stop - 1]] + 1) for begin, stop in pairwise(cuts))
