"""The prompt for a response, as it would be sent."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.protocols import Call, protocols
from judgelab.runs import service, template_editing
from judgelab.runs.plan.run_builder import RunDraft
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.plan.tokens import BYTES_A_TOKEN
from judgelab.runs.service import PromptPreview
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.explain.response_scores import score_text
from judgelab.ui.kit import text, view_state
from judgelab.ui.session import gate
from judgelab.wording import mark

NO_PROMPT = mark("No prompt to show; see the estimate below for the reason.")


def draw_prompt_preview(
    project: ProjectInfo, spec: JudgeSpec, responses: pd.DataFrame, *, criteria: Sequence[str], refused: str
) -> None:
    """Draw the prompt, with buttons to the next and previous response, or item if it takes a whole one.

    Args:
        project: the project.
        spec: the judge.
        responses: the responses to step through.
        criteria: keys of the criteria to be judged.
        refused: why the judge cannot be started, as the page says elsewhere; empty if it can.
    """
    excluded = set() if refused else _not_judged(project, spec)
    responses = responses[~responses["response"].isin(excluded)]
    of_item = protocols.get(spec.protocol).judges == "item"
    if of_item:
        responses = responses.drop_duplicates("item")
    position = min(int(st.session_state.get("judges_at", 0)), len(responses) - 1)
    response = responses.iloc[position]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(_("Prompt as it will be sent"), anchor=False, width="content")
        st.space("stretch")
        st.caption(
            text.plain(_position(response, position, len(responses), of_item=of_item)), width="content"
        )
        previous_one, next_one = (
            (_("Previous item"), _("Next item")) if of_item else (_("Previous response"), _("Next response"))
        )
        _draw_step("previous", _("Previous"), previous_one, position - 1, len(responses))
        _draw_step("next", _("Next"), next_one, position + 1, len(responses))
    criterion = _choose_criterion(project, spec, criteria)
    try:
        preview = _load_preview(project, spec, int(response["response"]), criterion)
    except UserError as error:
        st.caption(_(NO_PROMPT) if refused else text.plain(_(error.args[0])))
        return
    prompt, parser, request = st.tabs([_("Prompt"), _("Test the parser on a reply"), _("Request")])
    with prompt:
        unused_placeholders = template_editing.forgotten_placeholders(preview)
        if unused_placeholders:
            st.warning(
                _(
                    "Your text does not mention {words}, which the parser looks for; replies without it "
                    "get no score.",
                    words=text.plain(", ".join(unused_placeholders)),
                )
            )
        _draw_calls(preview.calls, of_item=of_item)
    with parser:
        _draw_parser(project, preview)
    with request:
        st.json({"model": spec.model, "n": spec.samples, **spec.parameters}, expanded=True)
        st.caption(_("Parameters that an endpoint refuses are left out, and the request as sent is stored."))


def _position(response: pd.Series, position: int, number: int, *, of_item: bool) -> str:
    """Return which response, or item, the prompt is for, and its place among all of them."""
    if of_item:
        return _("{name} (item {place} of {all})", name=response["item"], place=position + 1, all=number)
    name = " · ".join(word for word in (response["item"], response["system"]) if word)
    return _("{name} (response {place} of {all})", name=name, place=position + 1, all=number)


def _not_judged(project: ProjectInfo, spec: JudgeSpec) -> set[int]:
    """Return the responses that a judge of all criteria leaves out: its examples, maybe their groups."""
    if protocols.get(spec.protocol).asks != "all":
        return set()
    try:
        return set(_draft_prompt(project, spec, None).excluded)
    except UserError:
        return set()


def _draft_prompt(project: ProjectInfo, spec: JudgeSpec, criterion: str | None) -> RunDraft:
    store = gate.store()
    return page_cache.unless_written(
        project,
        ("draft", repr(spec), criterion),
        lambda: service.build_draft(
            store,
            project.slug,
            spec,
            criterion=criterion,
            all_responses=page_cache.responses_to_judge(project),
        ),
        rows=lambda draft: len(draft.units),
    )


def _load_preview(
    project: ProjectInfo, spec: JudgeSpec, response_id: int, criterion: str | None
) -> PromptPreview:
    store, draft = gate.store(), _draft_prompt(project, spec, criterion)
    return service.preview_prompt(store, project.slug, spec, response_id, criterion=criterion, draft=draft)


def _choose_criterion(project: ProjectInfo, spec: JudgeSpec, keys: Sequence[str]) -> str | None:
    if len(project.criteria) < 2 or protocols.get(spec.protocol).asks == "all":
        return None
    view_state.drop_unavailable("judges_shown_criterion", list(keys))
    return st.segmented_control(
        _("Criterion"),
        keys,
        default=None if "judges_shown_criterion" in st.session_state else keys[0],
        required=True,
        wrap=True,
        format_func=lambda key: text.plain(project.criterion(key).label),
        key="judges_shown_criterion",
        label_visibility="collapsed",
    )


def _draw_calls(calls: Sequence[Call], *, of_item: bool) -> None:
    """Draw one complete call of the unit, with a choice if there are several."""
    position = 0
    if len(calls) > 1:
        st.caption(
            _n(
                "This item takes {n} call; together they give its responses' scores.",
                "This item takes {n} calls; together they give its responses' scores.",
                len(calls),
            )
            if of_item
            else _n(
                "This response takes {n} call; together they give its scores.",
                "This response takes {n} calls; together they give its scores.",
                len(calls),
            )
        )
        position = st.selectbox(
            _("Call"),
            range(len(calls)),
            format_func=lambda place: _(
                "{place}: {call}", place=place + 1, call=_call_name(calls[place].key)
            ),
            key=f"judges_call_{len(calls)}",
            width=360,
        )
    if calls[position].after:
        st.caption(
            _(
                "Follow-up turn of the conversation, after the reply to: {call}.",
                call=text.plain(calls[position].after),
            )
        )
    messages = calls[position].messages
    for message in messages:
        st.caption(message.role)
        st.code(message.content, language=None, wrap_lines=True)
    size = sum(len(message.content.encode("utf-8", "replace")) for message in messages)
    st.caption(
        _n(
            "About {n} token. This is the exact prompt. If an item's own text contains a marker such as "
            "`<task>`, the marker is removed from that text.",
            "About {n} tokens. This is the exact prompt. If an item's own text contains a marker such as "
            "`<task>`, the marker is removed from that text.",
            round(size / BYTES_A_TOKEN),
        )
    )


def _call_name(key: str) -> str:
    """Return what a call asks, in words if it shows two responses of the item in an order."""
    order = re.fullmatch(r"(\d+) – (\d+)", key)
    return _("response {first}, then {second}", first=order[1], second=order[2]) if order else key


def _draw_parser(project: ProjectInfo, preview: PromptPreview) -> None:
    """Draw what the protocol's parser reads in a reply that the user types."""
    position = 0
    if len(preview.calls) > 1:
        position = st.selectbox(
            _("Reply to the call"),
            range(len(preview.calls)),
            format_func=lambda place: _call_name(preview.calls[place].key),
            key=f"judges_reply_call_{len(preview.calls)}",
            width=360,
        )
    reply = st.text_area(
        _("A reply"),
        "",
        key="judges_reply",
        placeholder=_("Paste a possible model reply"),
        height=110,
    )
    if not reply:
        st.caption(_("Nothing is sent. You see the score that the parser would read, or why it finds none."))
        return
    reading = preview.read(position, reply)
    if reading.reason is not None:
        st.markdown(f":orange[{_('unscored: {reason}', reason=text.plain(_(reading.reason)))}]")
        return
    for key, score in reading.scores.items():
        label = text.plain(project.criterion(key).label)
        st.markdown(
            f"{label}: **{text.plain(_('scored {score}', score=score_text(score, project.scale(key))))}**"
        )
    systems = {contender.response_id: contender.system for contender in preview.task.contenders}
    for response, scores in reading.by_response.items():
        score_list = ", ".join(score_text(score) for score in dict.fromkeys(scores.values()))
        st.markdown(
            f"{text.plain(systems[response])}: **{text.plain(_('scored {score}', score=score_list))}**"
        )
    if not reading.scored:
        words = ", ".join(f"{key}: {value}" for key, value in reading.detail.items())
        st.markdown(text.plain(_("read: {words}", words=words)))


def _draw_step(direction: str, button_label: str, tooltip: str, position: int, count: int) -> None:
    st.button(
        button_label,
        key=f"judges_to_{direction}",
        help=tooltip,
        disabled=not 0 <= position < count,
        on_click=lambda: st.session_state.update(judges_at=position),
    )
