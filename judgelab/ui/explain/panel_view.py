"""Draw a panel of roles: which voted for the response, which for the reference, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.store.frames.details import JudgeResult
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import text_view

CANDIDATE, REFERENCE = "candidate", "reference"
MODEL_PREFIX = "model:"  # of the origin of a reference that a model wrote


def draw_judge_panels(judgments: Sequence[JudgeResult], *, chosen: str | None) -> None:
    """Draw the panel of every judge that is a panel, all but the chosen one in expanders."""
    panels = [judgment for judgment in judgments if is_panel(judgment)]
    for judgment in panels:
        if judgment.judge == chosen or len(panels) == 1:
            widgets.heading(_("The panel"), text.plain(judgment.judge))
            _draw_panel(judgment, judgment.detail["panel"])
        else:
            with st.expander(_("The panel of {judge}", judge=text.plain(judgment.judge))):
                _draw_panel(judgment, judgment.detail["panel"])


def is_panel(judgment: JudgeResult) -> bool:
    """Return whether the judge is a panel whose roles give reasons."""
    return any(role["role"] for role in (judgment.detail.get("panel") or {}).get("roles", ()))


def _draw_panel(judgment: JudgeResult, panel: Mapping[str, Any]) -> None:
    roles = panel["roles"]
    for_response = [role for role in roles if 2 * role["candidate"] > role["sittings"]]
    for_reference = [role for role in roles if 2 * role["candidate"] < role["sittings"]]
    split = [role for role in roles if 2 * role["candidate"] == role["sittings"]]
    st.markdown(_verdict_text(judgment, panel, len(for_response), len(roles)))
    with st.container(key=f"panel_{judgment.run}"):
        groups = [
            (_("For the response"), for_response, CANDIDATE),
            (_("For the reference"), for_reference, REFERENCE),
        ]
        occupied = [group for group in groups if group[1]]
        if len(occupied) == 2:
            for column, (title, members, side) in zip(st.columns(2, gap="large"), occupied, strict=True):
                with column:
                    _write_side_title(title, members)
                    _draw_roles(members, side, judgment.run)
        elif occupied:
            _draw_full_width(*occupied[0], judgment.run)
        if split:
            _draw_full_width(_("Equally often for both"), split, None, judgment.run)
    for note in _panel_notes(panel):
        st.caption(note)


def _verdict_text(judgment: JudgeResult, panel: Mapping[str, Any], won_count: int, role_count: int) -> str:
    votes = _n(
        "**{won} of {n} role** votes for the response",
        "**{won} of {n} roles** vote for the response",
        role_count,
        won=won_count,
    )
    if not panel["weighed"] or judgment.score is None:
        return _("{votes}. Share of votes: **{share}**.", votes=votes, share=text.per_cent(panel["share"]))
    return _(
        "{votes}. Score, the sum of their confidence divided by the number of roles: **{score}**.",
        votes=votes,
        score=text.number(judgment.score),
    )


def _draw_full_width(title: str, roles: Sequence[Mapping[str, Any]], side: str | None, run: int) -> None:
    """Draw the roles of one side in two columns, since no role is on the other side."""
    _write_side_title(title, roles)
    half = -(-len(roles) // 2)
    for column, part in zip(st.columns(2, gap="large"), (roles[:half], roles[half:]), strict=True):
        with column:
            _draw_roles(part, side, run)


def _write_side_title(title: str, roles: Sequence[Mapping[str, Any]]) -> None:
    st.markdown(f"**{title}** :gray[{len(roles)}]")


def _draw_roles(roles: Sequence[Mapping[str, Any]], side: str | None, run: int) -> None:
    for role in roles:
        _draw_role(role, side, run)


def _draw_role(role: Mapping[str, Any], side: str | None, run: int) -> None:
    """Draw one role: its name, confidence and description, and the first reason for its vote."""
    key = f"{run}-{role['role']}"
    votes = [vote for vote in role["said"] if side is None or vote["for"] == side]
    with st.container(gap="xsmall", border=False):
        name = f"**{text.plain(role['role'])}**"
        details = " · ".join(filter(None, (_confidence(role), _vote_share(role), _role_origin(role))))
        st.markdown(f"{name} :gray[{text.plain(details)}]")
        st.caption(text.plain(role["description"]))
        _write_reason(next((vote["reason"] for vote in votes if vote["reason"]), ""), f"{key}-0")
    others = [vote for vote in role["said"] if vote not in votes[:1]]
    if others:
        with st.expander(_n("{n} more vote", "{n} more votes", len(role["said"]) - 1)):
            for place, vote in enumerate(others, start=1):
                st.caption(_side_label(vote["for"]))
                _write_reason(vote["reason"], f"{key}-{place}")


def _write_reason(reason: str, key: str) -> None:
    text_view.draw_text(reason or _("(no rationale given)"), text_view.RATIONALE, key=key)


def _confidence(role: Mapping[str, Any]) -> str:
    confidence = role["confidence"]
    return "" if confidence is None else _("confidence {share}", share=text.number(confidence))


def _vote_share(role: Mapping[str, Any]) -> str:
    if role["candidate"] in (0, role["sittings"]):
        return ""
    return _("{votes} of {n} for the response", votes=role["candidate"], n=role["sittings"])


def _role_origin(role: Mapping[str, Any]) -> str:
    return _("made for this item") if role["origin"] == "dynamic" else ""


def _side_label(side: str | None) -> str:
    return _("For the response") if side == CANDIDATE else _("For the reference")


def _panel_notes(panel: Mapping[str, Any]) -> list[str]:
    notes = []
    origin = str(panel.get("reference", ""))
    if origin.startswith(MODEL_PREFIX):
        model = text.plain(origin.removeprefix(MODEL_PREFIX))
        notes.append(_("The reference was written by {model}.", model=model))
    if not panel["weighed"]:
        notes.append(
            _(
                "The endpoint returned no log-probabilities, or none were requested, so every vote has "
                "the same weight."
            )
        )
    order = panel.get("order") or {}
    if order.get("both_orders"):
        notes.append(
            _(
                "{changed} of {n} votes changed when the two texts changed places.",
                changed=order["changed"],
                n=order["both_orders"],
            )
        )
    elif panel["sittings"]:
        notes.append(_shown_first_note(panel["sittings"]))
    return notes


def _shown_first_note(sittings: Sequence[Mapping[str, Any]]) -> str:
    response_first = sum(sitting["order"] == "candidate_first" for sitting in sittings)
    if response_first == len(sittings):
        return _("The response was shown first.")
    if not response_first:
        return _("The reference was shown first.")
    return _("The response was shown first in {n} of {of} votes.", n=response_first, of=len(sittings))
