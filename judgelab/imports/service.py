"""Previewing and importing files: one transaction, or nothing."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports import flatfiles
from judgelab.imports.checking import Checker
from judgelab.imports.exports import import_export, is_export
from judgelab.imports.flatfiles import Choices, FlatFile
from judgelab.imports.joining import ResponseIndex
from judgelab.imports.mapping import ColumnMapping, check_kind
from judgelab.imports.presets import Folder, presets
from judgelab.imports.records import Chunk
from judgelab.imports.report import FilePreview, ImportReport, Preview
from judgelab.imports.sources import Source, Unreadable, files_at, files_explained, name_of_file
from judgelab.store.engine import Store
from judgelab.store.importing import ImportWriter, has_scores, known, note_import
from judgelab.store.outdated import outdated_notices
from judgelab.store.projects import (
    ProjectInfo,
    add_criteria,
    criterion_ids,
    find_project,
    update_criterion,
)
from judgelab.store.records import Batch

PREVIEW_ROWS = 1000  # rows of each file that a preview checks
SHOWN_ROWS = 20
COUNTED = ("items", "responses", "ratings", "judgments", "preferences", "rankings", "metrics")
COUNTED = ("items", "responses", "ratings", "judgments", "preferences", "rankings", "metrics")
SPOOL = 64_000_000  # bytes of checked records kept in memory before they go to a temporary file

Files = Sequence[tuple[str, bytes | Path]]


@dataclass(frozen=True)
class _Plan:
    """Everything decided before the first row is read."""

    project: ProjectInfo
    criteria: tuple[Criterion, ...]
    replaced: tuple[Criterion, ...]
    checker: Checker
    chunks: Iterator[Chunk]
    flat: tuple[FlatFile, ...]
    sources: tuple[Source, ...]


class _RolledBack(Exception):
    """Ends a rehearsal: everything was tried, nothing is kept."""


@files_explained()
def import_files(
    store: Store,
    slug: str,
    files: Files,
    *,
    kind: str | None = None,
    preset: str | None = None,
    mapping: Sequence[tuple[str, str]] = (),
    mappings: Mapping[str, ColumnMapping] | None = None,
    create_missing: bool = False,
    means: bool = False,
    criteria: Sequence[Criterion] = (),
    dry_run: bool = False,
    grant_roles: bool = False,
) -> ImportReport:
    """Store what the files hold and return what was new; with `dry_run`, only find out.

    The files of an export of ours are recognised, and a project that is not there is then created.

    Args:
        store: the database.
        slug: the project.
        files: (name, bytes or path) of each file.
        kind: items, ratings, judgments or references; guessed per file when None.
        preset: the name of a published shape, whose files these are.
        mapping: (field, column) pairs, as `--map` gives them.
        mappings: whole mappings by file name, as a page edits them.
        create_missing: create items and responses that only scores name, without texts.
        means: human scores are means of several raters and may lie between points.
        criteria: criteria to create, as a person changed those that the files propose.
        dry_run: roll everything back at the end.
        grant_roles: let an export of ours give people the rights to research and own that they had.

    Raises:
        ImportProblems: with all problems by row and column; nothing was stored.
    """
    if preset is None and is_export([name for name, _ in files]):
        return import_export(store, slug, files, dry_run=dry_run, grant_roles=grant_roles)
    choices = Choices(check_kind(kind), tuple(mapping), dict(mappings or {}), means=means)
    plan = _plan(store, slug, files, choices, preset=preset, create_missing=create_missing, criteria=criteria)
    with tempfile.SpooledTemporaryFile(max_size=SPOOL) as spool:
        for chunk in plan.chunks:
            _put(spool, plan.checker.check(chunk))
        spool.seek(0)
        try:
            with store.writing() as session:
                report = _store(session, plan, _take(spool))
                if dry_run:
                    raise _RolledBack
        except _RolledBack:
            pass
    return report


@files_explained()
def preview(
    store: Store,
    slug: str,
    files: Files,
    *,
    kind: str | None = None,
    preset: str | None = None,
    mapping: Sequence[tuple[str, str]] = (),
    mappings: Mapping[str, ColumnMapping] | None = None,
    create_missing: bool = False,
    means: bool = False,
    criteria: Sequence[Criterion] = (),
) -> Preview:
    """Return how the beginning of the files would be read; nothing is stored.

    Takes what `import_files` takes. Contradictions with stored texts are found by `import_files` only; an
    export of ours has nothing to map and is shown by the names of its files.
    """
    if preset is None and is_export([name for name, _ in files]):
        names = tuple(FilePreview(name, None, None, ()) for name, _ in files)
        return Preview(
            names, {}, (), (), ("this is an export of JudgeLab; all of it is taken",), complete=False
        )
    choices = Choices(check_kind(kind), tuple(mapping), dict(mappings or {}), means=means)
    most = None if preset else PREVIEW_ROWS
    plan = _plan(
        store,
        slug,
        files,
        choices,
        preset=preset,
        create_missing=create_missing,
        criteria=criteria,
        most_rows=most,
    )
    counts = dict.fromkeys(COUNTED, 0)
    rows = 0
    for chunk in plan.chunks:
        rows += len(chunk)
        batch = plan.checker.check(chunk)
        for name in counts:
            counts[name] += len(getattr(batch, name))
    shown = [
        FilePreview(
            file.table.source.name, file.kind, file.mapping, tuple(flatfiles.sample_rows(file, SHOWN_ROWS))
        )
        for file in plan.flat
    ]
    return Preview(
        tuple(shown) or tuple(FilePreview(source.name, None, None, ()) for source in plan.sources),
        counts,
        (*plan.criteria, *plan.checker.new_criteria),
        plan.checker.problems.listing(),
        (*flatfiles.notices(plan.flat), *plan.checker.notices()),
        complete=most is None or all(_is_short(file) for file in plan.flat),
    )


def collect(paths: Sequence[Path]) -> list[tuple[str, bytes | Path]]:
    """Return the files at the paths: a folder's files, or those whose names begin as the path does.

    `sets/cebab_stars` stands for `sets/cebab_stars_human.json` and `sets/cebab_stars_judges.json`.

    Raises:
        InvalidInput: there is no such file.
    """
    found = dict.fromkeys(file for path in paths for file in files_at(path))
    return [(name_of_file(path), path) for path in found]


def _plan(
    store: Store,
    slug: str,
    files: Files,
    choices: Choices,
    *,
    preset: str | None,
    create_missing: bool,
    criteria: Sequence[Criterion],
    most_rows: int | None = None,
) -> _Plan:
    sources = tuple(Source(name, data) for name, data in files)
    if not sources:
        raise InvalidInput("there is no file to import.")
    with store.reading() as session:
        project = find_project(session, slug)
        before, scored = known(session, project.id), has_scores(session, project.id)
    brought, replaced = _preset_criteria(project, sources, preset, scored=scored)
    added = _as_changed(brought, criteria, project)
    kept = [c for c in project.criteria if c.key not in {r.key for r in replaced}]
    index = ResponseIndex(before.responses)
    for item_id in before.items:
        index.add_item(item_id)
    checker = Checker(
        [*kept, *replaced, *added], index=index, raters=before.raters, create_missing=create_missing
    )
    if preset:
        chunks, flat = _preset_chunks(sources, preset), []
    else:
        choices = replace(choices, criteria=[c.key for c in project.criteria])
        flat = flatfiles.open_files(sources, choices, checker.problems)
        chunks = flatfiles.chunks(flat, choices, checker.problems, most_rows=most_rows)
    return _Plan(project, added, replaced, checker, chunks, tuple(flat), sources)


def _as_changed(
    brought: Sequence[Criterion], changed: Sequence[Criterion], project: ProjectInfo
) -> tuple[Criterion, ...]:
    """Return the criteria to create: those of the preset and those a person settled, theirs first."""
    theirs = {c.key: c for c in changed if c.key not in {own.key for own in project.criteria}}
    return (*theirs.values(), *(c for c in brought if c.key not in theirs))


def _preset_criteria(
    project: ProjectInfo, sources: Sequence[Source], name: str | None, *, scored: bool
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """Return the criteria a preset adds, and those whose scale it sets while nobody has rated yet."""
    if name is None:
        return (), ()
    folder, preset = Folder(sources), presets.get(name)()
    preset.check(folder)
    own = {c.key: c for c in project.criteria}
    brought = preset.criteria(folder)
    added = tuple(c for c in brought if c.key not in own)
    differ = tuple(c for c in brought if c.key in own and dict(c.scale) != dict(own[c.key].scale))
    return added, () if scored else differ


def _preset_chunks(sources: Sequence[Source], name: str) -> Iterator[Chunk]:
    try:
        yield from presets.get(name)().read(Folder(sources))
    except Unreadable as error:
        raise ImportProblems(name, [error.problem]) from error


def _store(session: Any, plan: _Plan, batches: Iterator[Batch]) -> ImportReport:
    """Store the batches; raises `ImportProblems` at the end, which rolls everything back."""
    project = plan.project
    criteria = (*plan.criteria, *plan.checker.new_criteria)
    add_criteria(session, project.id, criteria)
    for criterion in plan.replaced:
        update_criterion(session, project.id, criterion)
    writer = ImportWriter(session, project.id, criterion_ids=criterion_ids(session, project.id))
    for batch in batches:
        writer.write(batch)
    writer.finish()
    problems, books = plan.checker.problems, writer.ledger
    problems.extend(books.problems)
    source = ", ".join(source.name for source in plan.sources)
    if problems.count:
        raise ImportProblems(source, problems.listing())
    if books.new.total() or books.changed.total():
        for file in plan.sources:
            note_import(session, project.id, source=file.name, sha256=file.sha256(), counts=dict(books.new))
    counts: dict[str, Any] = dict(books.new)
    return ImportReport(
        **counts,
        changed=dict(+books.changed),
        unchanged=dict(+books.unchanged),
        criteria=tuple(criterion.key for criterion in criteria),
        notices=(*flatfiles.notices(plan.flat), *plan.checker.notices(), *outdated_notices(books)),
    )


def _put(spool: IO[bytes], batch: Batch) -> None:
    pickle.dump(batch, spool, protocol=pickle.HIGHEST_PROTOCOL)


def _take(spool: IO[bytes]) -> Iterator[Batch]:
    while True:
        try:
            yield pickle.load(spool)  # our own temporary file
        except EOFError:
            return


def _is_short(file: FlatFile) -> bool:
    return sum(1 for _ in flatfiles.sample_rows(file, PREVIEW_ROWS + 1)) <= PREVIEW_ROWS
