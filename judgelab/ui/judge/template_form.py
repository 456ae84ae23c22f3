"""A project's own texts of a prompt: one tab per part, with versions, text and the difference from ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from judgelab.analysis.data import fingerprint_parts
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.protocols.core.prompt_parts import MARKERS
from judgelab.protocols.core.whole_templates import PLACEHOLDERS, WHOLE
from judgelab.runs import template_editing
from judgelab.runs.plan import prompt_templates
from judgelab.runs.template_editing import JudgeSubject, TemplateSubject
from judgelab.store.judging.templates import TemplateInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders, page_cache
from judgelab.ui.judge import placeholder_form
from judgelab.ui.kit import failures, option_words, text
from judgelab.ui.session import gate
from judgelab.wording import mark

BUILT_IN = "ours"
HEIGHT = 150
LONGEST_NOTE = 60
HELP = {
    WHOLE: mark(
        "Use another program's prompt file as it is: plain text, or a JSON list of messages with roles. "
        "Define each of its placeholders below."
    ),
    MARKERS: mark(
        "One per line: the section's name, =, and its markers around {text}; \\n begins a new line."
    ),
}
FIELDS = mark(
    "Can contain {question}, {response}, {criterion}, {definition}, {scale}, {ours} and others; a line "
    "[criterion: KEY] begins the text for one criterion."
)


@dataclass(frozen=True)
class PromptPart:
    """A part of the prompt: its option and state key, the built-in text, the project's versions."""

    name: str
    option: str
    key: str
    built_in_text: str
    versions: list[TemplateInfo]

    @property
    def used(self) -> str:
        """Return the project's text in force; empty for the built-in one."""
        return next((version.text for version in self.versions if version.in_force), "")


def draw_template_form(project: ProjectInfo, subject: TemplateSubject) -> dict[str, Any]:
    """Draw all parts of the prompt and return the project's text of each by option; empty for ours."""
    versions = prompt_templates.known_versions(gate.store(), project.slug, subject.name)
    ours = _built_in_texts(project, subject)
    parts = [
        PromptPart(
            *(name, option, f"judges_{subject.name}_{option}", ours.get(name, "")),
            [version for version in versions if version.part == prompt_templates.stored_as(option)],
        )
        for name, option in subject.part_options().items()
    ]
    if any(part.used for part in parts):
        st.button(
            _("Reset all parts to JudgeLab's text"),
            key=f"judges_{subject.name}_reset",
            on_click=_reset,
            args=(project, subject, parts),
        )
    visible = [part for part in parts if part.name != PLACEHOLDERS]
    own_texts: dict[str, Any] = {}
    for tab, part in zip(st.tabs([option_words.name(part.option) for part in visible]), visible, strict=True):
        with tab:
            own_texts[part.option] = _draw_text(part)
            texts = {part.name: own_texts[part.option]}
            if part.name == WHOLE:
                placeholders = next(other for other in parts if other.name == PLACEHOLDERS)
                own_texts[placeholders.option] = placeholder_form.draw_placeholder_form(
                    own_texts[part.option], placeholders.used, subject.fields(), placeholders.key
                )
                texts[PLACEHOLDERS] = own_texts[placeholders.option]
            if texts[part.name] and texts[part.name] != part.used:
                _save(project, subject, texts, part.key)
    return own_texts


def _draw_text(part: PromptPart) -> str:
    if part.versions:
        _draw_versions(part)
    st.session_state.setdefault(part.key, part.used)
    typed = st.text_area(
        option_words.name(part.option),
        key=part.key,
        help=_(HELP.get(part.name, FIELDS)),
        height=HEIGHT,
    )
    own_text = (typed or "").strip()
    if not own_text:
        if part.built_in_text and part.name != WHOLE:
            st.button(
                _("Start from ours"),
                key=f"{part.key}_start",
                on_click=_fill_field,
                args=(part.key, part.built_in_text),
            )
        return ""
    if part.built_in_text and part.built_in_text != own_text and part.name != WHOLE:
        st.caption(_("Compare with ours"))
        st.code(
            prompt_templates.describe_difference(part.built_in_text, own_text),
            language="diff",
            wrap_lines=True,
        )
    return own_text


def _draw_versions(part: PromptPart) -> None:
    names = {
        BUILT_IN: _("ours"),
        **{str(version.version): _version_label(version) for version in part.versions},
    }
    texts = {BUILT_IN: "", **{str(version.version): version.text for version in part.versions}}
    st.selectbox(
        _("Version"),
        list(names),
        format_func=names.__getitem__,
        index=None,
        key=f"{part.key}_version",
        placeholder=_("choose a saved version"),
        on_change=lambda: _fill_field(
            part.key, texts.get(st.session_state[f"{part.key}_version"] or BUILT_IN, "")
        ),
    )


def _version_label(version: TemplateInfo) -> str:
    label = _("version {n}, {day}", n=version.version, day=text.day(version.created_at))
    in_force = _("used by new judges") if version.in_force else ""
    return ", ".join(part for part in (label, version.by, version.note, in_force) if part)


def _save(project: ProjectInfo, subject: TemplateSubject, texts: dict[str, str], key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        note = st.text_input(_("What changed"), key=f"{key}_note", max_chars=LONGEST_NOTE, width=220)
        pressed = st.button(_("Save and use from now on"), key=f"{key}_keep")
    person = gate.allowed("researcher", project)
    if pressed and person is not None:
        with failures.errors_explained():
            template_editing.save(
                gate.store(), project.slug, subject, texts, note=note or "", person_id=person.id
            )
            st.rerun()
    st.caption(
        _("A run stores its text as a version; to reuse a text for new judges, save it here.")
        if isinstance(subject, JudgeSubject)
        else _("New texts are requested with this wording; existing texts stay.")
    )


def _reset(project: ProjectInfo, subject: TemplateSubject, parts: list[PromptPart]) -> None:
    person = gate.allowed("researcher", project)
    if person is None:
        return
    template_editing.reset(gate.store(), project.slug, subject, person_id=person.id)
    for part in parts:
        if part.used:
            _fill_field(part.key, "")


def _fill_field(key: str, content: str) -> None:
    st.session_state[key] = content


def _built_in_texts(project: ProjectInfo, subject: TemplateSubject) -> dict[str, str]:
    """Return the built-in texts as filled in for the first response."""
    version = loaders.data_version(project.slug)
    if loaders.responses(project.slug, version).empty:
        return {}
    # Scores do not change the built-in texts.
    try:
        return _built_in_of_prompt(
            project.slug,
            fingerprint_parts.without_scores(version),
            subject.name,
            _subject=subject,
            _project=project,
        )
    except UserError:  # material of the prompt is missing, examples perhaps; do not cache that
        return {}


@st.cache_data(show_spinner=False, max_entries=loaders.KEPT)
def _built_in_of_prompt(
    slug: str, version: str, name: str, _subject: TemplateSubject, _project: ProjectInfo
) -> dict[str, str]:
    return template_editing.built_in_texts(
        gate.store(), slug, _subject, all_responses=page_cache.responses_to_judge(_project)
    )
