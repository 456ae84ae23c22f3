"""One line of the doctor: what was looked at, what was found, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "look", "broken"]


@dataclass(frozen=True)
class Finding:
    """What was found of one thing.

    Attributes:
        topic: what was looked at.
        state: `ok`; `look`: works, but somebody should know; `broken`: does not work.
        said: what was found.
        remedy: what to do, "" where nothing is to be done.
    """

    topic: str
    state: State
    said: str
    remedy: str = ""


def ok(topic: str, said: str) -> Finding:
    """Return a finding with nothing to do."""
    return Finding(topic, "ok", said)


def look(topic: str, said: str, remedy: str) -> Finding:
    """Return a finding that needs attention."""
    return Finding(topic, "look", said, remedy)


def broken(topic: str, said: str, remedy: str = "") -> Finding:
    """Return a finding of something that does not work."""
    return Finding(topic, "broken", said, remedy)
