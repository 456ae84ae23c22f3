"""What comes next between ordinary units: attention checks, units with a known score, repeats.

Each kind has its own rhythm: one in every stretch of N ordinary units, at a place within the stretch that
nobody can foresee. Places follow from the person and the project, so that nothing needs to be remembered
but what was given.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from judgelab.annotation.rating.settings import EXTRA_PURPOSES, AssignmentPolicy
from judgelab.store.rating.assignments import PlannedUnit


@dataclass(frozen=True)
class ExtrasGiven:
    """What a person was given so far.

    Args:
        extras: how many of each kind of `EXTRA_PURPOSES`.
        since: how many ordinary units came after the last one of each kind, or at all if there was none.
    """

    extras: Mapping[str, int] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)


def extras_given(purposes: Sequence[str]) -> ExtrasGiven:
    """Return what was given from the purposes in the order given."""
    extras, since = dict.fromkeys(EXTRA_PURPOSES, 0), dict.fromkeys(EXTRA_PURPOSES, 0)
    for purpose in purposes:
        if purpose in extras:
            extras[purpose], since[purpose] = extras[purpose] + 1, 0
        else:
            since = {kind: count + 1 for kind, count in since.items()}
    return ExtrasGiven(extras, since)


def gap(number: int, every: float, *, seed: str) -> int:
    """Return how many ordinary units stand before extra `number` (from 0), counted from the one before it.

    Extra j stands within stretch j, less than half a stretch before its end, so that the promised share
    holds at the end of every stretch.
    """
    return max(
        1, _position_of_extra(number + 1, every, seed=seed) - _position_of_extra(number, every, seed=seed)
    )


def is_due(extra: str, policy: AssignmentPolicy, mixed: ExtrasGiven, *, seed: str) -> bool:
    """Return whether one of this kind comes now."""
    every = policy.every(extra)
    if every <= 0:
        return False
    wait = gap(mixed.extras.get(extra, 0), every, seed=f"{seed}/{extra}")
    return mixed.since.get(extra, 0) >= wait


def interleave(
    work: Sequence[int],
    extras: Mapping[str, Sequence[PlannedUnit]],
    *,
    policy: AssignmentPolicy,
    mixed: ExtrasGiven,
    seed: str,
    wanted: int,
) -> list[PlannedUnit]:
    """Return up to `wanted` units to give now, first one first.

    Args:
        work: ordinary units that are free for the person, best first.
        extras: what there is of each kind of `EXTRA_PURPOSES`, best first.
        policy: the project's rules.
        mixed: what the person was given so far.
        seed: names the person in the project.
        wanted: how many places are to be filled.
    """
    waiting, stock = list(work), {kind: list(extras.get(kind, ())) for kind in EXTRA_PURPOSES}
    count, since = dict(mixed.extras), dict(mixed.since)
    given: list[PlannedUnit] = []
    while len(given) < wanted:
        kind = _next_extra(stock, policy, ExtrasGiven(count, since), seed=seed)
        if kind is not None:
            place = stock[kind].pop(0)
            given.append(place)
            count[kind], since[kind] = count.get(kind, 0) + 1, 0
            waiting = [unit for unit in waiting if unit != place.unit]
        elif waiting:
            unit = waiting.pop(0)
            given.append(PlannedUnit(unit))
            since = {kind: since.get(kind, 0) + 1 for kind in EXTRA_PURPOSES}
            stock["gold"] = [place for place in stock["gold"] if place.unit != unit]
        else:
            break
    return given


def expected_extras(left: int, available: Mapping[str, int], *, policy: AssignmentPolicy) -> int:
    """Return how many extras will come between `left` ordinary units, about."""
    found = 0
    for kind in EXTRA_PURPOSES:
        every = policy.every(kind)
        if every > 0:
            found += min(int(left / every), available.get(kind, 0))
    return found


def repeatable(finished: Sequence[PlannedUnit], *, after: int, given: Collection[int] = ()) -> list[int]:
    """Return the units that a person may see once more: rated once, with `after` or more others since.

    Args:
        finished: what the person rated, the latest last, as it was given.
        after: how many others come between.
        given: units that the person was given a second time before.
    """
    old_enough = finished[: max(len(finished) - after, 0)]
    return [place.unit for place in old_enough if place.purpose == "work" and place.unit not in given]


def _next_extra(
    stock: Mapping[str, Sequence[PlannedUnit]], policy: AssignmentPolicy, mixed: ExtrasGiven, *, seed: str
) -> str | None:
    return next(
        (kind for kind in EXTRA_PURPOSES if stock[kind] and is_due(kind, policy, mixed, seed=seed)), None
    )


def _position_of_extra(number: int, every: float, *, seed: str) -> int:
    if number == 0:
        return 0
    digest = sha256(f"{seed}/{number}".encode()).digest()
    early = int.from_bytes(digest[:4], "big") / 2**32
    return math.ceil(number * every - early * max(every - 1, 0) / 2)
