"""Preview and import files; everything is stored in one transaction, or nothing."""

from __future__ import annotations

import logging
import pickle
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, StoreUnavailable
from judgelab.imports.columns.cell_meanings import meanings_of
from judgelab.imports.columns.mapping import ColumnMapping, check_kind
from judgelab.imports.columns.remembered_mappings import mapping_record
from judgelab.imports.documents import import_documents
from judgelab.imports.exports import import_export, is_export
from judgelab.imports.files.images import read_images
from judgelab.imports.files.sources import explain_file_errors, files_at, names_of_files
from judgelab.imports.images import import_images
from judgelab.imports.import_plan import ImportPlan, plan_import
from judgelab.imports.report import FilePreview, ImportReport, Preview
from judgelab.imports.rows import flat_files
from judgelab.imports.rows.flat_files import Choices, FlatFile
from judgelab.imports.uploads import Files, opened
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects.images import save_images
from judgelab.store.projects.projects import set_text_formats
from judgelab.store.rating.criteria import add_criteria, criterion_ids, update_criterion
from judgelab.store.transfer.importing import ImportWriter, save_import
from judgelab.store.transfer.outdated import outdated_notices
from judgelab.store.transfer.records import RecordBatch
from judgelab.wording import sentence

log = logging.getLogger("judgelab.imports")
PREVIEW_ROWS = 1000  # rows of each file checked by a preview
SHOWN_ROWS = 20
COUNTED = (
    *("items", "responses", "ratings", "judgments", "preferences", "judged_pairs", "rankings"),
    *("metrics", "known_scores"),
)
SPOOL = 64_000_000  # bytes of checked records kept in memory before they go to a temporary file


@explain_file_errors()
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
    missing: Collection[str] = (),
    scales: Mapping[str, Mapping[str, Any]] | None = None,
    values: Sequence[str] = (),
    encoding: str = "",
    dry_run: bool = False,
    grant_roles: bool = False,
    person_id: int | None = None,
) -> ImportReport:
    """Store the content of the files and return a report; with `dry_run`, store nothing.

    A JudgeLab export is recognised, and its project is created if it does not exist.

    Args:
        store: the database.
        slug: the project.
        files: (name, bytes or path) of each file, zip archive or folder; images may come with them.
        kind: items, ratings, judgments, references or documents; guessed for each file if None (never
            documents).
        preset: the name of the preset for the files.
        mapping: (field, column) pairs, as given by `--map`.
        mappings: complete mappings by file name, as edited on a page.
        create_missing: whether to create items and responses without texts if only scores name them.
        means: whether human scores are means of several raters, which may be between points.
        criteria: criteria to create, as changed by a person.
        missing: cells that mean "no score", in addition to empty ones and the usual words.
        scales: the scales of new criteria by name; otherwise inferred.
        values: what values of columns mean, as given by `--value` ("choice:1=a").
        encoding: the encoding of texts that are not UTF-8; guessed if empty.
        dry_run: whether to roll everything back at the end.
        grant_roles: whether an export may give people the roles of researcher and owner that they had.
        person_id: whose import it is, for the audit log.

    Raises:
        ImportProblems: lists all problems by row and column; nothing was stored.
    """
    upload = opened(files, preset=preset)
    if upload.images and not upload.files:
        report = import_images(store, slug, upload, dry_run=dry_run)
    elif kind == "documents":
        data = upload.data()
        report = import_documents(store, slug, data, mapping=mapping, dry_run=dry_run, encoding=encoding)
    elif preset is None and is_export([name for name, _ in upload.files]):
        report = import_export(store, slug, upload.data(), dry_run=dry_run, grant_roles=grant_roles)
    else:
        choices = Choices(
            check_kind(kind), tuple(mapping), dict(mappings or {}), means=means, meanings=meanings_of(values)
        )
        plan = plan_import(
            store,
            slug,
            upload,
            choices,
            preset=preset,
            create_missing=create_missing,
            criteria=criteria,
            missing=missing,
            scales=scales,
            encoding=encoding,
        )
        report = _carry_out(store, plan, values=values, dry_run=dry_run)
    if person_id is not None and not dry_run:
        detail = {"files": [name for name, _ in files], "found": report.sentence()}
        audit.record_done(store, slug, "imported", person_id=person_id, detail=detail)
    return report


def _carry_out(store: Store, plan: ImportPlan, *, values: Sequence[str], dry_run: bool) -> ImportReport:
    """Check every record of the plan, then store all of them in one transaction, or none."""
    with tempfile.SpooledTemporaryFile(max_size=SPOOL) as spool:
        for chunk in plan.chunks:
            _dump(spool, plan.check(chunk))
        plan.checker.finish()
        spool.seek(0)
        with store.writing(dry_run=dry_run) as session:
            return _store(session, plan, _load(spool), values=values)


@explain_file_errors()
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
    missing: Collection[str] = (),
    values: Sequence[str] = (),
    encoding: str = "",
) -> Preview:
    """Return how the beginnings of the files would be read; nothing is stored.

    Takes the arguments of `import_files`. Short files are also checked against the stored data, by a dry run;
    for longer ones, only `import_files` does this. A JudgeLab export has nothing to map, so only its file
    names are returned.
    """
    upload = opened(files, preset=preset)
    if upload.images and not upload.files:
        return Preview((), {"images": len(upload.images)}, (), (), upload.notices, complete=True)
    if preset is None and is_export([name for name, _ in upload.files]):
        names = tuple(FilePreview(name, None, None, ()) for name, _ in upload.files)
        return Preview(
            names,
            {},
            (),
            (),
            (sentence("this is a JudgeLab export; all of it is imported"),),
            complete=False,
        )
    choices = Choices(
        check_kind(kind), tuple(mapping), dict(mappings or {}), means=means, meanings=meanings_of(values)
    )
    most = None if preset else PREVIEW_ROWS
    plan = plan_import(
        store,
        slug,
        upload,
        choices,
        preset=preset,
        create_missing=create_missing,
        criteria=criteria,
        missing=missing,
        most_rows=most,
        encoding=encoding,
    )
    counts = dict.fromkeys(COUNTED, 0) | {"images": len(upload.images)}
    rows = 0
    for chunk in plan.chunks:
        rows += len(chunk)
        batch = plan.check(chunk)
        for name in COUNTED:
            counts[name] += len(getattr(batch, name))
    plan.checker.finish()
    shown = [
        FilePreview(
            *(file.table.source.name, file.kind, file.mapping),
            tuple(flat_files.sample_rows(file, SHOWN_ROWS)),
            file.asks_kind,
            file.table.guessed,
        )
        for file in plan.flat
    ]
    complete = most is None or all(_is_short(file) for file in plan.flat)
    problems = plan.checker.problems.listing()
    if complete and rows <= PREVIEW_ROWS:
        try:
            import_files(
                store, slug, files, kind=kind, preset=preset, mapping=mapping, mappings=mappings,
                create_missing=create_missing, means=means, criteria=criteria, missing=missing, values=values,
                encoding=encoding, dry_run=True,
            )  # fmt: skip
        except ImportProblems as error:
            problems = error.problems
        except StoreUnavailable as error:
            log.info("the preview ignores stored data: %s", error)
    return Preview(
        tuple(shown) or tuple(FilePreview(source.name, None, None, ()) for source in plan.sources),
        counts,
        (*plan.criteria, *plan.checker.new_criteria),
        problems,
        plan.notices(),
        complete=complete,
        doubtful=plan.checker.doubtful,
        unread_choices=plan.checker.unread_choices,
    )


def collect_files(paths: Sequence[Path]) -> list[tuple[str, bytes | Path]]:
    """Return the files at the paths: a folder's files, or those whose names begin with the path.

    `sets/cebab_stars` stands for `sets/cebab_stars_human.json` and `sets/cebab_stars_judges.json`. Files of
    the same name in several folders are named with as many of their folders as tell them apart.

    Raises:
        InvalidInput: there is no such file.
    """
    paths_found = dict.fromkeys(file for path in paths for file in files_at(path))
    return list(zip(names_of_files(list(paths_found)), paths_found, strict=True))


def _store(
    session: Any, plan: ImportPlan, batches: Iterator[RecordBatch], *, values: Sequence[str]
) -> ImportReport:
    """Store the batches; raises `ImportProblems` at the end, which rolls everything back."""
    project = plan.project
    criteria = (*plan.criteria, *plan.checker.new_criteria)
    add_criteria(session, project.id, criteria)
    for criterion in plan.replaced:
        update_criterion(session, project.id, criterion)
    set_text_formats(session, project.id, plan.text_formats.guessed())
    writer = ImportWriter(session, project.id, criterion_ids=criterion_ids(session, project.id))
    for batch in batches:
        writer.write(batch)
    writer.finish()
    save_images(writer.ledger, read_images(plan.images))
    problems, ledger = plan.checker.problems, writer.ledger
    problems.extend(ledger.problems)
    source = ", ".join(source.name for source in plan.sources)
    if problems.count:
        raise ImportProblems(source, problems.listing())
    if ledger.new.total() or ledger.changed.total():
        columns = {
            file.table.source.name: mapping_record(file.kind, file.mapping, values) for file in plan.flat
        }
        for file in plan.sources:
            save_import(
                session,
                project.id,
                source=file.name,
                sha256=file.sha256(),
                counts=ledger.new,
                columns=columns.get(file.name, {}),
            )
    counts: dict[str, Any] = dict(ledger.new)
    return ImportReport(
        **counts,
        changed=dict(+ledger.changed),
        unchanged=dict(+ledger.unchanged),
        criteria=tuple(criterion.key for criterion in criteria),
        notices=(*plan.notices(), *outdated_notices(ledger)),
    )


def _dump(spool: IO[bytes], batch: RecordBatch) -> None:
    pickle.dump(batch, spool, protocol=pickle.HIGHEST_PROTOCOL)


def _load(spool: IO[bytes]) -> Iterator[RecordBatch]:
    while True:
        try:
            yield pickle.load(spool)  # a temporary file written by this process
        except EOFError:
            return


def _is_short(file: FlatFile) -> bool:
    return sum(1 for _ in flat_files.sample_rows(file, PREVIEW_ROWS + 1)) <= PREVIEW_ROWS
