"""Store items, references and responses: added when new, completed when empty, never overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select, update

from judgelab.domain import Reference
from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow
from judgelab.store.transfer.records import ItemRecord, ResponseRecord


class TextWriter:
    """Stores texts and knows the row ids of items and responses."""

    def __init__(self, ledger: ImportLedger) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._project_id = ledger.project_id
        self._items: dict[str, int] = {}

    def write(self, items: Iterable[ItemRecord], responses: Iterable[ResponseRecord]) -> None:
        """Store items with their references, then responses; contradictions are noted."""
        self._write_items(_merged(items))
        self._write_responses({(r.item_id, r.response_id): r for r in responses})

    def _write_items(self, items: Mapping[str, ItemRecord]) -> None:
        stored = self._stored_items(items)
        fresh = [item for item in items.values() if item.item_id not in stored]
        if fresh:
            rows = [
                {
                    "project_id": self._project_id,
                    "external_id": item.item_id,
                    "question": item.question,
                    "context": item.context,
                    "group": item.group,
                    "meta": dict(item.meta),
                }
                for item in fresh
            ]
            added = self._session.execute(insert(ItemRow).returning(ItemRow.external_id, ItemRow.id), rows)
            self._items.update({external_id: row_id for external_id, row_id in added})
        for item in items.values():
            if item.item_id in stored:
                self._update_item(item, stored[item.item_id])
        self._ledger.new["items"] += len(fresh)
        self._write_references(items.values(), old=stored)

    def _stored_items(self, items: Iterable[str]) -> dict[str, Any]:
        stored: dict[str, Any] = {}
        for part in in_batches(list(items)):
            rows = self._session.execute(
                select(
                    ItemRow.id,
                    ItemRow.external_id,
                    ItemRow.question,
                    ItemRow.context,
                    ItemRow.group,
                    ItemRow.meta,
                ).where(ItemRow.project_id == self._project_id, ItemRow.external_id.in_(part))
            )
            stored.update({row.external_id: row for row in rows})
        self._items.update({external_id: row.id for external_id, row in stored.items()})
        return stored

    def _update_item(self, item: ItemRecord, row: Any) -> None:
        fill: dict[str, Any] = {}
        for name in ("question", "context", "group"):
            new, old = getattr(item, name), getattr(row, name)
            if new and old and new != old:
                self._ledger.refuse(
                    f"item '{item.item_id}' is already stored with a different {name}; use another item_id, "
                    "or import into a new project",
                    row=item.row,
                    column=name,
                )
            elif new and not old:
                fill[name] = new
        if not dict(item.meta).items() <= row.meta.items():
            fill["meta"] = {**row.meta, **item.meta}
        if fill.keys() & {"question", "context"}:
            self._ledger.changed_items.add(row.id)
        if fill:
            self._session.execute(update(ItemRow).where(ItemRow.id == row.id).values(**fill))
        if fill or item.question or item.context or not item.references:
            self._note("items", changed=bool(fill))

    def _write_references(self, items: Iterable[ItemRecord], *, old: Mapping[str, Any]) -> None:
        references_by_item = {self._items[item.item_id]: item.references for item in items if item.references}
        stored = self._stored_references(
            [self._items[i] for i in old if self._items[i] in references_by_item]
        )
        rows, before = [], {self._items[item] for item in old}
        for item_id, references in references_by_item.items():
            present = stored.get(item_id, [])
            missing = [r for r in dict.fromkeys(references) if (r.text, r.grade) not in present]
            self._ledger.new["references"] += len(missing)
            if missing and item_id in before:
                self._ledger.changed_items.add(item_id)
            self._ledger.unchanged["references"] += len(set(references)) - len(missing)
            rows += [_reference_row(item_id, p, r) for p, r in enumerate(missing, start=len(present))]
        if rows:
            self._session.execute(insert(ReferenceRow), rows)

    def _stored_references(self, item_ids: Sequence[int]) -> dict[int, list[tuple[str, float | None]]]:
        stored: dict[int, list[tuple[str, float | None]]] = {}
        for part in in_batches(item_ids):
            query = select(ReferenceRow.item_id, ReferenceRow.text, ReferenceRow.grade)
            for item_id, text, grade in self._session.execute(query.where(ReferenceRow.item_id.in_(part))):
                stored.setdefault(item_id, []).append((text, grade))
        return stored

    def _write_responses(self, responses: Mapping[tuple[str, str], ResponseRecord]) -> None:
        self._need_items({item for item, _ in responses})
        stored = self._stored_responses({item for item, _ in responses})
        fresh = []
        for (item, response_id), record in responses.items():
            row = stored.get((self._items[item], response_id))
            if row is not None:
                self._update_response(record, row)
                continue
            fresh.append(
                {
                    "project_id": self._project_id,
                    "item_id": self._items[item],
                    "external_id": response_id,
                    "system": record.system,
                    "text": record.text,
                    "meta": dict(record.meta),
                }
            )
        if fresh:
            self._session.execute(insert(ResponseRow), fresh)
        self._ledger.new["responses"] += len(fresh)

    def _update_response(self, record: ResponseRecord, row: Any) -> None:
        fill: dict[str, Any] = {}
        for name in ("text", "system"):
            new, old = getattr(record, name), getattr(row, name)
            if new and old and new != old:
                self._ledger.refuse(
                    f"response '{record.response_id}' of item '{record.item_id}' is already stored with a "
                    f"different {name}; use another response_id, or import into a new project",
                    row=record.row,
                    column="response",
                )
            elif new and not old:
                fill[name] = new
        if not dict(record.meta).items() <= row.meta.items():
            fill["meta"] = {**row.meta, **record.meta}
        # A response's meta may hold references of its own.
        if fill.keys() & {"text", "meta"}:
            self._ledger.changed_responses.add(row.id)
        if fill:
            self._session.execute(update(ResponseRow).where(ResponseRow.id == row.id).values(**fill))
        self._note("responses", changed=bool(fill))

    def _stored_responses(self, items: Iterable[str]) -> dict[tuple[int, str], Any]:
        stored: dict[tuple[int, str], Any] = {}
        columns = (
            ResponseRow.id,
            ResponseRow.item_id,
            ResponseRow.external_id,
            ResponseRow.system,
            ResponseRow.text,
            ResponseRow.meta,
        )
        for part in in_batches([self._items[item] for item in items]):
            for row in self._session.execute(select(*columns).where(ResponseRow.item_id.in_(part))):
                stored[row.item_id, row.external_id] = row
        return stored

    def _need_items(self, items: Iterable[str]) -> None:
        for part in in_batches([item for item in items if item not in self._items]):
            query = select(ItemRow.external_id, ItemRow.id)
            rows = self._session.execute(
                query.where(ItemRow.project_id == self._project_id, ItemRow.external_id.in_(part))
            )
            self._items.update({external_id: row_id for external_id, row_id in rows})

    def item_ids(self, items: set[str]) -> dict[str, int]:
        """Return the row id of each item by its id in files."""
        self._need_items(items)
        return {item: self._items[item] for item in items}

    def response_ids(self, items: set[str]) -> dict[tuple[str, str], int]:
        """Return the row id of every response of the items, by (item id, response id)."""
        self._need_items(items)
        names = {self._items[item]: item for item in items}
        row_ids: dict[tuple[str, str], int] = {}
        for part in in_batches(list(names)):
            query = select(ResponseRow.item_id, ResponseRow.external_id, ResponseRow.id)
            for item_id, external_id, row_id in self._session.execute(
                query.where(ResponseRow.item_id.in_(part))
            ):
                row_ids[names[item_id], external_id] = row_id
        return row_ids

    def _note(self, kind: str, *, changed: bool) -> None:
        (self._ledger.changed if changed else self._ledger.unchanged)[kind] += 1


def _merged(items: Iterable[ItemRecord]) -> dict[str, ItemRecord]:
    """Return one record per item, merging the rows about the same item."""
    merged: dict[str, ItemRecord] = {}
    for item in items:
        before = merged.get(item.item_id)
        if before is not None:
            item = ItemRecord(
                item.item_id,
                before.question or item.question,
                before.context or item.context,
                before.group or item.group,
                (*before.references, *item.references),
                {**before.meta, **item.meta},
                before.row,
            )
        merged[item.item_id] = item
    return merged


def _reference_row(item_id: int, position: int, reference: Reference) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "position": position,
        "grade": reference.grade,
        "text": reference.text,
        "origin": reference.origin,
    }
