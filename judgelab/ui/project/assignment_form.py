"""Form fields for assigning work: limits and leases, checks and repeats, training, pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.annotation.assign.item_purpose import count_known_scores
from judgelab.annotation.rating.settings import LARGEST_SHARE, AssignmentPolicy, assignment_policy
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating import gold
from judgelab.ui.session import gate
from judgelab.ui.shared.limit_field import limit_label
from judgelab.wording import mark

ORDERS = {
    "random": mark("random, different for each rater"),
    "file": mark("as in the file"),
    "active": mark("proposed by the learned judge"),
}


def draw_assignment_fields(project: ProjectInfo) -> dict[str, Any]:
    """Draw the fields and return their current values."""
    settings, policy = project.settings, assignment_policy(project.settings)
    key = f"settings_{project.slug}"
    counts = count_known_scores(gate.store(), project.id)
    with st.expander(_("Assignment")):
        limits = _draw_limits(project, policy, key=key)
    known_count = counts.gold + counts.attention
    with st.expander(
        _n("Checks and repeats · {n} known score", "Checks and repeats · {n} known scores", known_count)
    ):
        checks = _draw_checks(policy, counts, key=key)
    with st.expander(_n("Training round · {n} response", "Training round · {n} responses", counts.training)):
        training = _draw_training(policy, counts, key=key)
    with st.expander(_("Pay")):
        pay = _draw_pay(settings, key=key)
    return {**limits, **checks, **training, **pay}


def _draw_limits(project: ProjectInfo, policy: AssignmentPolicy, *, key: str) -> dict[str, Any]:
    order = st.radio(
        _("Order"),
        list(ORDERS),
        index=list(ORDERS).index("file" if policy.file_order else "active" if policy.by_turn else "random"),
        format_func=lambda order: _(ORDERS[order]),
        key=f"{key}_order",
        horizontal=True,
    )
    spread = st.checkbox(_("item groups in turn, per rater"), policy.spread_groups, key=f"{key}_spread")
    left, right = st.columns(2)
    limit = left.number_input(
        limit_label(project),
        0,
        1_000_000,
        policy.max_units or 0,
        key=f"{key}_most",
        help=_("0 for no limit. Checks and repeats count; training does not."),
    )
    lease = right.number_input(
        _("Reservation without activity (minutes)"),
        1.0,
        1440.0,
        policy.lease_minutes,
        step=5.0,
        format="%g",
        key=f"{key}_lease",
        help=_("After this time, current answers go to other raters."),
    )
    pause = left.number_input(
        _("Reservation during a pause (minutes)"),
        0.0,
        1440.0,
        policy.pause_minutes,
        step=10.0,
        format="%g",
        key=f"{key}_pause",
        help=_("When a rater pauses (P), current answers stay reserved this long."),
    )
    return {
        "order": order,
        "spread_groups": spread,
        "most_responses": int(limit) or None,
        "lease_minutes": float(lease),
        "pause_minutes": float(pause),
    }


def _draw_checks(policy: AssignmentPolicy, counts: gold.GoldCounts, *, key: str) -> dict[str, Any]:
    st.caption(
        _(
            "{gold} and {checks} are marked. Mark more on Data: select an item.",
            gold=_n("{n} response with a known score", "{n} responses with a known score", counts.gold),
            checks=_n("{n} attention check", "{n} attention checks", counts.attention),
        )
    )
    left, right = st.columns(2)
    attention = left.number_input(
        _("One attention check every"),
        0,
        1000,
        policy.attention_every,
        key=f"{key}_attention",
        help=_("0 for none."),
    )
    screen_out = right.number_input(
        _("Missed checks before a rater is screened out"),
        0,
        100,
        policy.screen_out_after,
        key=f"{key}_out",
        help=_("0: missed checks are counted and give a warning but never end a rater's work."),
    )
    share = _percent_field(left, _("Gold, % of all"), policy.gold_share, key=f"{key}_gold")
    repeats = _percent_field(right, _("Repeats, % of answers"), policy.repeats, key=f"{key}_repeats")
    repeat_after = left.number_input(
        _("Repeat after this many others"), 0, 10_000, policy.repeat_after, key=f"{key}_after"
    )
    return {
        "attention_every": int(attention),
        "screen_out_after": int(screen_out),
        "gold_share": share,
        "repeats": repeats,
        "repeat_after": int(repeat_after),
    }


def _draw_training(policy: AssignmentPolicy, counts: gold.GoldCounts, *, key: str) -> dict[str, Any]:
    st.caption(
        _("Before the study, each rater scores these and sees the expected score after each one.")
        if counts.training
        else _("No item is marked as training yet, so raters skip it. Mark some on Data.")
    )
    left, right = st.columns(2)
    needed = left.number_input(
        _("Required share right, %"), 0, 100, round(100 * policy.needed), step=5, key=f"{key}_needed"
    )
    tries = right.number_input(
        _("Attempts"),
        1,
        10,
        policy.tries,
        key=f"{key}_tries",
        help=_("Raters who fail the last attempt are thanked and leave the study."),
    )
    return {"training": {"needed": needed / 100, "tries": int(tries)}}


def _draw_pay(settings: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    left, right = st.columns(2)
    rate = left.number_input(
        _("Hourly pay"),
        0.0,
        100_000.0,
        float(settings.get("pay_per_hour") or 0),
        step=0.5,
        key=f"{key}_pay",
        help=_("Raters see what they have earned; with 0 they see only their time."),
    )
    currency = right.text_input(
        _("Currency"), settings.get("currency") or "", max_chars=8, key=f"{key}_currency"
    )
    return {"pay_per_hour": float(rate) or None, "currency": currency.strip()}


def _percent_field(column: Any, label: str, share: float, *, key: str) -> float:
    highest = round(100 * LARGEST_SHARE)
    return (
        float(column.number_input(label, 0.0, float(highest), 100 * share, step=1.0, format="%g", key=key))
        / 100
    )
