"""Importing data: files are chosen, previewed as they would be stored, and stored by one button."""

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
from judgelab.imports.files import images
from judgelab.imports.report import Preview, count_sentence
from judgelab.imports.uploads import DATA_ENDINGS
from judgelab.languages import _, _n
from judgelab.scales import may_pass
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.data import import_problems, import_questions, import_shape, mapping
from judgelab.ui.kit import failures, file_upload, text, widgets
from judgelab.ui.project import criteria_form
from judgelab.ui.session import gate
from judgelab.wording import mark, sentence

ENDINGS = [*DATA_ENDINGS, "zip", *images.ENDINGS]
GUESS = "guess"  # not None, which a selectbox shows as an empty choice
KIND_WORDS: dict[str, str] = {GUESS: mark("detect from the columns"), **HOLDS}
NOTHING = mark("nothing to store")
DONE_KEY = "data_done"
PREVIEWS_KEY = "data_looked"
MOST_PREVIEWS = 4
ROUND_KEY = "data_round"  # a new round gives an empty uploader after files were stored


@dataclass(frozen=True)
class ImportChoice:
    """What a person chose before the files are read."""

    files: tuple[tuple[str, bytes], ...]
    ids: tuple[str, ...]
    kind: str
    preset: str | None
    create_missing: bool
    means: bool
    missing: tuple[str, ...]
    raters: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    encoding: str

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
            "values": self.values,
            "encoding": self.encoding,
        }


@dataclass(frozen=True)
class ImportAnswers:
    """What a person changed after the preview."""

    mappings: Mapping[str, ColumnMapping] = field(default_factory=dict)
    criteria: Sequence[Criterion] = ()


def draw_import_form(project: ProjectInfo) -> None:
    """Draw the import from choosing files to the button; nothing is stored before it is pressed."""
    choice = _draw_choice(project)
    if not choice.files:
        return
    try:
        preview = _preview(project, choice, ImportAnswers())
        answers = ImportAnswers(_mappings(project, choice, preview))
        preview = _preview(project, choice, answers)
        answers = replace(answers, criteria=tuple(_criteria(preview.criteria)))
        preview = _preview(project, choice, answers)
    except ImportProblems as error:
        import_problems.draw_import_problems(error.problems)
        return
    except InvalidInput as error:
        failures.show(error)
        return
    import_questions.draw_import_questions(preview, st.session_state[ROUND_KEY])
    _draw_notices(preview)
    import_problems.draw_import_problems(preview.problems)
    _draw_button(project, choice, answers, preview)


def _draw_choice(project: ProjectInfo) -> ImportChoice:
    round_number = st.session_state.setdefault(ROUND_KEY, 0)
    left, right = st.columns([3, 2], gap="large")
    with left:
        uploaded = file_upload.choose_files(
            _("Files with items, responses, ratings, judgments or references"),
            ENDINGS,
            key=f"data_files_{round_number}",
        )
        st.caption(
            _(
                "Delimiter and encoding are detected. You can check and change what each column means "
                "before anything is stored. Images that texts show come in a zip archive with the file."
            )
        )
    with right:
        preset = import_shape.choose_shape(project, [file.name for file in uploaded], round_number)
        kind = GUESS
        if preset is None:
            kind = st.selectbox(
                _("Content"),
                [GUESS, *KINDS],
                format_func=lambda name: _(KIND_WORDS[name]),
                key=f"data_kind_{round_number}",
            )
        create = st.checkbox(
            _(import_problems.CREATE_LABEL),
            key=f"data_create_{round_number}",
            help=_("They will have no text."),
        )
        means = st.checkbox(
            _(import_problems.MEANS_LABEL),
            key=f"data_means_{round_number}",
            help=_("They may fall between the points of the scale."),
        )
    files = tuple((file.name, file.getvalue()) for file in uploaded)
    ids = tuple(file.file_id for file in uploaded)
    return ImportChoice(
        files,
        ids,
        kind,
        preset,
        create,
        means,
        import_questions.missing_cells(round_number),
        tuple(import_questions.comparing_raters(round_number)),
        import_questions.meanings_of_values(round_number),
        import_questions.encoding(round_number),
    )


def _preview(project: ProjectInfo, choice: ImportChoice, answers: ImportAnswers) -> Preview:
    """Return the preview of the files; the latest ones are cached, because each click reruns the page."""
    previews: dict[str, Preview] = st.session_state.setdefault(PREVIEWS_KEY, {})
    key = repr((project.slug, choice.ids, choice.options, answers))
    if key not in previews:
        while len(previews) >= MOST_PREVIEWS:
            previews.pop(next(iter(previews)))
        previews[key] = service.preview(
            gate.store(),
            project.slug,
            choice.files,
            mappings=answers.mappings,
            criteria=answers.criteria,
            **choice.options,
        )
    return previews[key]


def _mappings(project: ProjectInfo, choice: ImportChoice, preview: Preview) -> dict[str, ColumnMapping]:
    """Draw each file's columns and first rows, and return the mappings that a person changed."""
    round_number = st.session_state[ROUND_KEY]
    changed = {}
    for file in preview.files:
        if file.mapping is None:
            continue  # a preset maps its own files
        head = st.container(gap="xsmall")
        key = f"data_map_{round_number}_{file.name}_{file.kind}"
        remembered = _known_mapping(project, file.mapping, kind=choice.options["kind"], key=key)
        start_mapping = file.mapping if remembered is None else remembered.mapping
        edited = mapping.edit_mapping(start_mapping, file.rows, project.criteria, key=key)
        kind = file.kind if edited == file.mapping or choice.options["kind"] else guess_kind(edited)
        with head:
            widgets.heading(text.plain(file.name), _(KIND_WORDS.get(kind or "", "")))
            if remembered is not None:
                _write_known_mapping(remembered)
        if edited != file.mapping:
            changed[file.name] = edited
        if file.rows:
            with st.expander(_("First rows")):
                mapping.draw_first_rows(file)
    return changed


def _known_mapping(
    project: ProjectInfo, guessed: ColumnMapping, *, kind: str | None, key: str
) -> RememberedMapping | None:
    """Return the mapping of an earlier file with the same columns, or None.

    It is looked up once per file, so that other people's imports do not change the form meanwhile.
    """
    state_key = f"{key}_known_{hash(tuple(guessed.meanings))}"
    if state_key not in st.session_state:
        st.session_state[state_key] = remembered_mapping(gate.store(), project.id, guessed, kind=kind)
        if st.session_state[state_key] is not None:
            values = st.session_state[state_key].before.values
            if import_questions.remember_values(values, st.session_state[ROUND_KEY]):
                st.rerun()
    remembered: RememberedMapping | None = st.session_state[state_key]
    return remembered


def _write_known_mapping(remembered: RememberedMapping) -> None:
    message = _(
        "The columns are the same as in {file}, imported {when}, and are read the same way.",
        file=remembered.before.source,
        when=text.when(remembered.before.imported_at),
    )
    st.caption(f":material/history: {text.plain(message)}")


def _criteria(proposed: Sequence[Criterion]) -> list[Criterion]:
    """Draw the criteria that are new in the files, and return them as edited."""
    if not proposed:
        return []
    round_number = st.session_state[ROUND_KEY]
    widgets.heading(_("New criteria"), _("{n}, not in the project yet", n=len(proposed)))
    if not st.checkbox(_(import_problems.CHANGE_LABEL), key=f"data_change_{round_number}"):
        criteria_form.draw_criteria(proposed)
        return []
    return [
        criteria_form.draw_criterion_fields(
            c, key=f"data_criterion_{round_number}_{c.key}{'_passing' if may_pass(c.scale) else ''}"
        )
        for c in proposed
    ]


def _draw_notices(preview: Preview) -> None:
    for notice in preview.notices:
        st.caption(f":material/info: {text.plain(import_problems.in_page_words(notice))}")


def _draw_button(
    project: ProjectInfo, choice: ImportChoice, answers: ImportAnswers, preview: Preview
) -> None:
    contents = count_sentence(preview.counts)
    if not preview.complete:
        st.caption(
            _(
                "The first 1,000 rows contain {found}; all rows are checked before anything is stored.",
                found=_(contents or NOTHING),
            )
        )
    problem_count = len(preview.problems)
    if problem_count:
        label = _n("Import · {n} problem left", "Import · {n} problems left", problem_count)
    elif preview.complete and contents:
        label = _("Import {found}", found=_(contents))
    elif len(choice.files) == 1:
        label = _("Import the whole file")
    else:
        label = _("Import all {n} files", n=len(choice.files))
    if widgets.primary_button(label, key="data_import", disabled=bool(problem_count)):
        _store(project, choice, answers)


def _store(project: ProjectInfo, choice: ImportChoice, answers: ImportAnswers) -> None:
    person = gate.enter("researcher", project)
    try:
        report = service.import_files(
            gate.store(),
            project.slug,
            choice.files,
            mappings=answers.mappings,
            criteria=answers.criteria,
            person_id=person.id,
            **choice.options,
        )
    except ImportProblems as error:
        import_problems.draw_import_problems(error.problems)
        return
    except UserError as error:
        failures.show(error)
        return
    names = ", ".join(name for name, __ in choice.files)
    st.session_state[DONE_KEY] = sentence("{files}: {found}.", files=names, found=report.sentence())
    st.session_state[ROUND_KEY] += 1
    st.session_state.pop(PREVIEWS_KEY, None)
    st.rerun()


def write_import_result() -> None:
    """Write the result of the last import, once."""
    message = st.session_state.pop(DONE_KEY, None)
    if message:
        st.info(text.plain(_(message)), icon=":material/check:")
