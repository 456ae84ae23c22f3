"""An order of several candidates as a reply states it, best first: "B > A = C", "[[2, 1, 3]]", a list.

Candidates are called by letters (A, B, C) or by numbers from 1. The order counts only when it names every
candidate exactly once; what a reply leaves out is never put last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from judgelab.protocols.fences import unfenced
from judgelab.wording import mark, sentence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = r"\[?(?:[A-Z]|\d{1,2})\]?"
_BETWEEN = r"\s*(?:[>=≻≥~,]|>>)\s*"
_CHAIN = re.compile(rf"(?<![\w\[]){_NAME}(?:{_BETWEEN}{_NAME})+(?!\w)")
_BRACKETED = re.compile(r"\[\[([^\[\]]*)\]\]")
_STEP = re.compile(rf"({_NAME})\s*([>=≻≥~,]*)\s*")
_NUMBERED = re.compile(
    r"^[ \t]*[*_]*(\d{1,2})[.):][ \t*_]*(?:candidate|answer|response|summary|system)?[ \t]*"
    r"\[?([A-Z]|\d{1,2})\]?(?![\w])",
    re.MULTILINE | re.IGNORECASE,
)
_NONE = mark("no order of the candidates is stated")


class Order(NamedTuple):
    """The place of each candidate, 1 is the best and equals share one; or why none can be read."""

    places: tuple[int, ...] = ()
    reason: str | None = None


def read_order(text: str, candidates: int) -> Order:
    r"""Return the order of so many candidates that `text` states, or why none can be read; never raises.

    >>> read_order("The best is B.\nB > A = C", 3).places
    (2, 1, 2)
    >>> read_order("[[2, 1, 3]]", 3).places
    (2, 1, 3)
    """
    stated = list(_stated(unfenced(text)))
    if not stated:
        return Order(reason=sentence(_NONE))
    read = {_placed(tiers, candidates) for tiers in stated}
    whole = {order for order in read if order.reason is None}
    if len(whole) > 1:
        return Order(reason=sentence("{count} different orders in the reply, not one", count=len(whole)))
    return whole.pop() if whole else _placed(stated[-1], candidates)


def _stated(text: str) -> Iterator[list[list[str]]]:
    """Yield the tiers of each order: marked ones, else chains, else a numbered list."""
    bracketed = _BRACKETED.findall(text)
    chains = [_tiers(inner) for inner in bracketed] or [_tiers(match[0]) for match in _CHAIN.finditer(text)]
    found = [tiers for tiers in chains if tiers]
    yield from found
    if not found:
        listed = _NUMBERED.findall(text)
        if listed and [int(place) for place, _ in listed] == list(range(1, len(listed) + 1)):
            yield [[name] for _, name in listed]


def _tiers(chain: str) -> list[list[str]]:
    tiers: list[list[str]] = [[]]
    at = 0
    chain = chain.strip()
    while at < len(chain):
        step = _STEP.match(chain, at)
        if not step:
            return []
        tiers[-1].append(step[1].strip("[]"))
        if step[2] not in ("=", "~"):
            tiers.append([])
        at = step.end()
    return [tier for tier in tiers if tier]


def _placed(tiers: list[list[str]], candidates: int) -> Order:
    named = [_number(name) for tier in tiers for name in tier]
    if sorted(named) != list(range(candidates)):
        return Order(
            reason=sentence(
                "the order names {named}, not each of the {candidates} candidates once",
                named=", ".join(name for tier in tiers for name in tier)[:60],
                candidates=candidates,
            )
        )
    places, ahead = [0] * candidates, 0
    for tier in tiers:
        for name in tier:
            places[_number(name)] = ahead + 1
        ahead += len(tier)
    return Order(tuple(places))


def _number(name: str) -> int:
    return int(name) - 1 if name.isdigit() else LETTERS.index(name.upper())
