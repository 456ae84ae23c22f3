"""One line of progress on the standard error stream, for work that takes more than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType

WAIT_SECONDS = 1.0  # quick work shows nothing
STEP_SECONDS = 0.2
LINE_SECONDS = 60.0  # between lines in a file, which cannot be written anew
WIDTH = 20


class Progress:
    """A line that is written anew as the work goes on, on a terminal and in a notebook; else one a minute.

    Args:
        noun: what is counted, in the plural.
        shown: whether to write it at all.
    """

    def __init__(self, noun: str, *, shown: bool) -> None:
        self._noun, self._shown = noun, shown and sys.stderr is not None
        self._renewed = self._shown and _can_renew()
        self._wait, self._step = (WAIT_SECONDS, STEP_SECONDS) if self._renewed else (LINE_SECONDS,) * 2
        self._began = self._told = time.monotonic()
        self._width, self._said = 0, ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._renewed and self._width:
            print(file=sys.stderr, flush=True)

    def tell(self, done: int, total: int, note: str = "") -> None:
        """Write how much is done; nothing at first, nor several times at once."""
        now = time.monotonic()
        passed = now - self._began
        due = now - self._told >= self._step or (done == total and self._width)
        if not self._shown or passed < self._wait or not due:
            return
        self._told = now
        share = done / total if total else 1.0
        left = f", {_duration(passed / share - passed)} left" if 0 < done < total else ""
        bar = "█" * round(WIDTH * share) + "░" * (WIDTH - round(WIDTH * share))
        line = f"{bar} {done:,} of {total:,} {self._noun}, {_duration(passed)}{left}{note and f', {note}'}"
        self._write(line, end="" if self._renewed else "\n")
        self._width = len(line)

    def say(self, text: str) -> None:
        """Write what delays the work on a line of its own, once; nothing if nothing does."""
        if self._shown and text and text != self._said:
            self._write(text, end="\n")
            self._width, self._said = 0, text

    def _write(self, line: str, end: str) -> None:
        line = f"\r{line.ljust(self._width)}" if self._renewed else line
        print(line, end=end, file=sys.stderr, flush=True)


def _can_renew() -> bool:
    """Return whether a line can be written anew: on a terminal, and in a notebook, which is none."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
