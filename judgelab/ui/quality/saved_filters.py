"""Saving a quality rule as a named version, locking it, and choosing the one every figure stands on."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.data import filter_info, saved_filters
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.quality import filter_form
from judgelab.ui.session import gate
from judgelab.wording import mark

ALL_RATINGS = ""
NO_RULE = mark("all ratings, no filter")
FIRST_NAME = "main"
MESSAGE_KEY = "quality_version_said"
LOCK_HELP = mark(
    "Saves the filter with the time, the number of ratings so far and a sha256. To use another one later "
    "you must give a reason, which is shown next to every figure. Lock it before you see data."
)


def draw_save(project: ProjectInfo, policy: FilterPolicy, filters: list[FilterInfo]) -> None:
    """Draw the name field and the buttons that save the rule as it stands, for those who may."""
    if gate.allowed("researcher", project) is None:
        return
    current = next((rule for rule in filters if rule.in_use), None)
    name = st.text_input(
        _("Filter name"), current.name if current else FIRST_NAME, key="quality_name", max_chars=60
    ).strip()
    version = 1 + max((rule.version for rule in filters if rule.name == name), default=0)
    same = current is not None and current.policy == policy and current.name == name
    reason = "" if same else _reason(current, key="quality_reason")
    with st.container(horizontal=True):
        if same and current:
            label = _("In use as version {version}", version=current.version)
        else:
            label = _("Apply as version {version}", version=version)
        pressed = widgets.primary_button(label, key="quality_save", disabled=same or not name)
        lock = not (current and current.locked_at) and _draw_lock(project, name, version)
    if pressed or lock:
        if _named_when_pressed(name, version):
            _save(project, policy, name=name, lock=lock, reason=reason)
        else:
            saved = next(rule for rule in filters if (rule.name, rule.version) == (name, version - 1))
            st.warning(
                _(
                    "Version {saved} was saved in the meantime: {rule}. Nothing was changed; press again "
                    "to save yours as version {version}.",
                    saved=saved.version,
                    rule=text.plain(short_description(saved.policy)),
                    version=version,
                )
            )
    st.session_state[MESSAGE_KEY] = (name, version)
    if current and current.locked_at:
        message = _(
            "{rule}. sha256 of the filter, the criteria and the raters per response: `{sha256}…`; exports "
            "contain it in full.",
            rule=text.plain(_(current.description)),
            sha256=current.sha256[:16],
        )
        st.caption(f":material/lock: {message}")


def _named_when_pressed(name: str, version: int) -> bool:
    """Return whether the buttons that stood there when one was pressed named this version."""
    saved_name, saved_version = st.session_state.get(MESSAGE_KEY, (name, version))
    return bool(saved_name != name or saved_version == version)


def draw_lock_before_data(project: ProjectInfo, policy: FilterPolicy, filters: list[FilterInfo]) -> None:
    """Draw the name field and the button that lock a rule while there is nothing to try it on."""
    if gate.allowed("researcher", project) is None:
        return
    current = next((rule for rule in filters if rule.in_use), None)
    if current is not None and current.locked_at is not None:
        st.caption(f":material/lock: {text.plain(_(current.description))}.")
        return
    name = st.text_input(_("Filter name"), FIRST_NAME, key="quality_name", max_chars=60).strip()
    if _draw_lock(project, name, 1 + max((rule.version for rule in filters if rule.name == name), default=0)):
        _save(project, policy, name=name, lock=True)


def _draw_lock(project: ProjectInfo, name: str, version: int) -> bool:
    """Draw what locking means now, and the button that does it; return whether it was pressed."""
    with st.popover(_("Lock the filter"), icon=":material/lock:", disabled=not name):
        st.write(_(LOCK_HELP))
        seen = [rater.name for rater in _judges_of(project)]
        if seen:
            warning = _n(
                "{n} judge has already scored: {judges}. The lock doesn't show whether anyone saw its "
                "scores.",
                "{n} judges have already scored: {judges}. The lock doesn't show whether anyone saw their "
                "scores.",
                len(seen),
                judges=text.listing(seen, limit=4),
            )
            st.markdown(f":orange[:material/priority_high: {text.plain(warning)}]")
        label = _("Lock “{name}” as version {version}", name=text.plain(name), version=version)
        return st.button(label, key="quality_lock", disabled=not name)


def _judges_of(project: ProjectInfo) -> list[ComparedRater]:
    raters = loaders.compared_raters(project.slug, loaders.data_version(project.slug))
    return [rater for rater in raters if rater.kind == "judge"]


def draw_versions(project: ProjectInfo, filters: list[FilterInfo]) -> None:
    """Draw which version is in use, with the others to choose from."""
    widgets.heading(_("Saved filters"), text.count(len(filters)))
    if not filters:
        st.caption(_("None yet: all figures use all ratings."))
        return
    current = next((rule for rule in filters if rule.in_use), None)
    may = gate.allowed("researcher", project) is not None
    reason = _reason(current, key="quality_use_reason") if may else ""
    shown = {rule.title: _(rule.title) for rule in filters}
    titles = [ALL_RATINGS, *(rule.title for rule in filters)]
    st.selectbox(
        _("Figures are based on"),
        titles,
        index=titles.index(current.title if current else ALL_RATINGS),
        format_func=lambda title: text.plain(shown[title]) if title else _(NO_RULE),
        key=f"quality_in_use_{current.title if current else ''}",
        on_change=_use_version,
        args=(project, filters, f"quality_in_use_{current.title if current else ''}", reason),
        disabled=not may or bool(current and current.locked_at and not reason),
    )
    frame = pd.DataFrame(
        {
            "Rule": [shown[rule.title] for rule in filters],
            "In short": [short_description(rule.policy) for rule in filters],
            "Saved": [text.when(rule.created_at) for rule in filters],
            "State": [_state(rule) for rule in filters],
        }
    )
    column = st.column_config.Column
    widgets.table(
        frame,
        key="quality_versions",
        columns={
            "Rule": column(_("Filter")),
            "In short": column(_("Summary")),
            "Saved": column(_("Saved")),
            "State": column(_("State")),
        },
    )


def short_description(policy: FilterPolicy) -> str:
    """Return a rule in a few words: `r < 0.40, each other rater, worst first, overlap 5`."""
    parts = [
        f"r < {policy.threshold:z.2f}",
        _(filter_form.METHODS[policy.method]),
        _(filter_form.PASSES[policy.passes]),
        _("overlap {n}", n=policy.min_overlap),
    ]
    if policy.control != "agreement":
        parts.insert(0, _tests(policy))
    if policy.control == "hit":
        parts = parts[:1]
    if policy.aggregate != "mean":
        parts.append(_(filter_info.AGGREGATION_LABELS[policy.aggregate]))
    if policy.criterion != "each":
        parts.append(_("criterion {criterion}", criterion=policy.criterion))
    return ", ".join(parts)


def _tests(policy: FilterPolicy) -> str:
    """Return how raters are tested by copies: `degraded copies, p < 0.05, t, 5 copies`."""
    tests = _(
        "degraded copies, p < {alpha}, {test}, {copies} or more",
        alpha=f"{policy.hit_alpha:g}",
        test=policy.hit_test,
        copies=policy.hit_pairs,
    )
    return _("{tests}, then", tests=tests) if policy.control == "both" else tests


def _state(rule: FilterInfo) -> str:
    words = [_("in use")] if rule.in_use else []
    if rule.locked_at:
        words.append(_(rule.lock_text))
    return ", ".join(words) or text.MISSING


def _reason(current: FilterInfo | None, *, key: str) -> str:
    """Ask why a locked rule is set aside, where one is in use."""
    if current is None or current.locked_at is None:
        return ""
    return st.text_input(
        _("Reason for overriding the locked filter"),
        key=key,
        max_chars=300,
        placeholder=_("shown next to every figure"),
    ).strip()


def _save(project: ProjectInfo, policy: FilterPolicy, *, name: str, lock: bool, reason: str = "") -> None:
    person = gate.enter("researcher", project)
    try:
        saved_filters.save_filter(
            gate.store(), project.slug, name, policy, person_id=person.id, lock=lock, reason=reason
        )
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _use_version(project: ProjectInfo, filters: list[FilterInfo], key: str, reason: str) -> None:
    person = gate.allowed("researcher", project)
    if person is None:
        return
    title = st.session_state[key]
    chosen = next((rule for rule in filters if rule.title == title), None)
    if chosen is None:
        saved_filters.use_filter(gate.store(), project.slug, None, person_id=person.id, reason=reason)
    else:
        saved_filters.use_filter(
            gate.store(),
            project.slug,
            chosen.name,
            chosen.version,
            person_id=person.id,
            reason=reason,
        )
