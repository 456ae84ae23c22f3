"""Read comparisons in the rows of a mapped file: choices between two, best and worst votes, rankings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from judgelab.domain import Problem, RaterKind
from judgelab.errors import InvalidInput
from judgelab.imports.columns.column_habits import Habits
from judgelab.imports.columns.mapping import ColumnMapping
from judgelab.imports.columns.tables import Row
from judgelab.imports.core.cells import is_missing, list_of, name_of, score_of, text_of
from judgelab.imports.core.fields import KIND_OF_SYSTEM, RATER_KINDS, normalised, parameter, rater_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.records import ChoiceRecord, OrderRecord, RecordChunk, derived_id
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import sentence


class ComparisonContext(NamedTuple):
    """The common values of all comparisons in a row: the item, the rater and the criterion."""

    item_id: str
    rater: str
    kind: RaterKind
    criterion: str
    comment: str
    swapped_comment: str
    rated_at: datetime | None


class _Side(NamedTuple):
    """One of the two responses compared: its name, its text if the file has it, and its system."""

    name: str
    text: str
    system: str

    def named_after_text(self) -> _Side:
        return self._replace(name=derived_id("r", self.text)) if self.text else self


class ComparisonReader:
    """Reads comparisons out of rows.

    With columns for the systems, or with the items' texts, `response_a` and `response_b` may hold the texts
    of new responses; otherwise they are response ids or systems.

    Args:
        mapping: the meaning of the columns.
        problems: the log for problems.
        habits: how the file writes values. If judges saw pairs in both orders, they were shown the response
            that the file names first before the other.
    """

    def __init__(self, mapping: ColumnMapping, problems: ProblemLog, habits: Habits) -> None:
        self._problems = problems
        self._habits = habits
        self._column = {use.field: use.column for use in mapping.uses}
        self._choices = [*self._under("choice", mapping)]
        self._by_rater = [(rater_of(use.field), use.column) for use in mapping.starting("rater[")]
        self._rankings = [*self._under("ranking", mapping)]
        self._with_systems = {"system_a", "system_b"} <= mapping.fields
        kinds = [normalised(self._column.get(f"system_{side}", "")) for side in "ab"]
        self._with_kinds = all(column.endswith(KIND_OF_SYSTEM) for column in kinds)
        self._with_texts = self._with_systems or bool({"question", "context"} & mapping.fields)

    def add(self, row: Row, chunk: RecordChunk, context: ComparisonContext) -> None:
        """Add the row's comparisons to the chunk."""
        for criterion, column in self._choices:
            if not criterion or not is_missing(row.cells.get(column)):
                self._add_choices(
                    row, chunk, context._replace(criterion=criterion or context.criterion), column
                )
        for (rater, kind), column in self._by_rater:
            of_rater = context._replace(rater=rater, kind=RATER_KINDS.get(kind, "human"))
            self._add_choice(row, chunk, of_rater, column, first=self._cell(row, "first"))
        for criterion, column in self._rankings:
            tiers = self._ranked(row, column)
            if tiers:
                with_criterion = context._replace(criterion=criterion or context.criterion)
                chunk.orders.append(_order_record(row, with_criterion, "ranking", tiers, column))
        if {"best", "worst"} <= self._column.keys():
            tiers = (_names_in(self._cell(row, "best")), _names_in(self._cell(row, "worst")))
            chunk.orders.append(_order_record(row, context, "best_worst", tiers, self._column["best"]))

    def _ranked(self, row: Row, column: str) -> tuple[tuple[str, ...], ...]:
        """Return the tiers of a ranking; if a rank is not a number, add a problem and return none."""
        try:
            return parse_ranking(row.cells.get(column))
        except InvalidInput as error:
            message = sentence("{problem}; write ranks as numbers, 1 for the best", problem=error.args[0])
            self._problems.append(Problem(message, row=row.number, column=column))
            return ()

    def _under(self, field: str, mapping: ColumnMapping) -> Iterator[tuple[str, str]]:
        """Yield (criterion, column) of the field without a criterion and of each `field[CRITERION]`."""
        if field in self._column:
            yield "", self._column[field]
        for use in mapping.starting(f"{field}["):
            yield parameter(use.field) or "", use.column

    def _add_choices(self, row: Row, chunk: RecordChunk, context: ComparisonContext, column: str) -> None:
        """Add a choice, and the one with the order swapped if the row has it."""
        swapped, first = self._column.get("swapped_choice"), self._cell(row, "first")
        if first is None and (swapped or (self._habits.both_orders and context.kind != "human")):
            first = "a"
        self._add_choice(row, chunk, context, column, first=first)
        if swapped:
            comment = context.swapped_comment if "swapped_comment" in self._column else context.comment
            self._add_choice(row, chunk, context._replace(comment=comment), swapped, first="b")

    def _add_choice(
        self, row: Row, chunk: RecordChunk, context: ComparisonContext, column: str, *, first: Any
    ) -> None:
        sides = self._sides(row)
        if self._with_systems and any(side.text for side in sides):
            chunk.items.append(ItemRecord(context.item_id, row=row.number))
            chunk.responses += [
                ResponseRecord(context.item_id, side.name, side.system, side.text, {}, row.number)
                for side in sides
                if side.text
            ]
        first_side, second_side = sides
        chunk.choices.append(
            ChoiceRecord(
                context.item_id,
                context.rater,
                row.cells.get(column),
                (first_side.name, second_side.name),
                (first_side.text, second_side.text),
                context.kind,
                context.criterion,
                first,
                self._cell(row, "strength"),
                self._cell(row, "confidence"),
                context.comment,
                context.rated_at,
                row.number,
                column,
                self._habits.numbers,
            )
        )

    def _sides(self, row: Row) -> tuple[_Side, _Side]:
        """Return the two responses.

        Those of one system, or of a kind of system, such as "human", are named after their texts.
        """
        first, second = (self._side(row, side) for side in "ab")
        alike = self._with_systems and first.system == second.system and first.text != second.text
        if not (alike or self._with_kinds):
            return first, second
        return first.named_after_text(), second.named_after_text()

    def _side(self, row: Row, side: str) -> _Side:
        value = self._cell(row, f"response_{side}")
        name = name_of(self._cell(row, f"system_{side}") if self._with_systems else value)
        return _Side(name, text_of(value) if self._with_texts else "", name if self._with_systems else "")

    def _cell(self, row: Row, field: str) -> Any:
        column = self._column.get(field)
        return None if column is None else row.cells.get(column)


def _order_record(
    row: Row, context: ComparisonContext, form: str, tiers: tuple[tuple[str, ...], ...], column: str
) -> OrderRecord:
    details = (context.kind, context.criterion, context.comment, context.rated_at)
    return OrderRecord(context.item_id, context.rater, form, tiers, *details, row.number, column)


def parse_ranking(value: Any) -> tuple[tuple[str, ...], ...]:
    """Return the tiers of a ranking: a list with the best first and lists for ties, a text, or ranks by name.

    Raises `InvalidInput` if a rank is not a number.

    >>> parse_ranking('["b", ["a", "c"]]')
    (('b',), ('a', 'c'))
    >>> parse_ranking("b > a = c")
    (('b',), ('a', 'c'))
    """
    if is_missing(value):
        return ()
    if isinstance(value, Mapping):
        return tuple(_by_place(value))
    entries = list_of(value)
    if len(entries) == 1 and isinstance(entries[0], str) and re.search(r"[>=]", entries[0]):
        return tuple(tuple(name_of(name) for name in tier.split("=")) for tier in re.split(r">+", entries[0]))
    return tuple(tuple(map(name_of, e)) if isinstance(e, (list, tuple)) else (name_of(e),) for e in entries)


def _by_place(places: Mapping[Any, Any]) -> Iterator[tuple[str, ...]]:
    tiers: dict[float, list[str]] = {}
    for name, place in places.items():
        tiers.setdefault(score_of(place), []).append(name_of(name))
    yield from (tuple(tiers[place]) for place in sorted(tiers))


def _names_in(value: Any) -> tuple[str, ...]:
    """Return the names in a cell: a list, or names separated by bars ("a|b")."""
    entries = [] if is_missing(value) else list_of(value)
    return tuple(name_of(n) for e in entries for n in (e.split("|") if isinstance(e, str) else [e]))
