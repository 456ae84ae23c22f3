"""The real prompt on a real response, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.domain import Message, Task
from judgelab.errors import UserError
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.estimate import BYTES_A_TOKEN
from judgelab.runs.spec import JudgeSpec
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, place, text
from judgelab.ui.opinions import given

NO_PROMPT = "There is no prompt to show; the estimate below says why."
SENT = "The prompt is what you see: marks of the prompt inside an item's texts are taken out."


def draw(
    project: ProjectInfo, spec: JudgeSpec, responses: pd.DataFrame, *, criteria: Sequence[str], refused: str
) -> None:
    """Draw the prompt with the ways to the neighbours.

    Args:
        project: the project.
        spec: the judge.
        responses: those to step through.
        criteria: keys of those that are to be judged.
        refused: why the judge cannot be started, as it stands elsewhere on the page; empty when it can.
    """
    at = min(int(st.session_state.get("judges_at", 0)), len(responses) - 1)
    response = responses.iloc[at]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader("Prompt, as it will be sent", anchor=False, width="content")
        st.space("stretch")
        name = " · ".join(word for word in (response["item"], response["system"]) if word)
        st.caption(text.plain(f"{name}, {at + 1:,} of {len(responses):,}"), width="content")
        _step("Previous response", at - 1, len(responses))
        _step("Next response", at + 1, len(responses))
    criterion = _criterion(project, spec, criteria)
    try:
        messages = service.preview_prompt(
            gate.store(), project.slug, spec, int(response["response"]), criterion=criterion
        )
    except UserError as error:
        st.caption(NO_PROMPT if refused else text.plain(str(error)))
        return
    prompt, parser, request = st.tabs(["Prompt", "Parser on a reply", "Request"])
    with prompt:
        _messages(messages)
    with parser:
        _parser(project, spec, criterion)
    with request:
        st.json({"model": spec.model, "n": spec.samples, **spec.parameters}, expanded=True)
        st.caption("Parameters that an endpoint refuses are left out, and what was really sent is kept.")


def _criterion(project: ProjectInfo, spec: JudgeSpec, keys: Sequence[str]) -> str | None:
    if len(project.criteria) < 2 or protocols.get(spec.protocol).asks == "all":
        return None
    place.among("judges_shown_criterion", list(keys))
    return st.segmented_control(
        "Criterion",
        keys,
        default=None if "judges_shown_criterion" in st.session_state else keys[0],
        required=True,
        wrap=True,
        format_func=lambda key: text.plain(project.criterion(key).label),
        key="judges_shown_criterion",
        label_visibility="collapsed",
    )


def _messages(messages: list[Message]) -> None:
    for message in messages:
        st.caption(message.role)
        st.code(message.content, language=None, wrap_lines=True)
    size = sum(len(message.content.encode("utf-8", "replace")) for message in messages)
    st.caption(f"About {text.count(round(size / BYTES_A_TOKEN))} tokens. {SENT}")


def _parser(project: ProjectInfo, spec: JudgeSpec, criterion: str | None) -> None:
    """Show what the protocol would read in a reply that the user types."""
    reply = st.text_area(
        "A reply", "", key="judges_reply", placeholder="Paste what a model might answer", height=110
    )
    if not reply:
        st.caption("Nothing is sent. You see the score that would be read, or why there would be none.")
        return
    protocol = protocols.get(spec.protocol)
    criteria = [c for c in project.criteria if criterion in (None, c.key)]
    reading = protocol.parse(reply, Task("", "", criteria), protocol.settle(spec.options))
    if not reading.scored:
        st.markdown(f":orange[unscored: {text.plain(reading.reason or 'no score was read')}]")
    for key, score in reading.scores.items():
        reason = project.scale(key).reject(score)
        said = f"unscored: {reason}" if reason else f"scored {given(score)}"
        st.markdown(f"{text.plain(project.criterion(key).label)}: **{text.plain(said)}**")


def _step(label: str, to: int, count: int) -> None:
    word = label.split()[0]
    st.button(
        word,
        key=f"judges_to_{word.lower()}",
        help=label,
        disabled=not 0 <= to < count,
        on_click=lambda: st.session_state.update(judges_at=to),
    )
