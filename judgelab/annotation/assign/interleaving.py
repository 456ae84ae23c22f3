"""Placing extras among ordinary units: attention checks, gold units, repeats.

Each kind has its own rhythm: one in every stretch of N ordinary units, at an unpredictable position within
the stretch. Positions are computed from the person and the project, so that nothing but the units assigned so
far has to be stored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from judgelab.annotation.rating.settings import EXTRA_PURPOSES, AssignmentPolicy
from judgelab.store.rating.assignments import PlannedAssignment


@dataclass(frozen=True)
class ExtrasGiven:
    """The extras that a person got so far.

    Args:
        extras: how many of each kind of `EXTRA_PURPOSES`.
        units_since: how many ordinary units came after the last one of each kind; all if there was none.
    """

    extras: Mapping[str, int] = field(default_factory=dict)
    units_since: Mapping[str, int] = field(default_factory=dict)


def extras_given(purposes: Sequence[str]) -> ExtrasGiven:
    """Return the extras among the units with these purposes, which are in the order assigned."""
    extras, since = dict.fromkeys(EXTRA_PURPOSES, 0), dict.fromkeys(EXTRA_PURPOSES, 0)
    for purpose in purposes:
        if purpose in extras:
            extras[purpose], since[purpose] = extras[purpose] + 1, 0
        else:
            since = {kind: count + 1 for kind, count in since.items()}
    return ExtrasGiven(extras, since)


def gap(number: int, every: float, *, seed: str) -> int:
    """Return how many ordinary units come between extra `number` (from 0) and the one before it.

    Extra j is within stretch j, less than half a stretch before its end, so that the share is right at the
    end of every stretch.
    """
    return max(
        1, _position_of_extra(number + 1, every, seed=seed) - _position_of_extra(number, every, seed=seed)
    )


def is_due(extra: str, policy: AssignmentPolicy, given_so_far: ExtrasGiven, *, seed: str) -> bool:
    """Return whether the next unit is an extra of this kind."""
    every = policy.units_per_extra(extra)
    if every <= 0:
        return False
    wait = gap(given_so_far.extras.get(extra, 0), every, seed=f"{seed}/{extra}")
    return given_so_far.units_since.get(extra, 0) >= wait


def interleave(
    work: Sequence[int],
    extras: Mapping[str, Sequence[PlannedAssignment]],
    *,
    policy: AssignmentPolicy,
    given_so_far: ExtrasGiven,
    seed: str,
    count: int,
) -> list[PlannedAssignment]:
    """Return up to `count` units to assign now, in order.

    Args:
        work: ordinary units that are open to the person, best first.
        extras: the available units of each kind of `EXTRA_PURPOSES`, best first.
        policy: the assignment policy.
        given_so_far: the extras that the person got so far.
        seed: identifies the person in the project.
        count: how many units to return.
    """
    ordinary, stock = list(work), {kind: list(extras.get(kind, ())) for kind in EXTRA_PURPOSES}
    counts, since = dict(given_so_far.extras), dict(given_so_far.units_since)
    planned: list[PlannedAssignment] = []
    while len(planned) < count:
        kind = _next_extra(stock, policy, ExtrasGiven(counts, since), seed=seed)
        if kind is not None:
            extra = stock[kind].pop(0)
            planned.append(extra)
            counts[kind], since[kind] = counts.get(kind, 0) + 1, 0
            ordinary = [unit for unit in ordinary if unit != extra.unit]
        elif ordinary:
            unit = ordinary.pop(0)
            planned.append(PlannedAssignment(unit))
            since = {kind: since.get(kind, 0) + 1 for kind in EXTRA_PURPOSES}
            stock["gold"] = [extra for extra in stock["gold"] if extra.unit != unit]
        else:
            break
    return planned


def expected_extras(left: int, available: Mapping[str, int], *, policy: AssignmentPolicy) -> int:
    """Return about how many extras will come among `left` ordinary units."""
    expected = 0
    for kind in EXTRA_PURPOSES:
        every = policy.units_per_extra(kind)
        if every > 0:
            expected += min(int(left / every), available.get(kind, 0))
    return expected


def repeatable(
    finished: Sequence[PlannedAssignment], *, after: int, repeated: Collection[int] = ()
) -> list[int]:
    """Return the units that a person may rate again: rated once, with `after` or more others since then.

    Args:
        finished: what the person rated, the latest last.
        after: how many others have to come between.
        repeated: units that the person already got a second time.
    """
    old_enough = finished[: max(len(finished) - after, 0)]
    return [
        planned.unit for planned in old_enough if planned.purpose == "work" and planned.unit not in repeated
    ]


def _next_extra(
    stock: Mapping[str, Sequence[PlannedAssignment]],
    policy: AssignmentPolicy,
    given_so_far: ExtrasGiven,
    *,
    seed: str,
) -> str | None:
    return next(
        (kind for kind in EXTRA_PURPOSES if stock[kind] and is_due(kind, policy, given_so_far, seed=seed)),
        None,
    )


def _position_of_extra(number: int, every: float, *, seed: str) -> int:
    if number == 0:
        return 0
    digest = sha256(f"{seed}/{number}".encode()).digest()
    early = int.from_bytes(digest[:4], "big") / 2**32
    return math.ceil(number * every - early * max(every - 1, 0) / 2)
