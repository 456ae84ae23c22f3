"""Who gets which answer next: the rules, without a database.

An answer is wanted from `k` raters. It is *taken* by everyone who finished it and by everyone who has
it on the screen under a lease that still runs. Nobody gets an answer twice; a lease that ran out is free
again. What was begun is finished first, so that no answer waits for ever half rated.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

PRIME = 2_147_483_647
ENOUGH = 50  # with this many answers open, nobody's prefetching leaves another without work


class Candidate(NamedTuple):
    """A unit that could be given to a person.

    Args:
        unit: the unit's row id.
        taken: how many other people finished it or hold it now.
        own: what the person did with it before: "leased" when their lease ran out, "skipped", or nothing.
    """

    unit: int
    taken: int
    own: str = ""


class Shuffle(NamedTuple):
    """One person's order of a project's answers, as two numbers that a database can work with too."""

    factor: int
    offset: int

    def place(self, unit: Any) -> Any:
        """Return where `unit` stands in the order: a number for a number, SQL for a column."""
        mixed = (unit * self.factor + self.offset) % PRIME
        return mixed * mixed % PRIME  # squared, since neighbours would keep equal distances otherwise


def shuffle_of(person: int, project: int) -> Shuffle:
    """Return the order of this person in this project, the same at every call."""
    digest = sha256(f"{project}/{person}".encode()).digest()
    factor, offset = (int.from_bytes(part, "big") % (PRIME - 1) + 1 for part in (digest[:8], digest[8:16]))
    return Shuffle(factor, offset)


def occupies(state: str, lease_until: datetime | None, *, now: datetime) -> bool:
    """Return whether an assignment takes one of the answer's places; surplus, skipped and expired do not."""
    return state == "done" or (state == "leased" and lease_until is not None and lease_until > now)


def share(wanted: int, *, left: int, active: int) -> int:
    """Return how many answers one person may hold: `wanted`, or a fair part when few are left."""
    if left >= ENOUGH:
        return wanted
    return max(1, min(wanted, left // max(active, 1)))


def choose(
    candidates: Sequence[Candidate],
    *,
    wanted: int,
    k: int,
    shuffle: Shuffle,
    held: int = 0,
    active: int = 1,
) -> list[int]:
    """Return the answers to give to a person now, first one first.

    First what they had begun themselves, then what others began, then the untouched, each in the
    person's own random order. What they skipped comes back only when nothing else is left.

    Args:
        candidates: answers that the person neither finished nor gave back, with who has them.
        wanted: how many the person should hold in the end.
        k: raters wanted for each answer.
        shuffle: the person's order.
        held: how many they hold already.
        active: people who rate in this project now.
    """
    free = [c for c in candidates if c.taken < k]
    fresh = [c for c in free if c.own != "skipped"]
    nothing_else = not fresh and held == 0
    ranked = sorted(
        free if nothing_else else fresh,
        key=lambda c: (c.own != "leased", -c.taken, shuffle.place(c.unit), c.unit),
    )
    places = share(wanted, left=len(ranked) + held, active=active) - held
    return [c.unit for c in ranked[: max(places, 0)]]
