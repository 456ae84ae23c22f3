"""A log of all problems of an import: the first ones are kept, the rest are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from judgelab.domain import Problem
from judgelab.wording import counted, sentence

MAX_PROBLEMS = 200  # a wrong mapping gives one per row, and more would not be read
MAX_MESSAGE = 600  # characters
MAX_NAMES = 12  # names listed in a message


class ProblemLog:
    """Collects problems: keeps the first `MAX_PROBLEMS` and counts all.

    While `source` is set, it is put in front of each message: the file's name, if there are several files.
    """

    def __init__(self) -> None:
        self.kept: list[Problem] = []
        self.count = 0
        self.source = ""

    def append(self, problem: Problem) -> None:
        """Add a problem."""
        self.count += 1
        if len(self.kept) == MAX_PROBLEMS:
            return
        message = shortened(problem.message)
        if self.source:
            message = in_file(self.source, message)
        column = problem.column and shortened(problem.column, 80)
        self.kept.append(replace(problem, message=message, column=column))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add several problems."""
        for problem in problems:
            self.append(problem)

    def take(self, other: ProblemLog) -> None:
        """Move all problems of another log here."""
        self.extend(other.kept)
        self.count += other.count - len(other.kept)
        other.kept, other.count = [], 0

    def listing(self) -> tuple[Problem, ...]:
        """Return the kept problems, followed by the number of further ones."""
        more = self.count - len(self.kept)
        rest = counted(
            "{n} more problem is not listed; fix these first",
            "{n} more problems are not listed; fix these first",
            more,
        )
        return (*self.kept, Problem(rest)) if more else tuple(self.kept)


def in_file(name: str, message: str) -> str:
    """Return a message with the file's name in front."""
    return sentence("{file}: {message}", file=name, message=message)


def shortened(text: str, most: int = MAX_MESSAGE) -> str:
    """Return the text, or its beginning and end if it is longer than `most`.

    >>> shortened("a very long name", 11)
    'a ver...g name'
    """
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head]}...{text[head - most :]}"


def listing(names: Sequence[str]) -> str:
    """Return the names separated by commas, or the first few of many.

    >>> listing(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(f"'{shortened(name, 80)}'" for name in names[:MAX_NAMES])
    more = len(names) - MAX_NAMES
    return counted("{names} and {n} more", "{names} and {n} more", more, names=shown) if more > 0 else shown
