"""The meaning of each column: what it is, and what kind of file it makes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
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
        check_field(field)
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


def guess_kind(mapping: ColumnMapping) -> Kind:
    """Return the kind of a file with this mapping."""
    mapped = mapping.fields
    compared = names_sides(mapping) and ("choice" in mapped or any(mapping.starting("rater[")))
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


def names_sides(mapping: ColumnMapping) -> bool:
    """Return whether columns name the two responses compared, or hold their texts."""
    return bool({"response_a", "system_a"} & mapping.fields)


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


def check_field(field: str) -> None:
    """Raise `InvalidInput` if there is no such field."""
    if fields.is_field(field):
        return
    near = difflib.get_close_matches(field, fields.FIELDS, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise InvalidInput(
        f"--map: there is no field '{field}'; known: {', '.join(fields.FIELDS)}, reference_2 and so on, "
        "score[CRITERION], gold[CRITERION], choice[CRITERION], response[SYSTEM], rater[NAME:KIND], "
        f"meta[KEY] and ignored.{hint}"
    )
