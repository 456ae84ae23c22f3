"""Which units a run judges, and in which chunks. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple, overload

from judgelab.runs.plan.spec import Selection
from judgelab.store.judging.runs import CandidateResponse

ALL = "*"
LARGEST_CHUNK = 200
SMALLEST_CHUNK = 10
CHUNKS_A_RUN = 16


class PlannedUnit(NamedTuple):
    """One response under one criterion, or under all ("*") when the protocol asks them together.

    Where an item is judged as a whole, `members` are the row ids of its responses, of which `response_id` is
    the first.
    """

    response_id: int
    criteria: str
    members: tuple[int, ...] = ()


class PositionRange(NamedTuple):
    """The positions low to high - 1 of a run."""

    low: int
    high: int


def select_responses(
    candidates: Sequence[CandidateResponse], selection: Selection, *, excluded: Collection[int] = ()
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


class UnitsOfSize(NamedTuple):
    """How many units have as many members, and the place of one of them."""

    units: int
    example_position: int


class PlannedUnits(Sequence[PlannedUnit]):
    """The units of a run in the order they are judged: all criteria of a response or an item stand together.

    Each is made when it is asked for: the estimate of a run of 100,000 looks at a few.

    Args:
        responses: the row id of the response that each of them is, or begins with.
        members: where items are judged as a whole, the responses of each.
        criteria: the keys, or "*" for all together.
    """

    def __init__(
        self, responses: Sequence[int], members: Sequence[tuple[int, ...]] | None, criteria: Sequence[str]
    ) -> None:
        self._responses, self._members, self._criteria = responses, members, criteria

    def __len__(self) -> int:
        return len(self._responses) * len(self._criteria)

    @overload
    def __getitem__(self, place: int) -> PlannedUnit: ...

    @overload
    def __getitem__(self, place: slice) -> list[PlannedUnit]: ...

    def __getitem__(self, place: int | slice) -> PlannedUnit | list[PlannedUnit]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        which, key = divmod(range(len(self))[place], len(self._criteria))
        return PlannedUnit(
            self._responses[which], self._criteria[key], self._members[which] if self._members else ()
        )

    def sizes(self) -> dict[int, UnitsOfSize]:
        """Return what there is of each number of members, 0 for single responses."""
        if self._members is None:
            return {0: UnitsOfSize(len(self), len(self) - 1)}
        a_group = len(self._criteria)
        last = {len(members): which * a_group for which, members in enumerate(self._members)}
        number = Counter(map(len, self._members))
        return {size: UnitsOfSize(number[size] * a_group, place) for size, place in last.items()}

    def members_with(self, response: int) -> tuple[int, ...]:
        """Return the members of the comparison unit with this response; () if there is none."""
        return next((members for members in self._members or () if response in members), ())


def plan_units(
    responses: Sequence[int], criteria: Sequence[str], asks: Literal["each", "all"]
) -> PlannedUnits:
    """Return the units of responses."""
    return PlannedUnits(responses, None, [ALL] if asks == "all" else criteria)


def plan_items(
    items: Sequence[Sequence[int]], criteria: Sequence[str], asks: Literal["each", "all"]
) -> PlannedUnits:
    """Return the units of items that are judged as a whole, given the responses of each."""
    members = [tuple(each) for each in items]
    return PlannedUnits([each[0] for each in members], members, [ALL] if asks == "all" else criteria)


def by_item(
    candidates: Sequence[CandidateResponse],
    responses: Sequence[int],
    *,
    least: int = 1,
    limit: int | None = None,
) -> dict[int, list[int]]:
    """Return the responses by item: of items that have at least so many, and of so many items at most."""
    item_of = {c.response_id: c.item_id for c in candidates}
    grouped: dict[int, list[int]] = {}
    for response in responses:
        grouped.setdefault(item_of[response], []).append(response)
    enough = [(item, members) for item, members in grouped.items() if len(members) >= least]
    return dict(enough[:limit])


def chunk_size(units: int) -> int:
    """Return how many units make a chunk: small runs are spread over workers too, large ones stay cheap.

    A freed slot is filled at the engine's next poll, so chunks must not be tiny (`design/engine.md`).
    """
    return max(SMALLEST_CHUNK, min(LARGEST_CHUNK, -(-units // CHUNKS_A_RUN)))


def position_ranges(waiting: Sequence[int], size: int) -> Iterator[PositionRange]:
    """Yield chunks of at most `size` waiting positions; `waiting` is in order."""
    for start in range(0, len(waiting), size):
        part = waiting[start : start + size]
        yield PositionRange(part[0], part[-1] + 1)
