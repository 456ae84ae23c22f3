"""Which ordinary unit a rater gets next: the rules, without a database.

Each unit is to be rated by `k` people. It is *taken* by everyone who finished it and by everyone who has it
on the screen under a running lease; when a lease expires, its place is free again. No one gets a unit twice.
Units that others have started come first, so that none stays half rated. If items have groups, a person gets
the groups in turn. Checks, repeats and training are decided elsewhere (`interleaving`, `assigning`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

PRIME = 2_147_483_647
PLENTY = 50  # with this many open units, the units on one rater's screen leave enough for the others


class Candidate(NamedTuple):
    """A unit that could be assigned to a person.

    Args:
        unit: the unit's row id.
        other_raters: how many other people finished it or hold it now.
        own_state: the person's earlier assignment: "leased" if its lease expired, "skipped", or "" for none.
        group: the group of its item.
        turn: its position among the units proposed to be rated next; None if it is not proposed.
    """

    unit: int
    other_raters: int
    own_state: str = ""
    group: str = ""
    turn: int | None = None


class Order(Protocol):
    """An order of a project's units."""

    def sort_key(self, unit: Any) -> Any:
        """Return the sort key of `unit`: a number for a number, SQL for a column."""


class FileOrder(NamedTuple):
    """The order of the imported file, the same for everybody."""

    def sort_key(self, unit: Any) -> Any:
        """Return the unit itself."""
        return unit


class Shuffle(NamedTuple):
    """One person's random order of a project's units, as two numbers with which a database can sort too."""

    factor: int
    offset: int

    def sort_key(self, unit: Any) -> Any:
        """Return the sort key of `unit`: a number for a number, SQL for a column."""
        mixed = (unit * self.factor + self.offset) % PRIME
        return mixed * mixed % PRIME  # squared, since otherwise neighbours would all have the same distance


def rater_shuffle(person: int, project: int) -> Shuffle:
    """Return this person's random order in this project, the same at every call."""
    digest = sha256(f"{project}/{person}".encode()).digest()
    factor, offset = (int.from_bytes(part, "big") % (PRIME - 1) + 1 for part in (digest[:8], digest[8:16]))
    return Shuffle(factor, offset)


def rater_order(person: int, project: int, *, file_order: bool = False) -> Order:
    """Return the order in which this person gets the project's units."""
    return FileOrder() if file_order else rater_shuffle(person, project)


def occupies_place(state: str, lease_until: datetime | None, *, now: datetime) -> bool:
    """Return whether an assignment takes one of the unit's places; surplus, skipped and expired do not."""
    return state == "done" or (state == "leased" and lease_until is not None and lease_until > now)


def fair_share(target: int, *, left: int, active: int) -> int:
    """Return how many units one person may hold: `target`, or a fair share when few are left."""
    if left >= PLENTY:
        return target
    return max(1, min(target, left // max(active, 1)))


def choose_units(
    candidates: Sequence[Candidate],
    *,
    target: int,
    k: int,
    order: Order,
    held: int = 0,
    active: int = 1,
    served: Mapping[str, int] | None = None,
) -> list[int]:
    """Return the units to assign to a person now, in order.

    First the units they had started themselves, then those that others started, then untouched ones, each in
    the person's order, with proposed units first; with a `FileOrder`, units that others started get no
    priority. Skipped units come back only when nothing else is left.

    Args:
        candidates: units that the person neither finished nor returned.
        target: how many the person should hold in the end.
        k: raters for each unit.
        order: the person's order.
        held: how many they hold already.
        active: people who rate in this project now.
        served: how many units of each group the person got so far; None to ignore groups.
    """
    free = [candidate for candidate in candidates if candidate.other_raters < k]
    not_skipped = [candidate for candidate in free if candidate.own_state != "skipped"]
    nothing_else = not not_skipped and held == 0
    begun_first = not isinstance(order, FileOrder)
    ranked = sorted(
        free if nothing_else else not_skipped,
        key=lambda candidate: (
            candidate.own_state != "leased",
            -candidate.other_raters if begun_first else 0,
            candidate.turn is None,
            candidate.turn or 0,
            order.sort_key(candidate.unit),
            candidate.unit,
        ),
    )
    places = max(fair_share(target, left=len(ranked) + held, active=active) - held, 0)
    if served is not None:
        ranked = _groups_in_turn(ranked, served, places=places)
    return [candidate.unit for candidate in ranked[:places]]


def _groups_in_turn(
    ranked: Sequence[Candidate], served: Mapping[str, int], *, places: int
) -> list[Candidate]:
    """Return `places` units, each of the group with the fewest so far; started ones stay first."""
    chosen = [candidate for candidate in ranked if candidate.own_state == "leased"][:places]
    count = dict(served)
    for candidate in chosen:
        count[candidate.group] = count.get(candidate.group, 0) + 1
    queues: dict[str, list[Candidate]] = {}
    for candidate in ranked:
        if candidate.own_state != "leased":
            queues.setdefault(candidate.group, []).append(candidate)
    rank = {candidate.unit: position for position, candidate in enumerate(ranked)}
    while len(chosen) < places and queues:
        group = min(queues, key=lambda name: (count.get(name, 0), rank[queues[name][0].unit]))
        chosen.append(queues[group].pop(0))
        count[group] = count.get(group, 0) + 1
        if not queues[group]:
            del queues[group]
    return chosen
