"""Check items and responses: rows about the same one must agree."""

from __future__ import annotations

from typing import NamedTuple

from judgelab.domain import Problem
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.core.problems import ProblemLog
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

MAX_NAME = 500  # characters; longer names do not fit PostgreSQL's indexes in every alphabet


NAMES = {
    "question": mark("question"),
    "context": mark("context"),
    "group": mark("group"),
    "text": mark("text"),
    "system": mark("system"),
}


class Place(NamedTuple):
    """A row, and its file if there are several."""

    row: int | None
    source: str


class _Seen(NamedTuple):
    """The first row with an item or response, as hashes, because many rows are remembered."""

    place: Place
    parts: tuple[int, ...]


class TextChecker:
    """Keeps each item and response once, and adds a problem if rows contradict one another.

    Args:
        index: the known responses; grows with those that are kept.
        problems: the log for problems.
    """

    def __init__(self, index: ResponseIndex, problems: ProblemLog) -> None:
        self.index = index
        self.problems = problems
        self._items: dict[str, _Seen] = {}
        self._responses: dict[tuple[str, str], _Seen] = {}

    def keep_item(self, item: ItemRecord) -> bool:
        """Return whether the item has something new compared with earlier rows."""
        if self.is_name_too_long(item.item_id, "item_id", item.row):
            return False
        self.is_name_too_long(item.group, "group", item.row)
        self.index.add_item(item.item_id)
        texts = (item.question, item.context, item.group)
        parts = tuple(hash(text) if text else 0 for text in texts)
        whole = hash((item.references, repr(sorted(item.meta.items()))))
        seen = self._items.get(item.item_id)
        if seen is None:
            self._items[item.item_id] = _Seen(self.place(item.row), (*parts, whole))
            return True
        for name, old, new in zip(("question", "context", "group"), seen.parts, parts, strict=False):
            if old and new and old != new:
                self.problems.append(
                    Problem(
                        sentence(
                            "item '{item}' has a different {part} in {where}; give one of the two its own "
                            "item_id, or make them the same",
                            item=item.item_id,
                            part=sentence(NAMES[name]),
                            where=self.earlier_place(seen.place),
                        ),
                        row=item.row,
                        column=name,
                    )
                )
                return False
        if all(not new or old == new for old, new in zip(seen.parts, (*parts, whole), strict=True)):
            return False
        self._items[item.item_id] = _Seen(
            seen.place, (*(old or new for old, new in zip(seen.parts, parts, strict=False)), whole)
        )
        return True

    def keep_response(self, response: ResponseRecord) -> bool:
        """Return whether the response has something new compared with earlier rows."""
        if len(response.item_id) > MAX_NAME:
            return False  # reported for the item
        field = "response_id" if response.response_id != response.system else "system"
        if self.is_name_too_long(response.response_id, field, response.row):
            return False
        if response.response_id != response.system and self.is_name_too_long(
            response.system, "system", response.row
        ):
            return False
        key = (response.item_id, response.response_id)
        parts = (hash(response.text) if response.text else 0, hash(response.system) if response.system else 0)
        seen = self._responses.get(key)
        self.index.add(*key, response.system)
        if seen is None:
            self._responses[key] = _Seen(self.place(response.row), parts)
            return True
        for name, old, new in zip(("text", "system"), seen.parts, parts, strict=True):
            if old and new and old != new:
                self.problems.append(
                    Problem(
                        sentence(
                            "response '{response}' of item '{item}' has a different {part} in {where}; "
                            "give one of the two its own response_id or system",
                            response=response.response_id,
                            item=response.item_id,
                            part=sentence(NAMES[name]),
                            where=self.earlier_place(seen.place),
                        ),
                        row=response.row,
                        column="response",
                    )
                )
                return False
        self._responses[key] = _Seen(seen.place, (parts[0] or seen.parts[0], parts[1] or seen.parts[1]))
        return parts != seen.parts and any(n and not o for o, n in zip(seen.parts, parts, strict=True))

    def place(self, row: int | None) -> Place:
        """Return the place of a row, with its file if there are several."""
        return Place(row, self.problems.source)

    def earlier_place(self, place: Place) -> str:
        """Return an earlier place in words: "row 2", or "row 2 of f.csv" for another file."""
        row = str(place.row)
        if place.source == self.problems.source:
            return sentence("row {row}", row=row)
        return sentence("row {row} of {file}", row=row, file=place.source)

    def is_name_too_long(self, name: str, field: str, row: int | None) -> bool:
        """Return whether the name is too long; if so, add a problem."""
        if len(name) <= MAX_NAME:
            return False
        self.problems.append(
            Problem(
                sentence(
                    "the name has {length} characters, more than the {most} allowed; shorten it",
                    length=len(name),
                    most=MAX_NAME,
                ),
                row,
                field,
            )
        )
        return True
