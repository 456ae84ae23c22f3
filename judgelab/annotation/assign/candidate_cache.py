"""Where to look first for a person's next units: what was open to them a moment ago.

The search through a whole project costs milliseconds, and every rater waits for them while the lock is held.
What it found last is therefore kept for a few seconds, in the memory of the screen. That only says where to
look: whether a unit is still open, and how many others have it, is asked of the database in the transaction
that gives it out. What others began meanwhile comes a few seconds later than it could.
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
    """What the last search of the whole project found for one person.

    Attributes:
        found: the units, best first.
        made: when, on the clock of this process.
        of: what was looked for.
    """

    found: Sequence[OpenUnit] = ()
    made: float = field(default=float("-inf"))
    of: Hashable = None

    @property
    def one_group(self) -> bool:
        """Whether all that was found is of one group, so that nobody has to count groups."""
        return self._fresh() and len({unit.group for unit in self.found}) == 1

    def keep(self, search: UnitSearch, found: Sequence[OpenUnit]) -> None:
        """Keep what was found, if it is so much that nobody's units are another's last ones."""
        self.found, self.made, self.of = (
            (found if len(found) >= PLENTY else ()),
            time.monotonic(),
            _search_key(search),
        )

    def still_open(self, session: Session, search: UnitSearch, *, wanted: int) -> list[OpenUnit]:
        """Return those that are open to the person now; nothing when the whole project has to be searched."""
        if not self._fresh() or self.of != _search_key(search):
            return []
        found = still_open.still_open_units(session, search, self.found)
        enough = sum(one.own != "skipped" for one in found) >= wanted
        same_groups = search.served is None or {one.group for one in found} == {
            one.group for one in self.found
        }
        return found if enough and same_groups else []

    def _fresh(self) -> bool:
        return bool(self.found) and time.monotonic() - self.made < SECONDS


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
