"""Read flat files as a stream of chunks: open each, find its kind and mapping, assemble its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePath

from judgelab.domain import Criterion, Problem, RaterKind
from judgelab.imports.columns.cell_meanings import Meanings, with_meanings, words_with_meanings
from judgelab.imports.columns.choice_columns import choice_columns
from judgelab.imports.columns.choice_numbers import choice_numbers
from judgelab.imports.columns.column_habits import Habits, habits_of
from judgelab.imports.columns.conversations import read_conversations
from judgelab.imports.columns.doubtful_rows import leave_out_doubtful_rows
from judgelab.imports.columns.fastchat_rows import read_fastchat_rows
from judgelab.imports.columns.guessing import guess_mapping
from judgelab.imports.columns.mapping import (
    AMBIGUOUS,
    KINDS,
    ColumnMapping,
    Kind,
    guess_kind,
    has_responses,
    has_texts,
    states_kind,
    unknown_columns,
)
from judgelab.imports.columns.missing_columns import missing_columns
from judgelab.imports.columns.nested_columns import add_nested_columns
from judgelab.imports.columns.people_lists import refuse_list_of_people
from judgelab.imports.columns.row_ids import RowIds
from judgelab.imports.columns.tables import Table, open_tables
from judgelab.imports.columns.unread_columns import unclear_score
from judgelab.imports.core import fields
from judgelab.imports.core.cells import text_fault
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.core.records import RecordChunk
from judgelab.imports.core.word_scales import WordScales, word_scales_of
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.rows.assembler import Assembler
from judgelab.imports.rows.rater_kinds import unclear_rater
from judgelab.wording import mark, sentence

CHUNK = 2000  # records per chunk
RATERS_OF: Mapping[Kind, RaterKind] = {"ratings": "human", "judgments": "judge"}
RATED_TEXT_COLUMNS = frozenset({"text", "displayed_text", "content", "body", "sentence"})


@dataclass(frozen=True)
class FlatFile:
    """A file with its kind and mapping; not `usable` if they are not sufficient.

    `kind_given` is whether a person gave its kind; `rater` made all comparisons of a file without names;
    `asks_kind` is whether a person must say if its raters are judges.
    """

    table: Table
    kind: Kind
    mapping: ColumnMapping
    usable: bool = True
    raters: RaterKind | None = None
    habits: Habits = field(default_factory=Habits)
    kind_given: bool = False
    rater: str = ""
    asks_kind: bool = False

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """Return the words that stand for scores, by question."""
        return {**self.table.words, **self.habits.words}


@dataclass(frozen=True)
class Choices:
    """A person's choices about how files are read.

    Args:
        kind: the kind of all files; guessed for each if None.
        mapping: (field, column) pairs for all files.
        mappings: complete mappings by file name, as edited on a page.
        criteria: the project's criteria.
        means: whether human scores are means of several raters.
        create_missing: whether to create items that only scores name.
        meanings: what values of columns mean, by field.
        missing: cells that mean "no score", in addition to empty ones and the usual words.
        tool: the annotation tool that wrote the files; recognised by their content if empty.
    """

    kind: Kind | None = None
    mapping: Sequence[tuple[str, str]] = ()
    mappings: Mapping[str, ColumnMapping] = field(default_factory=dict)
    criteria: Sequence[str] = ()
    means: bool = False
    create_missing: bool = False
    meanings: Meanings = field(default_factory=dict)
    missing: Collection[str] = ()
    tool: str = ""


def open_files(sources: Sequence[Source], choices: Choices, problems: ProblemLog) -> list[FlatFile]:
    """Return the files in the order in which they must be read: items first, scores last."""
    mapped = any(not states_kind(field, word) for field, word in choices.mapping)
    tables = open_tables(sources, problems, tool=choices.tool, mapped=mapped, raters=_rater_kind(choices))
    files = []
    wording = word_scales_of(table.words for table in tables)
    for table in tables:
        problems.source = table.source.name if len(sources) > 1 else ""
        try:
            files.append(_open(table, wording, choices, problems))
        except Unreadable as error:
            problems.append(error.problem)
    problems.source = ""
    columns = dict.fromkeys(column for file in files for column in file.table.columns)
    if files:
        problems.extend(Problem(message) for message in unknown_columns(choices.mapping, columns))
    return sorted(files, key=lambda file: KINDS.index(file.kind) if file.kind != "references" else 0.5)


def chunks(
    files: Sequence[FlatFile], choices: Choices, problems: ProblemLog, *, most_rows: int | None = None
) -> Iterator[RecordChunk]:
    """Yield the files' records in chunks; bad rows become problems."""
    for file in files:
        name = file.table.source.name if len(files) > 1 else ""
        file.table.problems.source = name
        yield from _chunks_of(file, choices, name=name, most_rows=most_rows)
        problems.source = ""
        problems.take(file.table.problems)


def _open(table: Table, wording: WordScales, choices: Choices, problems: ProblemLog) -> FlatFile:
    source = table.source
    if not choices.mapping and source.name not in choices.mappings:
        refuse_list_of_people(table)
    read_conversations(table)
    read_fastchat_rows(table)
    add_nested_columns(table)
    mapping = choices.mappings.get(source.name) or guess_mapping(
        table.columns,
        chosen=choices.mapping,
        criteria=choices.criteria,
        kind=choices.kind,
        known_fields=_tool_fields(table, wording, choices),
        choice_columns=choice_columns(table),
    )
    mapping = _with_response(mapping, table) if source.name not in choices.mappings else mapping
    kind, raters = choices.kind or guess_kind(mapping), _rater_kind(choices)
    if kind in RATERS_OF and guess_kind(mapping) == "preferences":
        kind, raters = "preferences", raters or RATERS_OF[kind]
    mapping = leave_out_doubtful_rows(table, mapping, kind)
    header = table.notes.header_row
    for column in mapping.undecided:
        problems.append(Problem(sentence(AMBIGUOUS, column=column), row=header, column=column))
    _check_columns(table)
    numbers = choice_numbers(table, mapping, choices.meanings, missing=choices.missing)
    table.reader = with_meanings(table.reader, mapping, choices.meanings)
    table.words = words_with_meanings(table.words, choices.meanings)
    rater = _rater_of_file(table, mapping, kind, raters)
    unclear = unclear_rater(table, mapping, kind)
    if unclear and raters is None:
        problems.append(unclear)
    said = any(field.startswith("score") for field, _column in choices.mapping)
    problems.extend([] if said else filter(None, [unclear_score(table, mapping)]))
    found = missing_columns(table.columns, mapping, kind, named=bool(rater))
    missing = [replace(problem, row=header) for problem in found]
    problems.extend(missing)
    habits = Habits() if missing else habits_of(table, mapping, criteria=choices.criteria)
    return FlatFile(
        table,
        kind,
        mapping,
        not missing,
        raters=raters,
        habits=replace(habits, numbers=numbers),
        kind_given=choices.kind is not None,
        rater=rater,
        asks_kind=unclear is not None,
    )


def _rater_of_file(table: Table, mapping: ColumnMapping, kind: Kind, raters: RaterKind | None) -> str:
    """Return the name of the only judge in a file of comparisons without names: that of the file, or ""."""
    if kind != "preferences" or raters != "judge":
        return ""
    if "rater" in mapping.fields or any(mapping.starting("rater[")):
        return ""
    path = PurePath(table.source.name)
    name = path.parent.as_posix() if len(path.parts) > 1 else path.stem  # folders tell result.json apart
    table.notices.append(
        sentence(
            "no column contains the judge's name, so it is called '{name}' after the file; for another name, "
            "rename the file",
            name=name,
        )
    )
    return name


def _rater_kind(choices: Choices) -> RaterKind | None:
    """Return the kind of all raters if a person gave it, as with `rater_kind=human`, or None.

    A column of that name is of no account: one called `judge` has names.
    """
    kinds = (word for field, word in choices.mapping if states_kind(field, word))
    return next((fields.RATER_KINDS[word] for word in kinds), None)


def _tool_fields(table: Table, wording: WordScales, choices: Choices) -> dict[str, str]:
    """Return the fields known from a tool; words in no known order need an existing criterion."""
    criteria = {fields.snake_case(key) for key in choices.criteria}
    unread = {f"score[{name}]" for name in wording.unordered if fields.snake_case(name) not in criteria}
    return {column: field for column, field in table.fields.items() if field not in unread}


def _with_response(mapping: ColumnMapping, table: Table) -> ColumnMapping:
    """Return the mapping of a tool's export with the rated text as the response, if no column is one yet.

    Annotation tools show texts under any name; if there is only one text, it is what people rated.
    """
    has_sides = {"response_a", "system_a"} & mapping.fields or mapping.undecided
    if not table.fields or has_sides or has_responses(mapping):
        return mapping
    unread = [column for column in mapping.ignored if column not in table.fields]
    texts = [column for column in unread if column.lower() in RATED_TEXT_COLUMNS]
    rated = texts or (unread if len(unread) == 1 else [])
    return mapping.changed(rated[0], "response", why=mark("the rated text")) if rated else mapping


def _check_columns(table: Table) -> None:
    """Raise `Unreadable` for a column name that cannot be stored."""
    for number, column in enumerate(table.columns, start=1):
        fault = text_fault(column, place=sentence("the name of column {number}", number=str(number)))
        if fault:
            raise Unreadable(fault, row=table.notes.header_row)


def _chunks_of(
    file: FlatFile, choices: Choices, *, name: str, most_rows: int | None
) -> Iterator[RecordChunk]:
    assembler = Assembler(
        file.mapping,
        kind=file.kind,
        problems=file.table.problems,
        aggregate=choices.means,
        raters=file.raters,
        notes=file.table.notes,
        habits=file.habits,
        rater=file.rater,
    )
    references = file.kind == "references"
    chunk, problems, count = RecordChunk(source=name, adds_only=references), file.table.problems, 0
    ids = RowIds(file.mapping, file.kind)
    named = choices.create_missing or has_texts(file.mapping, file.kind)
    try:
        for count, row in enumerate(islice(file.table.rows(), most_rows), start=1):  # noqa: B007
            if file.usable:
                assembler.add(row, chunk)
                ids.add(row)
            if len(chunk) >= CHUNK:
                yield chunk
                chunk = RecordChunk(source=name, adds_only=references)
    except Unreadable as error:
        problems.append(error.problem)
    if file.usable and not problems.count and not (count and file.table.columns):
        if file.table.columns:
            empty = sentence("the file has a header but no rows; add rows, or leave the file out")
        else:
            empty = sentence("the file has no rows with fields; add rows, or leave the file out")
        problems.append(Problem(empty))
    if named and (notice := ids.notice()):
        file.table.notices.append(notice)
    if assembler.nested.unread:
        file.table.notices.append(
            sentence(
                "nothing is read from the keys {keys}; write the scores of a response as {example}",
                keys=listing(list(assembler.nested.unread)),
                example='"ratings": [{"rater": ..., "scores": {...}}]',
            )
        )
    yield chunk


def criteria_of(files: Sequence[FlatFile]) -> Iterator[Criterion]:
    """Yield the criteria described in the files whose scores are read."""
    read = {name for file in files for name in file.mapping.fields}
    read |= {f"score[{question}]" for file in files for question in file.habits.words}
    for criterion in word_scales_of(file.words for file in files).criteria:
        if {f"score[{criterion.label}]", f"score[{criterion.key}]"} & read:
            yield criterion


def sample_rows(file: FlatFile, count: int) -> Iterable[Mapping[str, object]]:
    """Return the first rows of a file, unchanged."""
    try:
        return [row.cells for row in islice(file.table.rows(), count)]
    except Unreadable:
        return []
