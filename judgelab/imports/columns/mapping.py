"""The meaning of each column: guessed from its name, shown, and changed by a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.imports.core import fields
from judgelab.imports.core.fields import IGNORED
from judgelab.imports.core.problems import listing
from judgelab.wording import mark, sentence

Kind = Literal["items", "ratings", "judgments", "references", "preferences"]
KINDS: tuple[Kind, ...] = ("items", "ratings", "judgments", "references", "preferences")
CHOSEN = mark("chosen")
RATING_FIELDS = frozenset({"score", "comment", "rated_at"})
AMBIGUOUS = mark(
    "a column named '{column}' can be the response or the reference answer, depending on the study; "
    "choose one: --map response={column} or --map reference={column}"
)


class ColumnUse(NamedTuple):
    """The meaning of one column and the reason for it."""

    column: str
    field: str
    why: str


@dataclass(frozen=True)
class ColumnMapping:
    """The meaning of every column of a file, in the file's order."""

    uses: tuple[ColumnUse, ...]

    def column(self, field: str) -> str | None:
        """Return the column of `field`, or None."""
        return next((use.column for use in self.uses if use.field == field), None)

    def starting(self, prefix: str) -> Iterator[ColumnUse]:
        """Yield the columns whose field starts with `prefix` ("score[")."""
        return (use for use in self.uses if use.field.startswith(prefix))

    @property
    def fields(self) -> frozenset[str]:
        """Return the fields that have a column."""
        return frozenset(use.field for use in self.uses if use.field != IGNORED)

    @property
    def meanings(self) -> dict[str, str]:
        """Return the field of each column."""
        return {use.column: use.field for use in self.uses}

    @property
    def undecided(self) -> tuple[str, ...]:
        """Return the columns whose meaning a person must choose."""
        return tuple(use.column for use in self.uses if use.why.startswith(AMBIGUOUS[:15]))

    @property
    def ignored(self) -> tuple[str, ...]:
        """Return the columns that are not read."""
        return tuple(use.column for use in self.uses if use.field == IGNORED)

    def changed(self, column: str, field: str, *, why: str = CHOSEN) -> ColumnMapping:
        """Return the mapping with one column's meaning changed; `why` is the reason."""
        _check_field(field)
        return ColumnMapping(
            tuple(
                ColumnUse(column, field, why)
                if use.column == column
                else use._replace(field=IGNORED, why=sentence("'{column}' was chosen instead", column=column))
                if use.field == field != IGNORED
                else use
                for use in self.uses
            )
        )


def guess_mapping(
    columns: Sequence[str],
    *,
    chosen: Iterable[tuple[str, str]] = (),
    criteria: Sequence[str] = (),
    kind: str | None = None,
    known_fields: Mapping[str, str] | None = None,
) -> ColumnMapping:
    """Return the meaning of the columns according to their names.

    Args:
        columns: the file's columns.
        chosen: (field, column) pairs given by a person, perhaps with columns of other files.
        criteria: the project's criteria; without a score column, a column named like one has its scores.
        kind: the given kind of file; in judgments, a second model column is the judge.
        known_fields: the fields of columns whose meaning is known from the tool that wrote the file.
    """
    taken = _chosen(columns, chosen)
    fields_taken = set(taken.values()) - {IGNORED}
    uses: dict[str, ColumnUse] = {c: ColumnUse(c, f, CHOSEN) for c, f in taken.items()}
    for column, field in (known_fields or {}).items():
        if column not in uses and field not in fields_taken:
            uses[column] = ColumnUse(column, field, mark("according to the tool that wrote the file"))
            fields_taken.add(field)
    for column in sorted(columns, key=_priority):
        if column not in uses:
            uses[column] = _recognised(column, fields_taken, of_task=bool(known_fields))
            fields_taken.add(uses[column].field)
    mapping = ColumnMapping(tuple(uses[column] for column in columns if column))
    if kind == "judgments" and "rater" not in mapping.fields:
        mapping = _judge_from_model(mapping)
    if kind != "preferences":
        mapping = _side_by_side(mapping)
    if known_fields:
        return mapping
    if {"ratings", "rater"} & mapping.fields == {"ratings"}:
        return _without_own_scores(mapping)
    return _scores_by_criterion(_grade_as_score(mapping), criteria)


def _without_own_scores(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping for rows with nested ratings, in which a score without a rater is ignored."""
    why = mark("the ratings are nested; this column belongs to the row itself")
    return ColumnMapping(
        tuple(
            use._replace(field=IGNORED, why=why) if use.field in RATING_FIELDS and use.why != CHOSEN else use
            for use in mapping.uses
        )
    )


def guess_kind(mapping: ColumnMapping) -> Kind:
    """Return the kind of a file with this mapping."""
    mapped = mapping.fields
    compared = bool({"response_a", "system_a"} & mapped) and "choice" in mapped
    if not any(mapping.starting("score[")):
        compared = compared or any((*mapping.starting("choice["), *mapping.starting("ranking[")))
        compared = compared or {"choice", "rater"} <= mapped and not {"score", "ratings"} & mapped
    if compared or {"best", "worst"} <= mapped or {"ranking", "rater"} <= mapped:
        return "preferences"
    scored = {"score", "samples", "reply", "ratings"} & mapped or any(mapping.starting("score["))
    raters = [fields.rater_of(use.field) for use in mapping.starting("rater[")]
    if scored or raters:
        judged = names_judges(mapping) or {"samples", "reply"} & mapped
        return "judgments" if judged or any(kind == "judge" for _, kind in raters) else "ratings"
    if "reference" in mapped and not {"question", "context"} & mapped and not has_responses(mapping):
        return "references"
    return "items"


def names_judges(mapping: ColumnMapping) -> bool:
    """Return whether the rater column is named after judges."""
    return fields.is_judge_column(mapping.column("rater") or "")


def may_compare(mapping: ColumnMapping, kind: Kind) -> bool:
    """Return whether rows of such a file may have comparisons."""
    return kind == "preferences" or any((*mapping.starting("choice["), *mapping.starting("ranking[")))


def has_texts(mapping: ColumnMapping, kind: Kind) -> bool:
    """Return whether rows of such a file have the items' texts, not only their names."""
    texts = {"question", "context"} & mapping.fields or has_responses(mapping)
    return bool(texts) or kind in {"items", "references"}


def has_responses(mapping: ColumnMapping) -> bool:
    """Return whether a column has responses: of all systems, or of one (`response[SYSTEM]`)."""
    return bool({"response", "responses"} & mapping.fields) or any(mapping.starting("response["))


def check_kind(kind: str | None) -> Kind | None:
    """Return `kind` if files of that kind can be imported; otherwise raises `InvalidInput`."""
    if kind is None or kind in KINDS:
        return kind
    raise InvalidInput(f"--kind {kind} is not valid; use one of {', '.join((*KINDS, 'documents'))}.")


def unknown_columns(chosen: Iterable[tuple[str, str]], columns: Iterable[str]) -> list[str]:
    """Return a message for each chosen column that no file has."""
    names = list(columns)
    messages = []
    for field, column in chosen:
        if column not in names and not states_kind(field, column):
            near = difflib.get_close_matches(column, names, n=1)
            hint = f". Did you mean '{near[0]}'?" if near else ""
            messages.append(
                f"--map {field}={column}: no file has a column '{column}'; columns: {listing(names)}{hint}"
            )
    return messages


def states_kind(field: str, column: str) -> bool:
    """Return whether a chosen pair gives the kind of all raters of a file, as `rater_kind=human` does."""
    return field == "rater_kind" and column in fields.RATER_KINDS


def _chosen(columns: Sequence[str], chosen: Iterable[tuple[str, str]]) -> dict[str, str]:
    taken: dict[str, str] = {}
    for field, column in chosen:
        _check_field(field)
        if column not in columns:
            continue
        if field != IGNORED and field in taken.values():
            raise InvalidInput(f"--map assigns two columns to {field}; choose one.")
        if taken.get(column, field) != field:
            raise InvalidInput(f"--map assigns two meanings to the column {column}; choose one.")
        taken[column] = field
    return taken


def _check_field(field: str) -> None:
    if fields.is_field(field):
        return
    near = difflib.get_close_matches(field, fields.FIELDS, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise InvalidInput(
        f"--map: there is no field '{field}'; known: {', '.join(fields.FIELDS)}, reference_2 and so on, "
        "score[CRITERION], gold[CRITERION], choice[CRITERION], response[SYSTEM], rater[NAME:KIND], "
        f"meta[KEY] and ignored.{hint}"
    )


def _priority(column: str) -> int:
    """Return the rank of the column's name among the synonyms of its field; the most common name wins."""
    field = fields.recognise(column)
    words = fields.SYNONYMS.get(field or "", ())
    word = fields.normalised(column)
    return next((place for place, synonym in enumerate(words) if fields.normalised(synonym) == word), 0)


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


def _side_by_side(mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping with `response_a` and `response_b` as two systems, if they are not compared."""
    compared = any(mapping.starting("choice"))
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
