"""All problems of an import, of which the first are kept and the rest counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from judgelab.domain import Problem
from judgelab.wording import counted, sentence

MAX_PROBLEMS = 200  # nobody mends more at once, and a wrong mapping makes one per row
MAX_MESSAGE = 600  # characters of a message; more of a cell than that helps nobody
MAX_NAMES = 12  # columns named in a message about all of them


class ProblemLog:
    """Notes problems; keeps the first `MAX_PROBLEMS` and counts all.

    `source` is put in front of each message while it is set: the file's name, where there are several.
    """

    def __init__(self) -> None:
        self.kept: list[Problem] = []
        self.count = 0
        self.source = ""

    def append(self, problem: Problem) -> None:
        """Note a problem."""
        self.count += 1
        if len(self.kept) == MAX_PROBLEMS:
            return
        message = shortened(problem.message)
        if self.source:
            message = in_file(self.source, message)
        column = problem.column and shortened(problem.column, 80)
        self.kept.append(replace(problem, message=message, column=column))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note several problems."""
        for problem in problems:
            self.append(problem)

    def take(self, other: ProblemLog) -> None:
        """Move all problems of another log here."""
        self.extend(other.kept)
        self.count += other.count - len(other.kept)
        other.kept, other.count = [], 0

    def listing(self) -> tuple[Problem, ...]:
        """Return the kept problems and, last, how many more there are."""
        more = self.count - len(self.kept)
        rest = counted(
            "{n} more problem is not listed; mend these first",
            "{n} more problems are not listed; mend these first",
            more,
        )
        return (*self.kept, Problem(rest)) if more else tuple(self.kept)


def in_file(name: str, message: str) -> str:
    """Return a message with the name of the file that it is about in front."""
    return sentence("{file}: {message}", file=name, message=message)


def shortened(text: str, most: int = MAX_MESSAGE) -> str:
    """Return the text, or its beginning and its end when it is longer than `most`.

    >>> shortened("a very long name", 11)
    'a ver...g name'
    """
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head]}...{text[head - most :]}"


def listing(names: Sequence[str]) -> str:
    """Return the names with commas between, the first few of many.

    >>> listing(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(f"'{shortened(name, 80)}'" for name in names[:MAX_NAMES])
    more = len(names) - MAX_NAMES
    return counted("{names} and {n} more", "{names} and {n} more", more, names=shown) if more > 0 else shown
