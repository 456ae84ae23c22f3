"""Restore prepared material: reference lists, panels, examples, steps, prompt wordings, grids and links."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import insert, select

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import (
    DocumentRow,
    EndpointRow,
    EvaluationSteps,
    GridRow,
    PanelRoleRow,
    PreparedReply,
    ReferenceList,
    StudyLink,
    TemplateRow,
    WorkedExample,
    now,
)
from judgelab.store.transfer.export_material import EXAMPLE, GRID, LINK, LIST, REPLY, ROLE, STEPS, WORDING
from judgelab.store.transfer.restored import Cells, RestoreTarget
from judgelab.wording import sentence


class MaterialRestorer:
    """Writes prepared material; entries that exist under the same name and version stay as they are."""

    def __init__(self, into: RestoreTarget) -> None:
        self._into = into
        query = select(PanelRoleRow.name, PanelRoleRow.item_id).where(
            PanelRoleRow.project_id == into.project_id
        )
        self._seated = {(name, item) for name, item in into.session.execute(query)}
        self._closed: list[str] = []

    def documents(self, rows: Sequence[Cells]) -> None:
        """Store the documents of the items' pools."""
        items = self._items(rows)
        values = [
            {"item_id": items[row["item_id"]], **{name: row[name] for name in ("position", "text")}}
            for row in rows
        ]
        self._into.insert_missing(DocumentRow, values, ("item_id", "position"), None)

    def replies(self, rows: Sequence[Cells]) -> None:
        """Store the prepared replies of models."""
        items = self._items(rows)
        values = [self._own(row, REPLY) | {"item_id": items.get(row["item_id"])} for row in rows]
        self._into.insert_missing(PreparedReply, values, ("project_id", "fingerprint"), None)

    def roles(self, rows: Sequence[Cells]) -> None:
        """Store the roles of panels; an existing panel keeps its roles and gets those of additional items."""
        items = self._items(rows)
        panels = {name for name, _ in self._seated}
        values = []
        for row in rows:
            panel, item = row["panel"], items.get(row["item_id"])
            if (panel, item) not in self._seated and (item is not None or panel not in panels):
                values.append(self._own(row, ROLE) | {"name": panel, "item_id": item})
        if values:
            self._into.session.execute(insert(PanelRoleRow), values)

    def lists(self, rows: Sequence[Cells]) -> None:
        """Store the lists of references."""
        items = self._items(rows)
        responses = self._into.texts.response_ids(set(items))
        replies = self._replies({e["reply_id"] for row in rows for e in row["entries"] if e["reply_id"]})

        def entry(item: str, cells: Cells) -> dict[str, Any]:
            response, reply = cells["response_id"], cells["reply_id"]
            return {
                **cells,
                "response_id": None if response is None else responses[item, response],
                "reply_id": None if reply is None else replies[reply],
            }

        values = [
            {
                **self._own(row, LIST),
                "item_id": items[row["item_id"]],
                "entries": [entry(row["item_id"], entry_cells) for entry_cells in row["entries"]],
            }
            for row in rows
        ]
        self._into.insert_missing(ReferenceList, values, ("project_id", "name", "draw", "item_id"), None)

    def examples(self, rows: Sequence[Cells]) -> None:
        """Store the worked examples, every version of their sets."""
        responses = self._into.texts.response_ids(set(self._items(rows)))
        values = []
        for row in rows:
            response = responses[row["item_id"], row["response_id"]] if row["response_id"] else None
            key = row["example"]
            if response is not None and key.endswith(":"):
                key += str(response)
            links = {
                "key": key,
                "response_id": response,
                "person_id": self._into.somebody(row["person"]),
            }
            values.append(self._own(row, EXAMPLE) | links)
        self._into.insert_missing(WorkedExample, values, ("project_id", "name", "version"), None)

    def steps(self, rows: Sequence[Cells]) -> None:
        """Store the reasoning steps, every version."""
        self._into.insert_missing(
            EvaluationSteps, self._by_somebody(rows, STEPS), ("project_id", "version"), None
        )

    def wordings(self, rows: Sequence[Cells]) -> None:
        """Store the project's own wordings, every version."""
        key = ("project_id", "protocol", "part", "version")
        self._into.insert_missing(TemplateRow, self._by_somebody(rows, WORDING), key, None)

    def grids(self, rows: Sequence[Cells]) -> None:
        """Store the ablation grids, linked to the endpoint of the same name if there is one."""
        names = {row["endpoint"] for row in rows if row["endpoint"]}
        query = select(EndpointRow.name, EndpointRow.id).where(EndpointRow.name.in_(names))
        endpoints = {name: row_id for name, row_id in self._into.session.execute(query)}
        values = [self._own(row, GRID) | {"endpoint_id": endpoints.get(row["endpoint"])} for row in rows]
        self._into.insert_missing(GridRow, values, ("project_id", "name"), None)

    def links(self, rows: Sequence[Cells]) -> None:
        """Store recruitment links, each with a new token and closed until somebody opens it."""
        of_project = StudyLink.project_id == self._into.project_id
        names = set(self._into.session.scalars(select(StudyLink.name).where(of_project)))
        for row in rows:
            if row["name"] in names:
                continue
            values = self._own(row, LINK) | {"options": row["settings"], "token": secrets.token_hex(12)}
            if values["closed_at"] is None:
                values["closed_at"] = now()
                self._closed.append(row["name"])
            self._into.session.add(StudyLink(**values))
        self._into.session.flush()

    def notices(self) -> Iterator[str]:
        """Yield a sentence that names the links restored as closed."""
        if self._closed:
            yield sentence(
                "the recruitment links {names} are closed in the copy; give them their codes and reopen "
                "them to let people join here",
                names=", ".join(sorted(self._closed)),
            )

    def _own(self, row: Cells, names: Sequence[str]) -> dict[str, Any]:
        return {"project_id": self._into.project_id, **{name: row[name] for name in names}}

    def _by_somebody(self, rows: Sequence[Cells], names: Sequence[str]) -> list[dict[str, Any]]:
        return [self._own(row, names) | {"person_id": self._into.somebody(row["person"])} for row in rows]

    def _items(self, rows: Sequence[Cells]) -> dict[str, int]:
        return self._into.texts.item_ids({row["item_id"] for row in rows if row["item_id"]})

    def _replies(self, fingerprints: set[str]) -> dict[str, int]:
        row_ids: dict[str, int] = {}
        query = select(PreparedReply.fingerprint, PreparedReply.id).where(
            PreparedReply.project_id == self._into.project_id
        )
        for part in in_batches(sorted(fingerprints)):
            rows = self._into.session.execute(query.where(PreparedReply.fingerprint.in_(part)))
            row_ids |= {fingerprint: row_id for fingerprint, row_id in rows}
        return row_ids
