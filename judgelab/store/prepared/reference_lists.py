"""Store lists of references of varied quality: one per item, set name and draw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.domain import Reference
from judgelab.errors import NotFound
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import ItemRow, JudgeRow, ReferenceList, ResponseRow, Run
from judgelab.store.models.base import now
from judgelab.wording import mark


@dataclass(frozen=True)
class ListEntry:
    """One text of a list.

    Attributes:
        text: the text.
        grade: its quality, counted from 0 for the lowest.
        origin: "human", or "model:NAME" for a text written by a model.
        response_id: row id if it is a response, which judges with this list never judge; otherwise None.
        rating: the human grade it represents, on the scale of the data.
        reply_id: row id of the reply it was taken from.
        edited: whether a person edited it.
    """

    text: str
    grade: int
    origin: str = "human"
    response_id: int | None = None
    rating: float | None = None
    reply_id: int | None = None
    edited: bool = False

    def shown(self) -> Reference:
        """Return the entry as a judge sees it."""
        return Reference(self.text, float(self.grade), self.origin)


@dataclass(frozen=True)
class ItemList:
    """The list of one item, best first; `missing` are the wanted grades without a text."""

    item_id: int
    entries: Sequence[ListEntry]
    missing: Sequence[int] = ()
    id: int = 0
    item: str = ""
    question: str = ""
    edited_at: datetime | None = None


@dataclass(frozen=True)
class ListSet:
    """All lists of one name and draw.

    Attributes:
        lists: how many items have one.
        entries: texts in all of them.
        missing: how often each wanted grade is missing.
        complete: number of lists that have all wanted grades.
        edited: number of lists that a person edited.
        runs: number of runs that use them.
    """

    name: str
    draw: int
    source: str
    pattern: str
    seed: int
    recipe: Mapping[str, Any]
    lists: int
    entries: int
    missing: Mapping[int, int] = field(default_factory=dict)
    complete: int = 0
    edited: int = 0
    runs: int = 0


def list_sets(session: Session, project_id: int) -> list[ListSet]:
    """Return the project's sets of lists by name and draw."""
    query = select(ReferenceList).where(ReferenceList.project_id == project_id)
    by_set: defaultdict[tuple[str, int], list[ReferenceList]] = defaultdict(list)
    for row in session.scalars(query.order_by(ReferenceList.name, ReferenceList.draw, ReferenceList.id)):
        by_set[row.name, row.draw].append(row)
    runs = _runs_with(session, project_id)
    return [
        ListSet(
            name=name,
            draw=draw,
            source=rows[0].source,
            pattern=rows[0].pattern,
            seed=rows[0].seed,
            recipe=rows[0].recipe,
            lists=len(rows),
            entries=sum(len(row.entries) for row in rows),
            missing=Counter(grade for row in rows for grade in row.missing),
            complete=sum(not row.missing for row in rows),
            edited=sum(row.edited_at is not None for row in rows),
            runs=runs[name, draw],
        )
        for (name, draw), rows in by_set.items()
    ]


def lists_of(
    session: Session, project_id: int, name: str, draw: int, item_ids: Collection[int] | None = None
) -> dict[int, ItemList]:
    """Return the lists of a set by item, of all items or only of `item_ids`."""
    query = (
        select(ReferenceList, ItemRow.external_id, ItemRow.question)
        .join(ItemRow, ItemRow.id == ReferenceList.item_id)
        .where(ReferenceList.project_id == project_id, ReferenceList.name == name, ReferenceList.draw == draw)
        .order_by(ReferenceList.item_id)
    )
    batches = [None] if item_ids is None else in_batches(sorted(item_ids))
    lists = {}
    for batch in batches:
        limited = query if batch is None else query.where(ReferenceList.item_id.in_(batch))
        for row, item, question in session.execute(limited):
            lists[row.item_id] = _list(row, item, question)
    return lists


def list_by_id(session: Session, list_id: int) -> ItemList:
    """Return one list; raises `NotFound`."""
    row = session.get(ReferenceList, list_id)
    if row is None:
        raise NotFound(mark("reference list"), str(list_id))
    item = session.get_one(ItemRow, row.item_id)
    return _list(row, item.external_id, item.question)


def set_name_of_list(session: Session, list_id: int) -> tuple[str, int]:
    """Return the name and draw of the set that a list belongs to."""
    row = session.get_one(ReferenceList, list_id)
    return row.name, row.draw


def response_ids_in_set(session: Session, project_id: int, name: str, draw: int) -> set[int]:
    """Return the row ids of the responses in a set's lists."""
    query = select(ReferenceList.entries).where(
        ReferenceList.project_id == project_id, ReferenceList.name == name, ReferenceList.draw == draw
    )
    entries = [entry for list_entries in session.scalars(query) for entry in list_entries]
    return {entry["response_id"] for entry in entries if entry.get("response_id") is not None}


def save_lists(
    session: Session,
    project_id: int,
    *,
    name: str,
    draw: int,
    source: str,
    pattern: str,
    seed: int,
    recipe: Mapping[str, Any],
    lists: Sequence[ItemList],
) -> None:
    """Store the lists of some items, replacing their earlier lists of this name and draw."""
    for part in in_batches([item_list.item_id for item_list in lists]):
        session.execute(
            delete(ReferenceList).where(
                ReferenceList.project_id == project_id,
                ReferenceList.name == name,
                ReferenceList.draw == draw,
                ReferenceList.item_id.in_(part),
            )
        )
    session.add_all(
        ReferenceList(
            project_id=project_id,
            item_id=item_list.item_id,
            name=name,
            draw=draw,
            source=source,
            pattern=pattern,
            seed=seed,
            recipe=dict(recipe),
            entries=[vars(entry) for entry in item_list.entries],
            missing=list(item_list.missing),
        )
        for item_list in lists
    )


def change_list(session: Session, list_id: int, entries: Sequence[ListEntry]) -> None:
    """Store a list as edited by a person; raises `NotFound`."""
    row = session.get(ReferenceList, list_id, with_for_update=True)
    if row is None:
        raise NotFound(mark("reference list"), str(list_id))
    row.entries = [vars(entry) for entry in entries]
    row.edited_at = now()


def delete_lists(session: Session, project_id: int, name: str, draw: int) -> None:
    """Delete a set of lists; stored prompts that contain them stay."""
    session.execute(
        delete(ReferenceList).where(
            ReferenceList.project_id == project_id, ReferenceList.name == name, ReferenceList.draw == draw
        )
    )


def runs_with(session: Session, project_id: int, name: str, draw: int) -> int:
    """Return how many runs use a set of lists."""
    return _runs_with(session, project_id)[name, draw]


def copy_lists(session: Session, project_id: int, name: str, draw: int, *, to: str) -> None:
    """Copy the lists of a set to a set of another name."""
    query = select(ReferenceList).where(
        ReferenceList.project_id == project_id, ReferenceList.name == name, ReferenceList.draw == draw
    )
    columns = ("item_id", "draw", "source", "pattern", "seed", "entries", "missing", "recipe", "edited_at")
    for row in list(session.scalars(query)):
        values = {column: getattr(row, column) for column in columns}
        session.add(ReferenceList(project_id=project_id, name=to, **values))


def remaining_per_item(session: Session, project_id: int, without: Collection[int]) -> dict[int, int]:
    """Return how many responses each data item has besides those in `without`, by item id."""
    query = (
        select(ItemRow.id, func.count(ResponseRow.id))
        .outerjoin(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .where(ItemRow.project_id == project_id, ItemRow.purpose == "data")
        .group_by(ItemRow.id)
    )
    remaining: dict[int, int] = {item_id: count for item_id, count in session.execute(query)}
    for part in in_batches(sorted(without)):
        items = select(ResponseRow.item_id).where(ResponseRow.id.in_(part))
        for item_id in session.scalars(items):
            remaining[item_id] -= 1
    return remaining


def _runs_with(session: Session, project_id: int) -> Counter[tuple[str, int]]:
    query = (
        select(JudgeRow.options, func.count(Run.id))
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(JudgeRow.project_id == project_id)
        .group_by(JudgeRow.id)
    )
    runs_by_set: Counter[tuple[str, int]] = Counter()
    for options, runs in session.execute(query):
        if "list" in options and "draw" in options:
            runs_by_set[options["list"], options["draw"]] += runs
    return runs_by_set


def _list(row: ReferenceList, item: str, question: str) -> ItemList:
    return ItemList(
        item_id=row.item_id,
        entries=[ListEntry(**entry) for entry in row.entries],
        missing=row.missing,
        id=row.id,
        item=item,
        question=question,
        edited_at=row.edited_at,
    )
