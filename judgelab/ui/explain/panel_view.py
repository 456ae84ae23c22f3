"""A panel of roles as one reads it: who voted for the response, who for the reference, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.store.frames.details import JudgeResult
from judgelab.ui.kit import text, widgets

CANDIDATE, REFERENCE = "candidate", "reference"
MODEL_PREFIX = "model:"  # begins the origin of a reference that a model wrote


def draw_panels(opinions: Sequence[JudgeResult], *, chosen: str | None) -> None:
    """Draw the panel of every judge that is one, those not in hand one fold away."""
    panels = [opinion for opinion in opinions if is_panel(opinion)]
    for opinion in panels:
        if opinion.judge == chosen or len(panels) == 1:
            widgets.heading(_("The panel"), text.plain(opinion.judge))
            _draw_panel(opinion, opinion.detail["panel"])
        else:
            with st.expander(_("The panel of {judge}", judge=text.plain(opinion.judge))):
                _draw_panel(opinion, opinion.detail["panel"])


def is_panel(opinion: JudgeResult) -> bool:
    """Whether the judge's reasons are shown role by role."""
    return any(role["role"] for role in (opinion.detail.get("panel") or {}).get("roles", ()))


def _draw_panel(opinion: JudgeResult, panel: Mapping[str, Any]) -> None:
    roles = panel["roles"]
    sides = {
        CANDIDATE: [role for role in roles if 2 * role["candidate"] > role["sittings"]],
        REFERENCE: [role for role in roles if 2 * role["candidate"] < role["sittings"]],
    }
    split = [role for role in roles if 2 * role["candidate"] == role["sittings"]]
    st.markdown(_verdict_text(opinion, panel, len(sides[CANDIDATE]), len(roles)))
    with st.container(key=f"panel_{opinion.run}"):
        benches = [
            (_("For the response"), sides[CANDIDATE], CANDIDATE),
            (_("For the reference"), sides[REFERENCE], REFERENCE),
        ]
        taken = [bench for bench in benches if bench[1]]
        if len(taken) == 2:
            for column, (title, bench, side) in zip(st.columns(2, gap="large"), taken, strict=True):
                with column:
                    _title(title, bench)
                    _draw_roles(bench, side)
        elif taken:
            _draw_full_width(*taken[0])
        if split:
            _draw_full_width(_("As often for one as for the other"), split, None)
    for line in _panel_notes(panel):
        st.caption(line)


def _verdict_text(opinion: JudgeResult, panel: Mapping[str, Any], won: int, of: int) -> str:
    said = _n(
        "**{won} of {n} role** votes for the response",
        "**{won} of {n} roles** vote for the response",
        of,
        won=won,
    )
    if not panel["weighed"] or opinion.score is None:
        return _("{votes}. Share of votes: **{share}**.", votes=said, share=text.per_cent(panel["share"]))
    return _(
        "{votes}. Score, the sum of their confidence by the number of roles: **{score}**.",
        votes=said,
        score=text.number(opinion.score),
    )


def _draw_full_width(title: str, roles: Sequence[Mapping[str, Any]], side: str | None) -> None:
    """Draw a bench over the whole width, where the other one is empty."""
    _title(title, roles)
    half = -(-len(roles) // 2)
    for column, part in zip(st.columns(2, gap="large"), (roles[:half], roles[half:]), strict=True):
        with column:
            _draw_roles(part, side)


def _title(title: str, roles: Sequence[Mapping[str, Any]]) -> None:
    st.markdown(f"**{title}** :gray[{len(roles)}]")


def _draw_roles(roles: Sequence[Mapping[str, Any]], side: str | None) -> None:
    for role in roles:
        _draw_role(role, side)


def _draw_role(role: Mapping[str, Any], side: str | None) -> None:
    """Draw one role: its name, how sure it was, what it is, and the first reason for its vote."""
    said = [one for one in role["said"] if side is None or one["for"] == side]
    with st.container(gap="xsmall", border=False):
        name = f"**{text.plain(role['role'])}**"
        beside = " · ".join(filter(None, (_confidence(role), _vote_share(role), _origin(role))))
        st.markdown(f"{name} :gray[{text.plain(beside)}]")
        st.caption(text.plain(role["description"]))
        st.text(next((one["reason"] for one in said if one["reason"]), _("(no reason given)")))
    others = [one for one in role["said"] if one not in said[:1]]
    if others:
        with st.expander(_n("{n} more vote", "{n} more votes", len(role["said"]) - 1)):
            for one in others:
                st.caption(_side_label(one["for"]))
                st.text(one["reason"] or _("(no reason given)"))


def _confidence(role: Mapping[str, Any]) -> str:
    confidence = role["confidence"]
    return "" if confidence is None else _("confidence {share}", share=text.number(confidence))


def _vote_share(role: Mapping[str, Any]) -> str:
    if role["candidate"] in (0, role["sittings"]):
        return ""
    return _("{votes} of {n} for the response", votes=role["candidate"], n=role["sittings"])


def _origin(role: Mapping[str, Any]) -> str:
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
            _("The endpoint gave no log-probabilities, or none were asked for: every vote counts the same.")
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
        notes.append(_first(panel["sittings"]))
    return notes


def _first(sittings: Sequence[Mapping[str, Any]]) -> str:
    first = sum(sitting["order"] == "candidate_first" for sitting in sittings)
    if first == len(sittings):
        return _("The response was shown first.")
    if not first:
        return _("The reference was shown first.")
    return _("The response was shown first in {n} of {of} votes.", n=first, of=len(sittings))
