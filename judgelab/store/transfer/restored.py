"""What all parts of restoring an export share: look up responses, units and people, and add missing rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.people.memberships import NamedRaters
from judgelab.store.people.people import find_or_create
from judgelab.store.rating import units
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.transfer.imported_texts import TextWriter

Cells = Mapping[str, Any]


class RestoreTarget:
    """The project that receives the rows of an export; its criteria exist already.

    Args:
        session: a writing session.
        project_id: the project.
    """

    def __init__(self, session: Session, project_id: int) -> None:
        self.session = session
        self.project_id = project_id
        self.ledger = ImportLedger(session, project_id)
        self.texts = TextWriter(self.ledger)
        self.criteria = criterion_ids(session, project_id)
        self._raters = NamedRaters(session, project_id)

    def with_responses(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int]]:
        """Yield each row with the id of its response."""
        responses = self.texts.response_ids({row["item_id"] for row in rows})
        for row in rows:
            yield row, responses[row["item_id"], row["response_id"]]

    def with_units(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int]]:
        """Yield each row with the id of its unit, which is created if it is missing."""
        items = self.texts.item_ids({row["item_id"] for row in rows})
        responses = self.texts.response_ids(set(items))
        contents = [
            units.UnitContent(items[row["item_id"]], row["unit"], _members(row, responses)) for row in rows
        ]
        unit_ids = units.find_or_add(self.session, self.project_id, contents)
        yield from zip(rows, (unit_ids[content.key] for content in contents), strict=True)

    def somebody(self, name: str | None) -> int | None:
        """Return the id of the person of this name without making them a rater; None without a name."""
        return find_or_create(self.session, name, role="") if name else None

    def insert_missing(
        self, table: Any, rows: Sequence[dict[str, Any]], key: Sequence[str], counted: str | None
    ) -> None:
        """Insert the rows whose key is not stored yet; the key's first column narrows the search."""
        columns = [getattr(table, name) for name in key]
        present: set[tuple[Any, ...]] = set()
        for part in in_batches(list({row[key[0]] for row in rows})):
            present |= {
                tuple(row) for row in self.session.execute(select(*columns).where(columns[0].in_(part)))
            }
        fresh = [row for row in rows if tuple(row[name] for name in key) not in present]
        if fresh:
            self.session.execute(insert(table), fresh)
        if counted:
            self.ledger.new[counted] += len(fresh)
            self.ledger.unchanged[counted] += len(rows) - len(fresh)

    def person(self, name: str) -> int:
        """Return the id of the person of this name, made a rater if they have no role in the project."""
        return self._raters.id_of(name)


def _members(row: Cells, responses: Mapping[tuple[str, str], int]) -> tuple[int, ...]:
    named = (row["response_id"], row["other_id"])[: {"response": 1, "pair": 2, "list": 0}[row["unit"]]]
    return tuple(sorted(responses[row["item_id"], name] for name in named))


def with_times(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the named fields with times parsed from text."""
    return {
        name: datetime.fromisoformat(record[name]) if name.endswith("_at") and record[name] else record[name]
        for name in names
    }
