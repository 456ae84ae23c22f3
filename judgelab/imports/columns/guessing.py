"""Guess the meaning of columns from their names and from the columns beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from judgelab.errors import InvalidInput
from judgelab.imports.columns.mapping import (
    AMBIGUOUS,
    CHOSEN,
    ColumnMapping,
    ColumnUse,
    check_field,
    names_sides,
    states_kind,
)
from judgelab.imports.core import fields
from judgelab.imports.core.fields import IGNORED
from judgelab.wording import mark, sentence

RATING_FIELDS = frozenset({"score", "comment", "rated_at"})


def guess_mapping(
    columns: Sequence[str],
    *,
    chosen: Iterable[tuple[str, str]] = (),
    criteria: Sequence[str] = (),
    kind: str | None = None,
    known_fields: Mapping[str, str] | None = None,
    choice_columns: Collection[str] = (),
) -> ColumnMapping:
    """Return the meaning of the columns according to their names.

    Args:
        columns: the file's columns.
        chosen: (field, column) pairs given by a person, perhaps with columns of other files.
        criteria: the project's criteria; without a score column, a column named like one has its scores.
        kind: the given kind of file; in judgments, a second model column is the judge.
        known_fields: the fields of columns whose meaning is known from the tool that wrote the file.
        choice_columns: columns whose cells are choices between two responses.
    """
    taken = _chosen(columns, chosen)
    fields_taken = set(taken.values()) - {IGNORED}
    uses: dict[str, ColumnUse] = {c: ColumnUse(c, f, CHOSEN) for c, f in taken.items()}
    for column, field in (known_fields or {}).items():
        if column not in uses and field not in fields_taken:
            uses[column] = ColumnUse(column, field, mark("according to the tool that wrote the file"))
            fields_taken.add(field)
    for column in sorted(columns, key=fields.rank):
        if column not in uses:
            uses[column] = _recognised(column, fields_taken, of_task=bool(known_fields))
            fields_taken.add(uses[column].field)
    mapping = _instruction_with_input(ColumnMapping(tuple(uses[column] for column in columns if column)))
    if kind == "judgments" and "rater" not in mapping.fields:
        mapping = _judge_from_model(mapping)
    mapping = _choices_by_annotator(mapping, choice_columns)
    if kind != "preferences":
        mapping = _side_by_side(mapping)
    if known_fields:
        return mapping
    if {"ratings", "rater"} & mapping.fields == {"ratings"}:
        return _without_own_scores(mapping)
    return _scores_by_criterion(_grade_as_score(mapping), criteria)


def _instruction_with_input(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping with `input` as a part of the question, if the question is an `instruction`."""
    if fields.normalised(mapping.column("question") or "") != "instruction" or "input" in mapping.fields:
        return mapping
    for use in mapping.uses:
        if use.field == IGNORED and use.why != CHOSEN and fields.normalised(use.column) == "input":
            return mapping.changed(use.column, "input", why=mark("put below the instruction"))
    return mapping


def _without_own_scores(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping for rows with nested ratings, in which a score without a rater is ignored."""
    why = mark("the ratings are nested; this column belongs to the row itself")
    return ColumnMapping(
        tuple(
            use._replace(field=IGNORED, why=why) if use.field in RATING_FIELDS and use.why != CHOSEN else use
            for use in mapping.uses
        )
    )


def _chosen(columns: Sequence[str], chosen: Iterable[tuple[str, str]]) -> dict[str, str]:
    taken: dict[str, str] = {}
    for field, column in chosen:
        check_field(field)
        if column not in columns or states_kind(field, column):
            continue
        if field != IGNORED and field in taken.values():
            raise InvalidInput(f"--map assigns two columns to {field}; choose one.")
        if taken.get(column, field) != field:
            raise InvalidInput(f"--map assigns two meanings to the column {column}; choose one.")
        taken[column] = field
    return taken


def _recognised(column: str, taken: set[str], *, of_task: bool) -> ColumnUse:
    if fields.snake_case(column) in fields.AMBIGUOUS:
        return ColumnUse(column, IGNORED, sentence(AMBIGUOUS, column=column))
    field = fields.recognise(column)
    if field is None:
        return ColumnUse(column, IGNORED, mark("no field has this name"))
    if of_task and not (field in fields.TASK_FIELDS or field.startswith(("reference_", "response["))):
        return ColumnUse(column, IGNORED, mark("part of the task; only annotations are read as ratings"))
    if field in taken:
        return ColumnUse(column, IGNORED, sentence("another column is already the {field}", field=field))
    return ColumnUse(column, field, mark("recognised by its name"))


def _grade_as_score(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping with `grade` as the score, if the file has raters and no references."""
    mapped = mapping.fields
    grade = mapping.column("reference_grade")
    references = any(field.startswith("reference") and field != "reference_grade" for field in mapped)
    scored = "score" in mapped or any((*mapping.starting("score["), *mapping.starting("rater[")))
    if grade is None or references or scored or "rater" not in mapped:
        return mapping
    return mapping.changed(grade, "score", why=mark("a rater's grade"))


def _judge_from_model(mapping: ColumnMapping) -> ColumnMapping:
    for use in mapping.uses:
        if use.field == IGNORED and fields.recognise(use.column) == "system":
            return mapping.changed(use.column, "rater")
    return mapping


def _choices_by_annotator(mapping: ColumnMapping, by_cells: Collection[str]) -> ColumnMapping:
    """Return the mapping with columns like `annotator1`, or of choices, as those of one rater each."""
    if not names_sides(mapping) or "rater" in mapping.fields or any(mapping.starting("choice[")):
        return mapping
    if any(mapping.starting("rater[")):  # a guessed choice would be nobody's
        nobody = mark("each rater has a column")
        return ColumnMapping(
            tuple(
                use._replace(field=IGNORED, why=nobody)
                if use.field in ("choice", "swapped_choice") and use.why != CHOSEN
                else use
                for use in mapping.uses
            )
        )
    if "choice" in mapping.fields:
        return mapping
    by_name = [use.column for use in mapping.uses if fields.is_annotator_column(use.column)]
    why = mark("the choices of one rater, recognised by its name")
    if not by_name:
        why = mark("the choices of one rater, recognised by its values")
    raters = {*(by_name or by_cells)}
    return ColumnMapping(
        tuple(
            ColumnUse(use.column, f"rater[{use.column}]", why)
            if use.field == IGNORED and use.why != CHOSEN and use.column in raters
            else use
            for use in mapping.uses
        )
    )


def _side_by_side(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping with `response_a` and `response_b` as two systems, if they are not compared."""
    compared = any((*mapping.starting("choice"), *mapping.starting("rater[")))
    if compared or not {"response_a", "response_b"} <= mapping.fields or "system_a" in mapping.fields:
        return mapping
    return ColumnMapping(
        tuple(
            ColumnUse(
                use.column, f"response[{use.column}]", mark("one system's responses, recognised by its name")
            )
            if use.field in ("response_a", "response_b")
            else use
            for use in mapping.uses
        )
    )


def _scores_by_criterion(mapping: ColumnMapping, criteria: Sequence[str]) -> ColumnMapping:
    if "score" in mapping.fields or any(mapping.starting("score[")) or any(mapping.starting("rater[")):
        return mapping
    keys = {fields.normalised(key): key for key in criteria}
    uses = tuple(
        ColumnUse(
            use.column,
            f"score[{keys[fields.normalised(use.column)]}]",
            mark("named like a criterion of the project"),
        )
        if use.field == IGNORED and fields.normalised(use.column) in keys
        else use
        for use in mapping.uses
    )
    return ColumnMapping(uses)
