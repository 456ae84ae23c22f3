"""Import documents, such as reviews: rows with an item (or its product) and a source text for answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from judgelab.domain import Problem
from judgelab.errors import ImportProblems
from judgelab.imports.columns.tables import Table, open_table
from judgelab.imports.core.fields import recognise, snake_case
from judgelab.imports.core.problems import ProblemLog, in_file, listing
from judgelab.imports.files.encodings import check_encoding
from judgelab.imports.files.sources import Source, Unreadable, explain_file_errors
from judgelab.imports.report import ImportReport
from judgelab.store.db.engine import Store
from judgelab.store.projects.documents import add_documents, items_by_name
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.importing import save_import
from judgelab.wording import counted, sentence

OWNERS = ("asin", "product", "product_id", "parent_asin")
TEXTS = (
    "document",
    "documents",
    "review",
    "reviews",
    "review_text",
    "reviewtext",
    "text",
    "content",
    "body",
    "passage",
)


@explain_file_errors()
def import_documents(
    store: Store,
    slug: str,
    files: Sequence[tuple[str, bytes | Path]],
    *,
    mapping: Sequence[tuple[str, str]] = (),
    dry_run: bool = False,
    encoding: str = "",
) -> ImportReport:
    """Store the documents of the files with their items and return the number of new ones.

    A row names its item by the item's id, or by a value of the item's metadata (a product that several
    questions are about); the document then belongs to all of those items. Texts that an item already has are
    left unchanged.

    Args:
        store: the database.
        slug: the project.
        files: (name, bytes or path) of each file.
        mapping: (field, column) pairs: `item_id` and `document`.
        dry_run: whether to roll everything back at the end.
        encoding: the encoding of texts that are not UTF-8; guessed if empty.

    Raises:
        ImportProblems: a file cannot be read, a column is missing, or no row names an item of the project.
    """
    with store.reading() as session:
        project_id = find_project(session, slug).id
        items = items_by_name(session, project_id)
    problems = ProblemLog()
    documents: list[tuple[int, str]] = []
    notices: list[str] = []
    strangers = rows = 0
    sources = [Source(name, data, check_encoding(encoding)) for name, data in files]
    for source in sources:
        problems.source = source.name if len(sources) > 1 else ""
        try:
            table = open_table(source)
            for name, text in _rows(table, dict(mapping)):
                rows += 1
                strangers += name not in items
                documents += [(item_id, text) for item_id in items.get(name, ()) if text]
            problems.take(table.problems)
            said = [*table.notices, *table.notes.sentences()]
            notices += [in_file(source.name, notice) if len(sources) > 1 else notice for notice in said]
        except Unreadable as error:
            problems.append(error.problem)
    if not documents and not problems.count:
        problems.source = ""
        problems.append(
            Problem(
                sentence(
                    "no row names an item of this project; import the items first, or name the column "
                    "with their ids with --map item_id=COLUMN"
                )
            )
        )
    if problems.count:
        raise ImportProblems(", ".join(source.name for source in sources), problems.listing())
    if strangers:
        notices.append(
            counted(
                "{n} of {rows} rows does not name an item of this project and was left out",
                "{n} of {rows} rows do not name an item of this project and were left out",
                strangers,
                rows=rows,
            )
        )
    new = same = 0
    with store.writing(dry_run=dry_run) as session:
        new, same = add_documents(session, documents)
        if new and not dry_run:
            for source in sources:
                save_import(
                    session,
                    project_id,
                    source=source.name,
                    sha256=source.sha256(),
                    counts={"documents": new},
                    columns={},
                )
    return ImportReport(documents=new, unchanged={"documents": same} if same else {}, notices=tuple(notices))


def _rows(table: Table, chosen: dict[str, str]) -> Iterator[tuple[str, str]]:
    owner = chosen.get("item_id") or _item_column(table.columns)
    text = chosen.get("document") or next(
        (c for c in table.columns if snake_case(c) in TEXTS and c != owner), None
    )
    for column, field in ((owner, "item_id"), (text, "document")):
        if column is None or column not in table.columns:
            raise Unreadable(
                sentence(
                    "no column is recognised as {field}; add --map {field}=COLUMN (columns: {columns})",
                    field=field,
                    columns=listing(table.columns),
                ),
                row=table.notes.header_row,
            )
    assert owner is not None and text is not None
    for row in table.rows():
        name, value = row.cells.get(owner), row.cells.get(text)
        if name not in (None, "") and value not in (None, ""):
            yield str(name).strip(), " ".join(str(value).split())


def _item_column(columns: Sequence[str]) -> str | None:
    recognised = [column for column in columns if recognise(column) == "item_id"]
    return next(iter(recognised), None) or next((c for c in columns if snake_case(c) in OWNERS), None)
