"""Ranks from the tiers of an order, and the choices that an order implies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

MIDDLE = 2  # the place in a best–worst vote of a response voted neither best nor worst


def places_of(tiers: list[list[str | None]]) -> dict[str, int]:
    """Return the rank of each response, 1 for the best tier; after two on rank 1 comes rank 3."""
    places: Mapping[str, int] = {}
    for tier in tiers:
        places = {**places, **{str(name): len(places) + 1 for name in tier}}
    return dict(places)


def pairs_of(places: Mapping[str, int], form: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the choice that an order implies for each two responses; a vote has no pairs in its middle."""
    for first, second in combinations(places, 2):
        better = places[second] - places[first]
        if better or not (form == "best_worst" and places[first] == MIDDLE):
            yield (first, second), "a" if better > 0 else "b" if better < 0 else "tie"
