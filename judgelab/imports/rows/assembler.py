"""Turn the rows of a mapped file into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from judgelab.domain import Problem, RaterKind, Reference
from judgelab.errors import InvalidInput
from judgelab.imports.checking.item_uses import ItemUseReader
from judgelab.imports.columns.column_habits import Habits
from judgelab.imports.columns.mapping import ColumnMapping, Kind, has_texts, may_compare
from judgelab.imports.columns.tables import Row
from judgelab.imports.core import fields
from judgelab.imports.core.cells import cell_fault, is_missing, is_yes, list_of, score_of, text_of
from judgelab.imports.core.identifiers import NAN, NONE, looks_like_date, name_fault, name_in, text_of_date
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.core.records import RecordChunk, ScoreRecord, derived_id
from judgelab.imports.core.times import time_of
from judgelab.imports.rows.comparisons import ComparisonContext, ComparisonReader
from judgelab.imports.rows.nested import NestedReader
from judgelab.imports.rows.rater_kinds import RaterKinds
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import sentence

TEXTS = frozenset({"question", "input", "context", "response", "reference", "comment", "swapped_comment"})
COMPARED = frozenset(
    {"response_a", "response_b", "system_a", "system_b", "choice", "best", "worst", "ranking"}
)
NAMELESS = frozenset({"item_id", "response_id", "rater"})  # "None" in these fields is a missing name


class Assembler:
    """Turns rows into records; unreadable cells become problems.

    Args:
        mapping: the meaning of the columns.
        kind: the kind of file.
        problems: the log for problems.
        aggregate: whether human scores are means of several raters.
        raters: the kind of all raters, if a person gave it; otherwise inferred from column names.
        notes: counts cells that are read in a special way.
        habits: how the file writes values that can be written in several ways.
        rater: who made all comparisons of a file without names.
    """

    def __init__(
        self,
        mapping: ColumnMapping,
        *,
        kind: Kind,
        problems: ProblemLog,
        aggregate: bool = False,
        raters: RaterKind | None = None,
        notes: ReadingNotes,
        habits: Habits,
        rater: str = "",
    ) -> None:
        self.kind, self.problems, self.aggregate = kind, problems, aggregate
        self._notes, self._habits, self._rater = notes, habits, rater
        self._column = {use.field: use.column for use in mapping.uses if use.field != fields.IGNORED}
        self._unread = mapping.ignored
        self._meta = [(fields.parameter(u.field) or "", u.column) for u in mapping.starting("meta[")]
        self._references = sorted(
            (use for use in mapping.uses if use.field.startswith("reference_") and use.field[10:].isdigit()),
            key=lambda use: int(use.field[10:]),
        )
        self._by_criterion = [(fields.parameter(u.field) or "", u.column) for u in mapping.starting("score[")]
        self._by_rater = [(fields.rater_of(u.field), u.column) for u in mapping.starting("rater[")]
        self._by_system = [(fields.parameter(u.field) or "", u.column) for u in mapping.starting("response[")]
        self._has_texts = has_texts(mapping, kind)
        self._has_scores = kind in {"ratings", "judgments"}
        compared = ComparisonReader(mapping, problems, habits)
        self._comparisons = compared if may_compare(mapping, kind) else None
        self._by_response = self._has_scores and not self._has_texts and "response_id" in mapping.fields
        self._material, self._rater_kinds = ItemUseReader(mapping), RaterKinds(mapping, kind, raters)
        self.nested = NestedReader(
            problems, rater_kind=self._rater_kinds.usual, kind_given=raters is not None, aggregate=aggregate
        )

    def add(self, row: Row, chunk: RecordChunk) -> None:
        """Add the row's records to the chunk."""
        if self._faulty(row):
            return
        question, context = self._question(row), self._text(row, "context")
        item_id = self._name(row, "item_id") or self._derived_item(question, context)
        response_id, system = self._name(row, "response_id"), self._name(row, "system")
        if not item_id and not (self._by_response and response_id):
            self._problem(row, *self._nameless())
            return
        if self._has_texts:
            self._add_item(row, chunk, item_id=item_id, question=question, context=context)
            response_id = self._add_response(row, chunk, item_id, response_id=response_id, system=system)
            self._add_side_by_side(row, chunk, item_id)
            self.nested.add_responses(self._cell(row, "responses"), chunk, item_id=item_id, row=row.number)
        self._material.add(row, chunk, item_id=item_id, response_id=response_id, system=system)
        if self._has_scores:
            self._add_scores(row, chunk, item_id, response_id=response_id, system=system)
        if self._comparisons:
            context_of_row = ComparisonContext(
                item_id,
                self._name(row, "rater") or self._rater,
                self._kind_of(row),
                self._name(row, "criterion"),
                self._text(row, "comment"),
                self._text(row, "swapped_comment"),
                self._time(row, self._cell(row, "rated_at")),
            )
            self._comparisons.add(row, chunk, context_of_row)

    def _faulty(self, row: Row) -> bool:
        """Return whether a cell cannot be stored; if so, add a problem."""
        count = self.problems.count
        for field, column in self._column.items():
            value = row.cells.get(column)
            if value is None:
                continue
            is_name = field in fields.NAMES or (field in COMPARED and isinstance(value, (date, time)))
            fault = name_fault(value) if is_name else cell_fault(value)
            if fault:
                self._problem(row, field, fault)
        for column in self._unread:
            value = row.cells.get(column)
            if isinstance(value, (list, Mapping)) and (fault := cell_fault(value)):
                self.problems.append(Problem(fault, row=row.number, column=column))
        return self.problems.count > count

    def _nameless(self) -> tuple[str, str]:
        """Return the field that a row of this file must name, and the message if it is missing."""
        if self._by_response and "item_id" not in self._column:
            return "response_id", sentence("the row does not name a response; fill in response_id")
        return "item_id", sentence("the row does not name an item; fill in item_id (or question)")

    def _derived_item(self, question: str, context: str) -> str:
        if "item_id" in self._column or not (question or context):
            return ""
        return derived_id("q", question, context)

    def _add_item(self, row: Row, chunk: RecordChunk, *, item_id: str, question: str, context: str) -> None:
        references = tuple(self._references_of(row))
        group = self._name(row, "group")
        carries = question or context or references or self.kind == "items" or self._cell(row, "response")
        if carries:
            meta = {key: text_of(row.cells[c]) for key, c in self._meta if text_of(row.cells.get(c))}
            chunk.items.append(ItemRecord(item_id, question, context, group, references, meta, row.number))

    def _references_of(self, row: Row) -> Iterator[Reference]:
        grades = list_of(self._cell(row, "reference_grade"))
        texts = list_of(self._cell(row, "reference"))
        for i, text in enumerate(texts):
            yield from self._reference(row, text, grades[i] if i < len(grades) else None)
        for use in self._references:
            for text in list_of(row.cells.get(use.column)):
                yield from self._reference(row, text, None, column=use.column)

    def _reference(
        self, row: Row, entry: Any, grade: Any, *, column: str | None = None
    ) -> Iterator[Reference]:
        origin = "human"
        if isinstance(entry, Mapping):
            grade = entry.get("grade", entry.get("label", grade))
            origin = text_of(entry.get("origin")) or origin
            entry = entry.get("text", entry.get("reference"))
        text = self._cell_text(row, "reference", entry, column=column)
        self._notes.note_answer(text, row.number, column=column or self._column.get("reference", ""))
        if text.strip():
            yield Reference(text, self._grade(row, grade), origin)

    def _grade(self, row: Row, grade: Any) -> float | None:
        if is_missing(grade):
            return None
        try:
            return score_of(grade)
        except InvalidInput as error:
            message = sentence("{problem}; write the grade as a number", problem=error.args[0])
            self._problem(row, "reference_grade", message)
            return None

    def _add_response(
        self, row: Row, chunk: RecordChunk, item_id: str, *, response_id: str, system: str
    ) -> str:
        text = self._text(row, "response")
        given = response_id or system
        if not text and not (given and "response" in self._column and not self._has_scores):
            return response_id
        response_id = given or derived_id("r", text)
        chunk.responses.append(ResponseRecord(item_id, response_id, system, text, {}, row.number))
        return response_id

    def _add_side_by_side(self, row: Row, chunk: RecordChunk, item_id: str) -> None:
        """Add the responses from columns for single systems; an empty cell has no response."""
        for system, column in self._by_system:
            text = self._cell_text(row, "response", row.cells.get(column), column=column)
            if text.strip():
                chunk.responses.append(ResponseRecord(item_id, system, system, text, {}, row.number))

    def _add_scores(
        self, row: Row, chunk: RecordChunk, item_id: str, *, response_id: str, system: str
    ) -> None:
        add = chunk.scores.append
        criterion, rater, kind = self._name(row, "criterion"), self._name(row, "rater"), self._kind_of(row)
        comment, rated_at = self._text(row, "comment"), self._time(row, self._cell(row, "rated_at"))
        aggregate = self.aggregate or is_yes(self._cell(row, "aggregate"))
        base = ScoreRecord(
            item_id,
            rater,
            None,
            kind,
            criterion,
            response_id,
            system,
            comment,
            rated_at,
            aggregate,
            (),
            row.number,
        )
        for name, column in self._by_criterion:
            add(base._replace(criterion=name, column=column).with_value(row.cells.get(column)))
        for (rater_name, kind_name), column in self._by_rater:
            named = base._replace(
                rater=rater_name, kind=fields.RATER_KINDS.get(kind_name, "human"), column=column
            )
            add(named.with_value(row.cells.get(column)))
        if {"score", "samples", "reply"} & self._column.keys():
            add(self._plain_score(row, base))
        self.nested.add_ratings(self._cell(row, "ratings"), chunk, base)

    def _plain_score(self, row: Row, base: ScoreRecord) -> ScoreRecord:
        base = base._replace(column=self._column.get("score")).with_value(self._cell(row, "score"))
        reply = self._text(row, "reply")
        samples = tuple(list_of(self._cell(row, "samples"))) or ((reply,) if reply else base.samples)
        return base._replace(samples=samples, comment=base.comment or reply)

    def _kind_of(self, row: Row) -> RaterKind:
        usual = self._rater_kinds.of(self._name(row, "rater"))
        try:
            return fields.rater_kind_of(self._text(row, "rater_kind"), usual)
        except InvalidInput as error:
            self._problem(row, "rater_kind", error.args[0])
            return usual

    def _cell(self, row: Row, field: str) -> Any:
        column = self._column.get(field)
        return None if column is None else row.cells.get(column)

    def _name(self, row: Row, field: str) -> str:
        value = self._cell(row, field)
        if value is None:
            return ""
        name = name_in(value, whole=self._column[field] in self._habits.integer_columns)
        if looks_like_date(name):
            self._notes.note("dates", row.number, column=self._column[field])
        if name in NONE and field not in NAMELESS:
            self._notes.note("none", row.number, column=self._column[field])
        return "" if name in NONE and field in NAMELESS else name

    def _question(self, row: Row) -> str:
        """Return the question, or the instruction with its input below."""
        question, added = self._text(row, "question"), self._text(row, "input")
        return "\n\n".join(filter(None, (question, added))) if added.strip() else question

    def _text(self, row: Row, field: str) -> str:
        value = self._cell(row, field)
        return "" if value is None else self._cell_text(row, field, value)

    def _cell_text(self, row: Row, field: str, value: Any, *, column: str | None = None) -> str:
        """Return a cell as a text, empty if a program wrote its word for a missing value, and note that."""
        text = text_of_date(value) if isinstance(value, (date, time)) else text_of(value)
        if field in TEXTS:
            column = column or self._column.get(field) or field
            if isinstance(value, (date, time, list, Mapping)):
                odd = "dates" if isinstance(value, (date, time)) else "objects"
                self._notes.note(odd, row.number, column=column)
            elif text in NAN or (text in NONE and field != "response"):
                self._notes.note("absent", row.number, column=column)
                return ""
            elif text in NONE:
                self._notes.note("none", row.number, column=column)
        return text

    def _time(self, row: Row, value: Any) -> datetime | None:
        if value is None:
            return None
        try:
            return time_of(value, day_first=self._habits.day_first)
        except InvalidInput as error:
            column = self._column["rated_at"]
            message = sentence(
                "{problem}; or leave the column out with --map {choice}",
                problem=error.args[0],
                choice=f"{fields.IGNORED}={column}" if " " not in column else f'"{fields.IGNORED}={column}"',
            )
            self._problem(row, "rated_at", message)
            return None

    def _problem(self, row: Row, field: str, message: str) -> None:
        self.problems.append(Problem(message, row=row.number, column=self._column.get(field)))
