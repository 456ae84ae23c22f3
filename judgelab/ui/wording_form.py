"""Own wordings of a prompt's parts: versions to choose from, the text, and what differs from ours."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis import versions
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.options import Option
from judgelab.protocols import Protocol
from judgelab.runs import service, wordings
from judgelab.runs.spec import JudgeSpec
from judgelab.store.projects import ProjectInfo
from judgelab.store.templates import TemplateInfo
from judgelab.ui import gate, kept, loaders, option_words, text

OURS = "ours"
HEIGHT = 150
LONGEST_NOTE = 60


def draw(project: ProjectInfo, protocol: Protocol, option: Option) -> str:
    """Draw one part and return its own wording; empty for ours."""
    key = f"judges_{protocol.name}_{option.name}"
    kept = [
        one for one in wordings.known(gate.store(), project.slug, protocol.name) if one.part == option.name
    ]
    if kept:
        _versions(key, kept)
    written = st.text_area(
        option_words.label(option), option.default, key=key, help=_(option.help) or None, height=HEIGHT
    )
    own = (written or "").strip()
    ours = _shipped(project, protocol, option.name)
    if not own:
        if ours:
            st.button(_("Start from ours"), key=f"{key}_start", on_click=_put, args=(key, ours))
        return ""
    if ours and ours != own:
        st.caption(_("Against ours"))
        st.code(wordings.difference(ours, own), language="diff", wrap_lines=True)
    if not any(one.text == own for one in kept):
        _save(project, protocol, option.name, own, key)
    return own


def _versions(key: str, kept: list[TemplateInfo]) -> None:
    names = {OURS: _("ours"), **{str(one.version): _named(one) for one in kept}}
    texts = {OURS: "", **{str(one.version): one.text for one in kept}}
    st.selectbox(
        _("Version"),
        list(names),
        format_func=names.__getitem__,
        index=None,
        key=f"{key}_version",
        placeholder=_("choose a kept one"),
        on_change=lambda: _put(key, texts.get(st.session_state[f"{key}_version"] or OURS, "")),
    )


def _named(one: TemplateInfo) -> str:
    said = _("version {n}, {day}", n=one.version, day=text.day(one.created_at))
    return ", ".join(part for part in (said, one.note) if part)


def _save(project: ProjectInfo, protocol: Protocol, part: str, own: str, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        note = st.text_input(_("What is new in it"), key=f"{key}_note", max_chars=LONGEST_NOTE, width=220)
        pressed = st.button(_("Keep as a version"), key=f"{key}_keep")
    person = gate.allowed("researcher", project)
    if pressed and person is not None:
        wordings.save(
            gate.store(), project.slug, protocol.name, part, own, note=note or "", person_id=person.id
        )
        st.rerun()
    st.caption(_("A run keeps its wording as a version by itself."))


def _put(key: str, own: str) -> None:
    st.session_state[key] = own


def _shipped(project: ProjectInfo, protocol: Protocol, part: str) -> str:
    """Return our wording as it stands in the prompt of the first response."""
    version = loaders.data_version(project.slug)
    responses = loaders.responses(project.slug, version)
    if responses.empty:
        return ""
    # No score changes our own words.
    version = versions.without_scores(version)
    response = int(responses["response"].iloc[0])
    try:
        return _of_prompt(project.slug, version, protocol.name, part, response, _project=project)
    except UserError:  # it lacks what its prompt shows, examples perhaps, which may be there at the next look
        return ""


@st.cache_data(show_spinner=False, max_entries=loaders.KEPT)
def _of_prompt(
    slug: str, version: str, protocol: str, part: str, response: int, _project: ProjectInfo
) -> str:
    spec, known = JudgeSpec(protocol, "rule", backend="scripted"), kept.responses_to_judge(_project)
    calls = service.preview_calls(gate.store(), slug, spec, response, known=known)
    return wordings.shipped(calls[0].messages, part) if calls else ""
