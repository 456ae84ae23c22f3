"""Bringing data: files chosen, read at once as they would be stored, and stored by one button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput, UserError
from judgelab.imports import service
from judgelab.imports.assumptions import HOLDS
from judgelab.imports.columns.mapping import KINDS, ColumnMapping, guess_kind
from judgelab.imports.columns.remembered_mappings import RememberedMapping, remembered_mapping
from judgelab.imports.report import Preview, count_sentence
from judgelab.languages import _, _n
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.data import import_problems, import_questions, import_shape, mapping
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.project import criteria_form
from judgelab.ui.session import gate
from judgelab.wording import mark, sentence

ENDINGS = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx"]
GUESS = "guess"  # a selectbox offers to clear a choice of None
KIND_WORDS: dict[str, str] = {GUESS: mark("find out from the columns"), **HOLDS}
NOTHING = mark("nothing to store")
DONE_KEY = "data_done"
PREVIEWS_KEY = "data_looked"
MOST_PREVIEWS = 4
ROUND_KEY = "data_round"  # a new round is a new uploader, without the files just stored


@dataclass(frozen=True)
class ImportChoice:
    """What a person chose before anything is read."""

    files: tuple[tuple[str, bytes], ...]
    ids: tuple[str, ...]
    kind: str
    preset: str | None
    create_missing: bool
    means: bool
    missing: tuple[str, ...]
    raters: tuple[tuple[str, str], ...]

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that previewing and storing share."""
        return {
            "kind": None if self.preset or self.kind == GUESS else self.kind,
            "preset": self.preset,
            "create_missing": self.create_missing,
            "means": self.means,
            "missing": self.missing,
            "mapping": self.raters,
        }


@dataclass(frozen=True)
class ImportAnswers:
    """What a person changed after looking."""

    mappings: Mapping[str, ColumnMapping] = field(default_factory=dict)
    criteria: Sequence[Criterion] = ()


def draw_import_form(project: ProjectInfo) -> None:
    """Draw the whole way from files to the one button; nothing is stored before it is pressed."""
    chosen = _draw_choice(project)
    if not chosen.files:
        return
    try:
        seen = _preview(project, chosen, ImportAnswers())
        settled = ImportAnswers(_mappings(project, chosen, seen))
        seen = _preview(project, chosen, settled)
        settled = replace(settled, criteria=tuple(_criteria(seen.criteria)))
        seen = _preview(project, chosen, settled)
    except ImportProblems as error:
        import_problems.draw_import_problems(error.problems)
        return
    except InvalidInput as error:
        failures.show(error)
        return
    import_questions.draw_import_questions(seen, st.session_state[ROUND_KEY])
    _draw_notices(seen)
    import_problems.draw_import_problems(seen.problems)
    _draw_button(project, chosen, settled, seen)


def _draw_choice(project: ProjectInfo) -> ImportChoice:
    at = st.session_state.setdefault(ROUND_KEY, 0)
    left, right = st.columns([3, 2], gap="large")
    with left:
        uploaded = st.file_uploader(
            _("Files with items, responses, ratings, judgments or references"),
            type=ENDINGS,
            accept_multiple_files=True,
            key=f"data_files_{at}",
        )
        st.caption(
            _(
                "Delimiter and encoding are found. What each column means is shown, and can be changed, "
                "before anything is stored."
            )
        )
    with right:
        preset = import_shape.choose_shape(project, [one.name for one in uploaded or ()], at)
        kind = GUESS
        if preset is None:
            kind = st.selectbox(
                _("They hold"),
                [GUESS, *KINDS],
                format_func=lambda name: _(KIND_WORDS[name]),
                key=f"data_kind_{at}",
            )
        create = st.checkbox(
            _(import_problems.CREATE_LABEL), key=f"data_create_{at}", help=_("They have no text then.")
        )
        means = st.checkbox(
            _(import_problems.MEANS_LABEL), key=f"data_means_{at}", help=_("They may lie between points.")
        )
    files = tuple((one.name, one.getvalue()) for one in uploaded or ())
    ids = tuple(one.file_id for one in uploaded or ())
    missing, raters = import_questions.missing_cells(at), tuple(import_questions.comparing_raters(at))
    return ImportChoice(files, ids, kind, preset, create, means, missing, raters)


def _preview(project: ProjectInfo, chosen: ImportChoice, settled: ImportAnswers) -> Preview:
    """Return how the files would be read; the last looks are kept, as each click draws the page anew."""
    looked: dict[str, Preview] = st.session_state.setdefault(PREVIEWS_KEY, {})
    key = repr((project.slug, chosen.ids, chosen.options, settled))
    if key not in looked:
        while len(looked) >= MOST_PREVIEWS:
            looked.pop(next(iter(looked)))
        looked[key] = service.preview(
            gate.store(),
            project.slug,
            chosen.files,
            mappings=settled.mappings,
            criteria=settled.criteria,
            **chosen.options,
        )
    return looked[key]


def _mappings(project: ProjectInfo, chosen: ImportChoice, seen: Preview) -> dict[str, ColumnMapping]:
    """Draw each file's columns and first rows; returns the mappings that a person changed."""
    at = st.session_state[ROUND_KEY]
    changed = {}
    for file in seen.files:
        if file.mapping is None:
            continue  # a preset knows what its files mean
        head = st.container(gap="xsmall")
        key = f"data_map_{at}_{file.name}_{file.kind}"
        known = _known_mapping(project, file.mapping, kind=chosen.options["kind"], key=key)
        read = file.mapping if known is None else known.mapping
        edited = mapping.edit_mapping(read, file.rows, project.criteria, key=key)
        held = file.kind if edited == file.mapping or chosen.options["kind"] else guess_kind(edited)
        with head:
            widgets.heading(text.plain(file.name), _(KIND_WORDS.get(held or "", "")))
            if known is not None:
                _write_known_mapping(known)
        if edited != file.mapping:
            changed[file.name] = edited
        if file.rows:
            with st.expander(_("First rows")):
                mapping.draw_first_rows(file)
    return changed


def _known_mapping(
    project: ProjectInfo, guessed: ColumnMapping, *, kind: str | None, key: str
) -> RememberedMapping | None:
    """Return what the columns meant in an earlier file that had the same.

    It is looked up once for a file: what somebody else imports meanwhile changes nothing on the screen.
    """
    own = f"{key}_known_{hash(tuple(guessed.meanings))}"
    if own not in st.session_state:
        st.session_state[own] = remembered_mapping(gate.store(), project.id, guessed, kind=kind)
    found: RememberedMapping | None = st.session_state[own]
    return found


def _write_known_mapping(known: RememberedMapping) -> None:
    said = _(
        "The same columns as {file}, imported {when}: they mean what they meant there.",
        file=known.before.source,
        when=text.when(known.before.imported_at),
    )
    st.caption(f":material/history: {text.plain(said)}")


def _criteria(proposed: Sequence[Criterion]) -> list[Criterion]:
    """Draw the criteria that the files name and the project lacks; returns them as they are to be."""
    if not proposed:
        return []
    at = st.session_state[ROUND_KEY]
    widgets.heading(_("New criteria"), _("{n}, not in the project yet", n=len(proposed)))
    if not st.checkbox(_(import_problems.CHANGE_LABEL), key=f"data_change_{at}"):
        criteria_form.draw_criteria(proposed)
        return []
    return [criteria_form.draw_criterion_fields(c, key=f"data_criterion_{at}_{c.key}") for c in proposed]


def _draw_notices(seen: Preview) -> None:
    for notice in seen.notices:
        st.caption(f":material/info: {text.plain(import_problems.in_page_words(notice))}")


def _draw_button(project: ProjectInfo, chosen: ImportChoice, settled: ImportAnswers, seen: Preview) -> None:
    holds = count_sentence(seen.counts)
    if not seen.complete:
        st.caption(
            _(
                "The first 1,000 rows hold {found}; all rows are checked before anything is stored.",
                found=_(holds or NOTHING),
            )
        )
    wrong = len(seen.problems)
    if wrong:
        label = _n("Import · {n} problem left", "Import · {n} problems left", wrong)
    elif seen.complete and holds:
        label = _("Import {found}", found=_(holds))
    else:
        label = _n("Import {n} whole file", "Import {n} whole files", len(chosen.files))
    if widgets.primary_button(label, key="data_import", disabled=bool(wrong)):
        _store(project, chosen, settled)


def _store(project: ProjectInfo, chosen: ImportChoice, settled: ImportAnswers) -> None:
    person = gate.enter("researcher", project)
    try:
        report = service.import_files(
            gate.store(),
            project.slug,
            chosen.files,
            mappings=settled.mappings,
            criteria=settled.criteria,
            person_id=person.id,
            **chosen.options,
        )
    except ImportProblems as error:
        import_problems.draw_import_problems(error.problems)
        return
    except UserError as error:
        failures.show(error)
        return
    names = ", ".join(name for name, __ in chosen.files)
    st.session_state[DONE_KEY] = sentence("{files}: {found}.", files=names, found=report.sentence())
    st.session_state[ROUND_KEY] += 1
    st.session_state.pop(PREVIEWS_KEY, None)
    st.rerun()


def write_import_result() -> None:
    """Say once what the last import brought."""
    said = st.session_state.pop(DONE_KEY, None)
    if said:
        st.info(text.plain(_(said)), icon=":material/check:")
