"""Plan an import before the first row is read: criteria, reading, and what to check against."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.assumptions import reading_notices
from judgelab.imports.checking.checker import Checker
from judgelab.imports.checking.missing_images import MissingImages
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.checking.text_formats import TextFormats
from judgelab.imports.columns.cell_meanings import explains_numbers
from judgelab.imports.core.codes import MissingScoreCodes
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.records import RecordChunk
from judgelab.imports.core.scale_inference import key_of
from judgelab.imports.files.encodings import check_encoding
from judgelab.imports.files.images import ImageFile
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.presets import Folder, presets
from judgelab.imports.rows import flat_files
from judgelab.imports.rows.flat_files import Choices, FlatFile
from judgelab.imports.tools import tools
from judgelab.imports.uploads import Upload
from judgelab.store.db.engine import Store
from judgelab.store.projects.images import stored_paths
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.importing import existing_names, has_scores
from judgelab.store.transfer.records import RecordBatch
from judgelab.wording import sentence


@dataclass(frozen=True)
class ImportPlan:
    """Everything decided before the first row is read."""

    project: ProjectInfo
    criteria: tuple[Criterion, ...]
    replaced: tuple[Criterion, ...]
    checker: Checker
    chunks: Iterator[RecordChunk]
    flat: tuple[FlatFile, ...]
    sources: tuple[Source, ...]
    text_formats: TextFormats
    images: tuple[ImageFile, ...]
    missing_images: MissingImages
    said: tuple[str, ...]
    given_scales: frozenset[str] = frozenset()

    def check(self, chunk: RecordChunk) -> RecordBatch:
        """Return the part of the chunk that can be stored."""
        batch = self.checker.check(chunk)
        self.text_formats.add(batch)
        self.missing_images.add(batch)
        return batch

    def notices(self) -> tuple[str, ...]:
        """Return what a person should know about how the files were read."""
        read = reading_notices(self.flat, given=self.given_scales)
        shown = (*self.text_formats.notices(), *self.missing_images.notices())
        return (*self.said, *read, *self.checker.notices(), *shown)


def plan_import(
    store: Store,
    slug: str,
    upload: Upload,
    choices: Choices,
    *,
    preset: str | None,
    create_missing: bool,
    criteria: Sequence[Criterion],
    missing: Collection[str] = (),
    scales: Mapping[str, Mapping[str, Any]] | None = None,
    most_rows: int | None = None,
    encoding: str = "",
) -> ImportPlan:
    """Return the plan for importing an upload; reads the beginning of each file."""
    sources = tuple(Source(name, data, check_encoding(encoding)) for name, data in upload.files)
    if not sources:
        raise InvalidInput(sentence("there is no file to import."))
    with store.reading() as session:
        project = find_project(session, slug)
        known = stored_paths(session, project.id).union(image.path for image in upload.images)
        before, scored = existing_names(session, project.id), has_scores(session, project.id)
    given = frozenset(map(key_of, scales or {}))
    log, flat = ProblemLog(), list[FlatFile]()
    if preset in tools.names():
        preset, choices = None, replace(choices, tool=preset or "")
    proposed, replaced = _preset_criteria(project, sources, preset, scored=scored)
    if not preset:
        own_keys = [c.key for c in project.criteria]
        choices = replace(choices, criteria=own_keys, create_missing=create_missing, missing=missing)
        flat = flat_files.open_files(sources, choices, log)
        create_missing = create_missing or any(file.table.creates for file in flat)
        existing = {c.key for c in project.criteria}
        described = {c.key: c for c in flat_files.criteria_of(flat) if c.key not in {*existing, *given}}
        proposed = tuple(described.values())
    added = _criteria_to_create(proposed, criteria, project)
    unchanged = [c for c in project.criteria if c.key not in {changed.key for changed in replaced}]
    index = ResponseIndex(before.responses)
    for item_id in before.items:
        index.add_item(item_id)
    checker = Checker(
        [*unchanged, *replaced, *added],
        index=index,
        raters=before.raters,
        create_missing=create_missing,
        missing=MissingScoreCodes(missing),
        scales=scales,
        choice_numbers=not explains_numbers(choices.meanings),
        of_words=frozenset(c.key for c in proposed) if not preset else (),
    )
    checker.problems.take(log)
    if preset:
        chunks = _preset_chunks(sources, preset)
    else:
        chunks = flat_files.chunks(flat, choices, checker.problems, most_rows=most_rows)
    formats = TextFormats(project.settings, first=not before.responses, with_images=bool(upload.images))
    return ImportPlan(
        *(project, added, replaced, checker, chunks, tuple(flat), sources, formats),
        *(upload.images, MissingImages(known), upload.notices, given),
    )


def _criteria_to_create(
    proposed: Sequence[Criterion], changed: Sequence[Criterion], project: ProjectInfo
) -> tuple[Criterion, ...]:
    """Return the criteria to create: those given by a person, then those proposed by the files."""
    chosen = {c.key: c for c in changed if c.key not in {existing.key for existing in project.criteria}}
    return (*chosen.values(), *(c for c in proposed if c.key not in chosen))


def _preset_criteria(
    project: ProjectInfo, sources: Sequence[Source], name: str | None, *, scored: bool
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """Return the criteria that a preset adds, and those whose scale it changes before any rating."""
    if name is None:
        return (), ()
    folder, preset = Folder(sources), presets.get(name)()
    preset.check(folder)
    existing = {c.key: c for c in project.criteria}
    proposed = preset.criteria(folder)
    added = tuple(c for c in proposed if c.key not in existing)
    differ = tuple(c for c in proposed if c.key in existing and dict(c.scale) != dict(existing[c.key].scale))
    return added, () if scored else differ


def _preset_chunks(sources: Sequence[Source], name: str) -> Iterator[RecordChunk]:
    try:
        yield from presets.get(name)().read(Folder(sources))
    except Unreadable as error:
        raise ImportProblems(name, [error.problem]) from error
