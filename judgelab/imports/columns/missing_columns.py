"""Columns that are missing for a file of a given kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgelab.domain import Problem
from judgelab.imports.columns.mapping import ColumnMapping, Kind, has_responses
from judgelab.imports.core import fields
from judgelab.imports.core.problems import listing
from judgelab.wording import mark, sentence

NO_ITEM = mark(
    "no column identifies the items; add --map item_id=COLUMN (or question=COLUMN; in a file with only "
    "scores, response_id is enough)"
)

NO_SIDES = mark(
    "'{choice}' contains choices between two responses, but no columns name the two; add --map "
    "response_a=COLUMN and --map response_b=COLUMN, or import only the items with --kind items"
)
NO_RATER = mark(
    "no column contains the rater's name; add --map rater=COLUMN, or --map rater[NAME:KIND]=COLUMN for a "
    "column with one rater's scores"
)
NO_COMPARING_RATER = mark(
    "no column contains the rater's name; add --map rater=COLUMN, or --map rater[NAME]={column} for one "
    "person's choices; if they are one judge's, named after the file, add --kind judgments"
)
NO_RATER_OF_TWO = mark(
    "no column contains the rater's name; if '{column}' says which of the two responses is better, add --map "
    "rater[NAME]={column} for one person's choices, or --map choice={column} --kind judgments for one "
    "judge's, who is named after the file; if it has scores, add --map rater=COLUMN"
)
NO_RATER_OF_BOTH_ORDERS = mark(
    "no column contains the rater's name; if the file is one judge's, named after the file, add --kind "
    "judgments; otherwise add --map rater=COLUMN"
)
NO_JUDGE = mark(
    "no column contains the judge's name; add --map rater=COLUMN, or --map rater[NAME:KIND]=COLUMN for a "
    "column with one rater's scores"
)


def missing_columns(
    names: Sequence[str], mapping: ColumnMapping, kind: Kind, *, named: bool = False
) -> Iterator[Problem]:
    """Yield the problems of a mapping that lacks columns for this kind of file.

    `named` is whether the rater of the whole file is known.
    """
    mapped = mapping.fields
    if not mapped and names:
        columns = listing(names)
        if len(names) == 1:
            message = sentence(
                "the only column, {columns}, is not recognised; are the cells separated by commas, tabs, "
                "semicolons or vertical bars?",
                columns=columns,
            )
        else:
            message = sentence(
                "none of the columns {columns} is recognised; give their meanings with --map", columns=columns
            )
        yield Problem(message, row=1)
        return
    if mapped and not mapped & {"item_id", "question", "context"} and not joins_by_response(mapping, kind):
        yield Problem(NO_ITEM, row=1)
    if kind in {"ratings", "judgments"}:
        yield from _unmapped_scores(mapping, kind)
    if kind == "preferences":
        yield from _unmapped_comparisons(mapping, named=named)


def joins_by_response(mapping: ColumnMapping, kind: Kind) -> bool:
    """Return whether the file has scores of responses that are named only by their id."""
    mapped = mapping.fields
    texts = {"item_id", "question", "context"} & mapped or has_responses(mapping)
    return kind in {"ratings", "judgments"} and "response_id" in mapped and not texts


def _unmapped_scores(mapping: ColumnMapping, kind: Kind) -> Iterator[Problem]:
    mapped = mapping.fields
    wide = any(mapping.starting("rater["))
    nested = bool({"ratings", "responses"} & mapped)
    scored = wide or nested or any(mapping.starting("score[")) or {"score", "samples", "reply"} & mapped
    if not scored:
        yield Problem(
            sentence("no column contains scores; add --map score=COLUMN or --map score[CRITERION]=COLUMN"),
            row=1,
        )
    if wide or nested or "rater" in mapped:
        return
    if (score := mapping.column("score")) and _has_two_responses(mapping):
        yield Problem(sentence(NO_RATER_OF_TWO, column=score), row=1, column=score)
    else:
        yield Problem(NO_JUDGE if kind == "judgments" else NO_RATER, row=1)


def _has_two_responses(mapping: ColumnMapping) -> bool:
    """Return whether the responses are two columns beside each other, as in files of comparisons."""
    named = {fields.recognise(use.column) for use in mapping.starting("response[")}
    return {"response_a", "response_b"} <= named


def _unmapped_comparisons(mapping: ColumnMapping, *, named: bool) -> Iterator[Problem]:
    mapped = mapping.fields
    ordered = {"best", "worst"} <= mapped or "ranking" in mapped or any(mapping.starting("ranking["))
    wide = any(mapping.starting("rater["))
    if not (ordered or wide) and "choice" not in mapped and not any(mapping.starting("choice[")):
        yield Problem(
            sentence(
                "no column contains the preferred response; add --map choice=COLUMN, or map best and "
                "worst, or ranking"
            ),
            row=1,
        )
    elif not ordered:
        sides = [side for side in "ab" if not {f"response_{side}", f"system_{side}"} & mapped]
        if len(sides) == 2:
            yield Problem(sentence(NO_SIDES, choice=mapping.column("choice") or "choice"), row=1)
        elif sides:
            field = f"response_{sides[0]}"
            message = sentence("no column is recognised as {field}; add --map {field}=COLUMN", field=field)
            yield Problem(message, row=1)
    if not (wide or named or "rater" in mapped):
        chosen = mapping.column("choice")
        unnamed = sentence(NO_COMPARING_RATER, column=chosen) if chosen else NO_RATER
        yield Problem(NO_RATER_OF_BOTH_ORDERS if "swapped_choice" in mapped else unnamed, row=1)
