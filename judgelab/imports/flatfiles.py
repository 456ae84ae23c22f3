"""Flat files as a stream of chunks: each opened, its kind and mapping found, its rows assembled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from judgelab.domain import Criterion, Problem, RaterKind
from judgelab.imports import fields
from judgelab.imports.assembling import Assembler
from judgelab.imports.cells import fault_of
from judgelab.imports.habits import Habits, habits_of
from judgelab.imports.mapping import (
    AMBIGUOUS,
    KINDS,
    ColumnMapping,
    Kind,
    guess_kind,
    guess_mapping,
    has_responses,
    states_kind,
    unknown_columns,
)
from judgelab.imports.problems import ProblemLog, listing
from judgelab.imports.records import Chunk
from judgelab.imports.sources import Source, Unreadable
from judgelab.imports.tables import Table, open_table
from judgelab.imports.tools.wording import Wording, wording_of
from judgelab.wording import mark, sentence

CHUNK = 2000  # records held at once
RATED = frozenset({"text", "displayed_text", "content", "body", "sentence"})
NO_ITEM = mark(
    "no column tells items apart; add --map item_id=COLUMN (or question=COLUMN; a file with nothing but "
    "scores can do with response_id)"
)

NO_SIDES = mark(
    "'{choice}' says which of two responses was preferred, and no columns hold the two; add --map "
    "response_a=COLUMN and --map response_b=COLUMN, or import the items alone with --kind items"
)
NO_RATER = mark(
    "no column holds the rater's name; add --map rater=COLUMN, or --map rater[NAME:KIND]=COLUMN for the "
    "column of one rater's scores"
)
NO_JUDGE = mark(
    "no column holds the judge's name; add --map rater=COLUMN, or --map rater[NAME:KIND]=COLUMN for the "
    "column of one rater's scores"
)


@dataclass(frozen=True)
class FlatFile:
    """A file with what it holds and what its columns mean; not `usable` when that is not enough."""

    table: Table
    kind: Kind
    mapping: ColumnMapping
    usable: bool = True
    raters: RaterKind | None = None
    habits: Habits = field(default_factory=Habits)

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """Return the words that stand for scores, by question."""
        return {**self.table.words, **self.habits.words}


@dataclass(frozen=True)
class Choices:
    """What a person said about files.

    Args:
        kind: what all files hold; guessed for each when None.
        mapping: (field, column) pairs for all files.
        mappings: whole mappings by file name, as a page edits them.
        criteria: the project's criteria.
        means: whether human scores are means of several raters.
        tool: the annotation tool that wrote the files; recognised by their content when empty.
    """

    kind: Kind | None = None
    mapping: Sequence[tuple[str, str]] = ()
    mappings: Mapping[str, ColumnMapping] = field(default_factory=dict)
    criteria: Sequence[str] = ()
    means: bool = False
    tool: str = ""


def open_files(sources: Sequence[Source], choices: Choices, problems: ProblemLog) -> list[FlatFile]:
    """Return the files in the order they must be read: items first, scores last."""
    tables, found = [], []
    for source in sources:
        problems.source = source.name if len(sources) > 1 else ""
        try:
            tables.append(open_table(source, tool=choices.tool))
        except Unreadable as error:
            problems.append(error.problem)
    wording = wording_of(table.words for table in tables)
    for table in tables:
        problems.source = table.source.name if len(sources) > 1 else ""
        try:
            found.append(_open(table, wording, choices, problems))
        except Unreadable as error:
            problems.append(error.problem)
    problems.source = ""
    columns = dict.fromkeys(column for file in found for column in file.table.columns)
    if found:
        problems.extend(Problem(said) for said in unknown_columns(choices.mapping, columns))
    return sorted(found, key=lambda file: KINDS.index(file.kind) if file.kind != "references" else 0.5)


def chunks(
    files: Sequence[FlatFile], choices: Choices, problems: ProblemLog, *, most_rows: int | None = None
) -> Iterator[Chunk]:
    """Yield the files' records; bad rows become problems."""
    for file in files:
        name = file.table.source.name if len(files) > 1 else ""
        file.table.problems.source = name
        yield from _chunks_of(file, choices, name=name, most_rows=most_rows)
        problems.source = ""
        problems.take(file.table.problems)


def _open(table: Table, wording: Wording, choices: Choices, problems: ProblemLog) -> FlatFile:
    source = table.source
    mapping = choices.mappings.get(source.name) or guess_mapping(
        table.columns,
        chosen=choices.mapping,
        criteria=choices.criteria,
        kind=choices.kind,
        told=_told(table, wording, choices),
    )
    mapping = _with_response(mapping, table) if source.name not in choices.mappings else mapping
    kind = choices.kind or guess_kind(mapping)
    for column in mapping.undecided:
        problems.append(Problem(sentence(AMBIGUOUS, column=column), row=1, column=column))
    _check_columns(table)
    lacking = list(_unmapped(table, mapping, kind))
    problems.extend(lacking)
    habits = Habits() if lacking else habits_of(table, mapping, criteria=choices.criteria)
    return FlatFile(table, kind, mapping, not lacking, raters=_raters(table, choices), habits=habits)


def _raters(table: Table, choices: Choices) -> RaterKind | None:
    """Return what a person said that all raters are, with `rater_kind=human`; None where nobody did."""
    said = (word for field, word in choices.mapping if states_kind(field, word))
    return next((fields.RATER_KINDS[word] for word in said if word not in table.columns), None)


def _told(table: Table, wording: Wording, choices: Choices) -> dict[str, str]:
    """Return the fields that a tool tells; words in no known order need a criterion that has them."""
    has = {fields.plain(key) for key in choices.criteria}
    unread = {f"score[{name}]" for name in wording.unordered if fields.plain(name) not in has}
    return {column: field for column, field in table.fields.items() if field not in unread}


def _with_response(mapping: ColumnMapping, table: Table) -> ColumnMapping:
    """Return the mapping of a tool's export with what was rated, where no column says that it is that.

    Such a tool shows texts of any name; a text that stands alone is what people rated.
    """
    told = {"response_a", "system_a"} & mapping.fields or mapping.undecided
    if not table.fields or told or has_responses(mapping):
        return mapping
    unread = [column for column in mapping.ignored if column not in table.fields]
    texts = [column for column in unread if column.lower() in RATED]
    rated = texts or (unread if len(unread) == 1 else [])
    return mapping.changed(rated[0], "response", why=mark("what was rated")) if rated else mapping


def _check_columns(table: Table) -> None:
    """Raise `Unreadable` for a column name that can be neither stored nor shown."""
    for number, column in enumerate(table.columns, start=1):
        fault = fault_of(column, place=sentence("the name of column {number}", number=str(number)))
        if fault:
            raise Unreadable(fault, row=1)


def _unmapped(table: Table, mapping: ColumnMapping, kind: Kind) -> Iterator[Problem]:
    """Yield what the mapping lacks for this kind of file."""
    found = mapping.fields
    if not found and table.columns:
        columns = listing(table.columns)
        if len(table.columns) == 1:
            said = sentence(
                "no column is recognised among {columns}; are the cells separated by commas, tabs, "
                "semicolons or bars?",
                columns=columns,
            )
        else:
            said = sentence("no column is recognised among {columns}; name them with --map", columns=columns)
        yield Problem(said, row=1)
        return
    if found and not found & {"item_id", "question", "context"} and not joins_by_response(mapping, kind):
        yield Problem(NO_ITEM, row=1)
    if kind in {"ratings", "judgments"}:
        yield from _unmapped_scores(mapping, kind)
    if kind == "preferences":
        yield from _unmapped_comparisons(mapping)


def joins_by_response(mapping: ColumnMapping, kind: Kind) -> bool:
    """Whether the file brings scores of responses that it names by their id alone."""
    found = mapping.fields
    texts = {"item_id", "question", "context"} & found or has_responses(mapping)
    return kind in {"ratings", "judgments"} and "response_id" in found and not texts


def _unmapped_scores(mapping: ColumnMapping, kind: Kind) -> Iterator[Problem]:
    found = mapping.fields
    wide = any(mapping.starting("rater["))
    nested = bool({"ratings", "responses"} & found)
    scored = wide or nested or any(mapping.starting("score[")) or {"score", "samples", "reply"} & found
    if not scored:
        yield Problem(
            sentence("no column holds scores; add --map score=COLUMN, or --map score[CRITERION]=COLUMN"),
            row=1,
        )
    if not (wide or nested or "rater" in found):
        yield Problem(NO_JUDGE if kind == "judgments" else NO_RATER, row=1)


def _unmapped_comparisons(mapping: ColumnMapping) -> Iterator[Problem]:
    found = mapping.fields
    ordered = {"best", "worst"} <= found or "ranking" in found or any(mapping.starting("ranking["))
    if not ordered and "choice" not in found and not any(mapping.starting("choice[")):
        yield Problem(
            sentence(
                "no column says what was preferred; add --map choice=COLUMN, or best and worst, or ranking"
            ),
            row=1,
        )
    elif not ordered:
        lacking = [side for side in "ab" if not {f"response_{side}", f"system_{side}"} & found]
        if len(lacking) == 2:
            yield Problem(sentence(NO_SIDES, choice=mapping.column("choice") or "choice"), row=1)
        elif lacking:
            field = f"response_{lacking[0]}"
            said = sentence("no column names a response; add --map {field}=COLUMN", field=field)
            yield Problem(said, row=1)
    if "rater" not in found:
        yield Problem(sentence("no column holds the rater's name; add --map rater=COLUMN"), row=1)


def _chunks_of(file: FlatFile, choices: Choices, *, name: str, most_rows: int | None) -> Iterator[Chunk]:
    assembler = Assembler(
        file.mapping,
        kind=file.kind,
        problems=file.table.problems,
        aggregate=choices.means,
        raters=file.raters,
        noted=file.table.noted,
        habits=file.habits,
    )
    references = file.kind == "references"
    chunk, problems, count = Chunk(source=name, adds_only=references), file.table.problems, 0
    try:
        for count, row in enumerate(islice(file.table.rows(), most_rows), start=1):  # noqa: B007
            if file.usable:
                assembler.add(row, chunk)
            if len(chunk) >= CHUNK:
                yield chunk
                chunk = Chunk(source=name, adds_only=references)
    except Unreadable as error:
        problems.append(error.problem)
    if file.usable and not problems.count and not (count and file.table.columns):
        if file.table.columns:
            empty = sentence("the file holds a header and no rows; add rows, or leave the file out")
        else:
            empty = sentence("the file holds no rows with fields; add rows, or leave the file out")
        problems.append(Problem(empty))
    if assembler.nested.unread:
        file.table.notices.append(
            sentence(
                "nothing is read from the keys {keys}; scores of a response are read from {example}",
                keys=listing(list(assembler.nested.unread)),
                example='"ratings": [{"rater": ..., "scores": {...}}]',
            )
        )
    yield chunk


def criteria_of(files: Sequence[FlatFile]) -> Iterator[Criterion]:
    """Yield the criteria that files describe and from which scores are read."""
    read = {name for file in files for name in file.mapping.fields}
    read |= {f"score[{question}]" for file in files for question in file.habits.words}
    for criterion in wording_of(file.words for file in files).criteria:
        if {f"score[{criterion.label}]", f"score[{criterion.key}]"} & read:
            yield criterion


def sample_rows(file: FlatFile, count: int) -> Iterable[Mapping[str, object]]:
    """Return the first rows of a file as they are, for a person to look at."""
    try:
        return [row.cells for row in islice(file.table.rows(), count)]
    except Unreadable:
        return []
