"""Who gets which answer next: the rules, without a database.

An answer is wanted from `k` raters. It is *taken* by everyone who finished it and by everyone who has
it on the screen under a lease that still runs. Nobody gets an answer twice; a lease that ran out is free
again. What was begun is finished first, so that no answer waits for ever half rated. Where items have
groups, a person gets the groups in turn. Checks, repeats and training are not decided here (`interleaving`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

PRIME = 2_147_483_647
PLENTY = 50  # with this many answers open, nobody's prefetching leaves another without work


class Candidate(NamedTuple):
    """A unit that could be given to a person.

    Args:
        unit: the unit's row id.
        taken: how many other people finished it or hold it now.
        own: what the person did with it before: "leased" when their lease ran out, "skipped", or nothing.
        group: the group of its item.
        turn: its place among the units proposed to be rated next; None where it is none of them.
    """

    unit: int
    taken: int
    own: str = ""
    group: str = ""
    turn: int | None = None


class Order(Protocol):
    """An order of a project's units."""

    def place(self, unit: Any) -> Any:
        """Return where `unit` stands: a number for a number, SQL for a column."""


class FileOrder(NamedTuple):
    """The order in which the units came, the same for everybody."""

    def place(self, unit: Any) -> Any:
        """Return the unit itself."""
        return unit


class Shuffle(NamedTuple):
    """One person's order of a project's answers, as two numbers that a database can work with too."""

    factor: int
    offset: int

    def place(self, unit: Any) -> Any:
        """Return where `unit` stands in the order: a number for a number, SQL for a column."""
        mixed = (unit * self.factor + self.offset) % PRIME
        return mixed * mixed % PRIME  # squared, since neighbours would keep equal distances otherwise


def rater_shuffle(person: int, project: int) -> Shuffle:
    """Return the order of this person in this project, the same at every call."""
    digest = sha256(f"{project}/{person}".encode()).digest()
    factor, offset = (int.from_bytes(part, "big") % (PRIME - 1) + 1 for part in (digest[:8], digest[8:16]))
    return Shuffle(factor, offset)


def rater_order(person: int, project: int, *, file_order: bool = False) -> Order:
    """Return in which order this person gets the project's units."""
    return FileOrder() if file_order else rater_shuffle(person, project)


def occupies_place(state: str, lease_until: datetime | None, *, now: datetime) -> bool:
    """Return whether an assignment takes one of the answer's places; surplus, skipped and expired do not."""
    return state == "done" or (state == "leased" and lease_until is not None and lease_until > now)


def fair_share(wanted: int, *, left: int, active: int) -> int:
    """Return how many answers one person may hold: `wanted`, or a fair part when few are left."""
    if left >= PLENTY:
        return wanted
    return max(1, min(wanted, left // max(active, 1)))


def choose_units(
    candidates: Sequence[Candidate],
    *,
    wanted: int,
    k: int,
    order: Order,
    held: int = 0,
    active: int = 1,
    served: Mapping[str, int] | None = None,
) -> list[int]:
    """Return the answers to give to a person now, first one first.

    First what they had begun themselves, then what others began, then the untouched, each in the
    person's own order, where proposed units come first; in the order of the file, that order alone
    counts. What they skipped comes back only when nothing else is left.

    Args:
        candidates: answers that the person neither finished nor gave back, with who has them.
        wanted: how many the person should hold in the end.
        k: raters wanted for each answer.
        order: the person's order.
        held: how many they hold already.
        active: people who rate in this project now.
        served: how many the person was given of each group; None to leave groups out of it.
    """
    free = [c for c in candidates if c.taken < k]
    fresh = [c for c in free if c.own != "skipped"]
    nothing_else = not fresh and held == 0
    begun_first = not isinstance(order, FileOrder)
    ranked = sorted(
        free if nothing_else else fresh,
        key=lambda c: (
            c.own != "leased",
            -c.taken if begun_first else 0,
            c.turn is None,
            c.turn or 0,
            order.place(c.unit),
            c.unit,
        ),
    )
    places = max(fair_share(wanted, left=len(ranked) + held, active=active) - held, 0)
    if served is not None:
        ranked = _groups_in_turn(ranked, served, places=places)
    return [c.unit for c in ranked[:places]]


def _groups_in_turn(
    ranked: Sequence[Candidate], served: Mapping[str, int], *, places: int
) -> list[Candidate]:
    """Return the first `places`, each from the group that the person had least of; the begun stay first."""
    chosen = [c for c in ranked if c.own == "leased"][:places]
    count = dict(served)
    for candidate in chosen:
        count[candidate.group] = count.get(candidate.group, 0) + 1
    queues: dict[str, list[Candidate]] = {}
    for candidate in ranked:
        if candidate.own != "leased":
            queues.setdefault(candidate.group, []).append(candidate)
    rank = {candidate.unit: position for position, candidate in enumerate(ranked)}
    while len(chosen) < places and queues:
        group = min(queues, key=lambda g: (count.get(g, 0), rank[queues[g][0].unit]))
        chosen.append(queues[group].pop(0))
        count[group] = count.get(group, 0) + 1
        if not queues[group]:
            del queues[group]
    return chosen
