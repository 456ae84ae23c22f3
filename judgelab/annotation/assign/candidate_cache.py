"""The units that were open to a person a moment ago, as candidates for what they rate next.

Searching a whole project takes milliseconds, for which every rater waits while the project is locked. So the
result is kept for a few seconds, in the memory of the screen. These are only candidates: whether a unit is
still open, and how many others have it, is read from the database in the transaction that assigns it. Units
that others started meanwhile come a few seconds later than they could.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from judgelab.annotation.assign.selection import PLENTY
from judgelab.store.db.engine import Session
from judgelab.store.rating import still_open
from judgelab.store.rating.open_units import OpenUnit, UnitSearch

SECONDS = 10.0


@dataclass
class CandidateCache:
    """The result of the last search of the whole project for one person.

    Attributes:
        units: the units found, best first.
        searched_at: when, on the clock of this process.
        search_key: the conditions of the search.
    """

    units: Sequence[OpenUnit] = ()
    searched_at: float = field(default=float("-inf"))
    search_key: Hashable = None

    @property
    def one_group(self) -> bool:
        """Whether all units found are of one group, so that groups need not be counted."""
        return self._fresh() and len({unit.group for unit in self.units}) == 1

    def keep(self, search: UnitSearch, units: Sequence[OpenUnit]) -> None:
        """Store the units found, if there are so many that other raters will not run out of work."""
        self.units = units if len(units) >= PLENTY else ()
        self.searched_at, self.search_key = time.monotonic(), _search_key(search)

    def still_open(self, session: Session, search: UnitSearch, *, wanted: int) -> list[OpenUnit]:
        """Return the candidates that are open to the person now; empty if the project must be searched."""
        if not self._fresh() or self.search_key != _search_key(search):
            return []
        units = still_open.still_open_units(session, search, self.units)
        enough = sum(unit.own_state != "skipped" for unit in units) >= wanted
        same_groups = search.served is None or {unit.group for unit in units} == {
            unit.group for unit in self.units
        }
        return units if enough and same_groups else []

    def _fresh(self) -> bool:
        return bool(self.units) and time.monotonic() - self.searched_at < SECONDS


def _search_key(search: UnitSearch) -> Hashable:
    return (
        search.person_id,
        search.project_id,
        search.k,
        tuple(search.cohorts),
        search.begun_first,
        search.without_known,
        search.by_turn,
    )
