"""Notices about how files were read: assumptions, and columns that are not read."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from judgelab.imports.columns.mapping import has_responses, names_judges
from judgelab.imports.columns.missing_columns import joins_by_response
from judgelab.imports.columns.unread_columns import SAMPLE_ROWS, score_like_columns, unused_columns
from judgelab.imports.core.cells import name_of
from judgelab.imports.core.problems import in_file, listing
from judgelab.imports.core.rater_names import is_like_a_model
from judgelab.imports.core.word_scales import word_scales_of
from judgelab.imports.rows.flat_files import FlatFile, sample_rows
from judgelab.imports.rows.rater_kinds import RaterKinds
from judgelab.wording import mark, sentence

NO_PEOPLE = re.compile("model|auto", re.IGNORECASE)  # in column names of judges that cannot be people
HOLDS: Mapping[str, str] = {
    "items": mark("items with responses"),
    "ratings": mark("human ratings"),
    "judgments": mark("judge scores"),
    "references": mark("references"),
    "preferences": mark("comparisons of responses"),
}


def reading_notices(files: Sequence[FlatFile], *, given: Container[str] = ()) -> Iterator[str]:
    """Yield notices about assumptions and about columns that are not read.

    A person has given the scales of the criteria in `given`.
    """
    yield from word_scales_of(file.words for file in files).notices(given=given)
    bare = not any(has_responses(file.mapping) for file in files)
    for file in files:
        for notice in (
            *file.table.notices,
            *file.table.notes.sentences(),
            *_assumption_notices(file, bare=bare),
        ):
            yield in_file(file.table.source.name, notice) if len(files) > 1 else notice


def _assumption_notices(file: FlatFile, *, bare: bool) -> Iterator[str]:
    if "item_id" not in file.mapping.fields and "question" in file.mapping.fields:
        yield sentence("there is no item_id column, so items are identified by their question and context")
    if joins_by_response(file.mapping, file.kind):
        yield sentence("there is no item_id column, so scores are matched by response_id alone")
    without = file.kind == "items" and file.mapping.fields and not has_responses(file.mapping)
    if without and ((bare and file.mapping.ignored) or "system" in file.mapping.fields):
        yield sentence(
            "no column is recognised as the systems' responses, so only items will be stored; if there is "
            "one, add --map response=COLUMN"
        )
    people, named_people = _perhaps_people(file)
    if named_people:
        yield sentence(
            "stored as people because of their names, although the column is called '{column}': {names}; if "
            "they are judges, add --map rater_kind=judge",
            names=listing(named_people),
            column=file.mapping.column("rater") or "",
        )
    if people:
        yield sentence(
            "stored as judges because of the column name '{column}': {names}; if they are people, add "
            "--map rater_kind=human",
            names=listing(people),
            column=file.mapping.column("rater") or "",
        )
    yield from _unread_notices(file)


def _perhaps_people(file: FlatFile) -> tuple[list[str], list[str]]:
    """Return the names in a column of judges that may be people's, and those that are read as people's."""
    given = file.kind_given or file.raters is not None or "rater_kind" in file.mapping.fields
    if given or file.kind not in ("judgments", "preferences") or not names_judges(file.mapping):
        return [], []
    column, kinds = file.mapping.column("rater") or "", RaterKinds(file.mapping, file.kind, file.raters)
    rows = sample_rows(file, SAMPLE_ROWS)
    names = [name for name in dict.fromkeys(name_of(row.get(column)) for row in rows) if name]
    people = [name for name in names if kinds.of(name) == "human"]
    if NO_PEOPLE.search(column):
        return [], people
    return [name for name in names if name not in people and not is_like_a_model(name)], people


def _unread_notices(file: FlatFile) -> Iterator[str]:
    """Yield notices about columns that are not read, with possible scores first."""
    if idle := unused_columns(file.mapping, file.kind):
        yield sentence(
            "nothing is read from {columns}: the file is taken for {kind}; if it contains something else, "
            "specify --kind",
            columns=listing([f"{use.column} ({use.field})" for use in idle]),
            kind=sentence(HOLDS[file.kind]),
        )
    ignored = file.mapping.ignored
    rows = list(sample_rows(file, SAMPLE_ROWS)) if ignored else []
    read = {use.column for use in file.mapping.uses}.difference(ignored)
    scored = [name for name in dict.fromkeys(score_like_columns(ignored, rows)) if name not in read]
    if columns := [name for name in scored if name in file.table.columns]:
        yield sentence(
            "some columns that are not read may contain scores: {columns}; to read them, add --map "
            "score[CRITERION]=COLUMN, or --map rater[NAME:KIND]=COLUMN for a column with one rater's scores",
            columns=listing(columns),
        )
    if in_lists := [name for name in scored if name not in columns]:
        yield sentence(
            "lists of objects that are not read may contain scores: {names}; to read them, write a column "
            "for each criterion, or a row for each score",
            names=listing(in_lists),
        )
    inside = [*scored, *(name for name in read if name in file.table.columns)]
    rest = [c for c in ignored if c not in scored and not any(name.startswith(f"{c}.") for name in inside)]
    if rest:
        yield sentence(
            "nothing is read from {columns}; to use a column, give its meaning with --map FIELD=COLUMN",
            columns=listing(rest),
        )
