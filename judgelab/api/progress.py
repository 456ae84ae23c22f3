"""One line of progress on the standard error stream, for work that takes more than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType

WAIT_SECONDS = 1.0  # quick work shows nothing
STEP_SECONDS = 0.2
WIDTH = 20


class Progress:
    """A line that is written anew as the work goes on, on a terminal and in a notebook.

    Args:
        noun: what is counted, in the plural.
        shown: whether to write it at all.
    """

    def __init__(self, noun: str, *, shown: bool) -> None:
        self._noun, self._shown = noun, shown
        self._began = self._told = time.monotonic()
        self._width, self._said = 0, ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            print(file=sys.stderr, flush=True)

    def tell(self, done: int, total: int, note: str = "") -> None:
        """Write how much is done; nothing in the first second, nor several times at once."""
        now = time.monotonic()
        passed = now - self._began
        due = now - self._told >= STEP_SECONDS or (done == total and self._width)
        if not self._shown or passed < WAIT_SECONDS or not due:
            return
        self._told = now
        share = done / total if total else 1.0
        left = f", {_duration(passed / share - passed)} left" if 0 < done < total else ""
        bar = "█" * round(WIDTH * share) + "░" * (WIDTH - round(WIDTH * share))
        line = f"{bar} {done:,} of {total:,} {self._noun}, {_duration(passed)}{left}{note and f', {note}'}"
        print(f"\r{line.ljust(self._width)}", end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def say(self, text: str) -> None:
        """Write what delays the work on a line of its own, once; nothing if nothing does."""
        if self._shown and text and text != self._said:
            print(f"\r{text.ljust(self._width)}", file=sys.stderr, flush=True)
            self._width, self._said = 0, text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
