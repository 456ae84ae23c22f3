"""Which units a run judges, and in which portions. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from judgelab.runs.spec import Selection
from judgelab.store.runs import Candidate

ALL = "*"
LARGEST_CHUNK = 200
SMALLEST_CHUNK = 10
CHUNKS_A_RUN = 16


class Unit(NamedTuple):
    """One response under one criterion, or under all ("*") when the protocol asks them together.

    Where an item is judged as a whole, `members` are the row ids of its responses, of which `response_id` is
    the first.
    """

    response_id: int
    criteria: str
    members: tuple[int, ...] = ()


class Span(NamedTuple):
    """The positions low to high - 1 of a run."""

    low: int
    high: int


def select_responses(
    candidates: Sequence[Candidate], selection: Selection, *, excluded: Collection[int] = ()
) -> list[int]:
    """Return the ids of the responses to judge, in order; `excluded` ones (demonstrations) never."""
    out, only = frozenset(excluded), frozenset(selection.responses or ())
    chosen = [
        c.response_id
        for c in candidates
        if c.response_id not in out
        and (not only or c.response_id in only)
        and (not selection.systems or c.system in selection.systems)
        and (not selection.groups or c.group in selection.groups)
    ]
    return chosen[: selection.limit] if selection.limit is not None else chosen


def plan_units(responses: Sequence[int], criteria: Sequence[str], asks: Literal["each", "all"]) -> list[Unit]:
    """Return the units in the order they are judged: all criteria of a response stand together."""
    keys = [ALL] if asks == "all" else criteria
    return [Unit(response, key) for response in responses for key in keys]


def plan_items(
    items: Sequence[Sequence[int]], criteria: Sequence[str], asks: Literal["each", "all"]
) -> list[Unit]:
    """Return the units of items that are judged as a whole, given the responses of each."""
    keys = [ALL] if asks == "all" else criteria
    return [Unit(members[0], key, tuple(members)) for members in items for key in keys]


def by_item(
    candidates: Sequence[Candidate], responses: Sequence[int], *, least: int = 1, limit: int | None = None
) -> dict[int, list[int]]:
    """Return the responses by item: of items that have at least so many, and of so many items at most."""
    item_of = {c.response_id: c.item_id for c in candidates}
    found: dict[int, list[int]] = {}
    for response in responses:
        found.setdefault(item_of[response], []).append(response)
    enough = [(item, members) for item, members in found.items() if len(members) >= least]
    return dict(enough[:limit])


def chunk_size(units: int) -> int:
    """Return how many units make a portion: small runs are spread over workers too, large ones stay cheap.

    A freed slot is filled at the engine's next poll, so portions must not be tiny (`design/engine.md`).
    """
    return max(SMALLEST_CHUNK, min(LARGEST_CHUNK, -(-units // CHUNKS_A_RUN)))


def spans(waiting: Sequence[int], size: int) -> Iterator[Span]:
    """Yield portions of at most `size` waiting positions; `waiting` is in order."""
    for start in range(0, len(waiting), size):
        part = waiting[start : start + size]
        yield Span(part[0], part[-1] + 1)
