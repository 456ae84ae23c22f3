"""Controls that save a filter as a named version, lock it, and choose the one that figures use."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import column_widths, failures, text, viewport, widgets
from judgelab.ui.quality.filter_summary import filter_summary
from judgelab.ui.session import gate
from judgelab.wording import mark

ALL_RATINGS = ""
NO_FILTER_LABELS = {  # by whether the raters compared responses
    False: mark("all ratings, no filter"),
    True: mark("all comparisons, no filter"),
}
FIRST_NAME = "main"
SUMMARY_WIDTH, NARROW_SUMMARY_WIDTH = 400, 340  # in pixels; the summary wraps
MESSAGE_KEY = "quality_version_said"
LOCK_HELP = mark(
    "Saves the filter with the time, the number of ratings so far and a SHA-256 hash. To use another one "
    "later you must give a reason, which is shown next to every figure. Lock it before you see data."
)


def draw_save(
    project: ProjectInfo,
    policy: FilterPolicy,
    filters: list[FilterInfo],
    *,
    scale: Scale,
    comparisons: bool,
) -> None:
    """Draw the name field and the buttons that save the filter, for researchers of the project."""
    if gate.allowed("researcher", project) is None:
        return
    current = next((saved_filter for saved_filter in filters if saved_filter.in_use), None)
    name = st.text_input(
        _("Filter name"), current.name if current else FIRST_NAME, key="quality_name", max_chars=60
    ).strip()
    version = 1 + max(
        (saved_filter.version for saved_filter in filters if saved_filter.name == name), default=0
    )
    unchanged = current is not None and current.policy == policy and current.name == name
    reason = "" if unchanged else _ask_override_reason(current, key="quality_reason")
    with st.container(horizontal=True):
        if unchanged and current:
            label = _("In use as version {version}", version=current.version)
        else:
            label = _("Apply as version {version}", version=version)
        pressed = widgets.primary_button(label, key="quality_save", disabled=unchanged or not name)
        lock = not (current and current.locked_at) and _draw_lock(project, name, version)
    if pressed or lock:
        if _named_when_pressed(name, version):
            _save(project, policy, name=name, lock=lock, reason=reason)
        else:
            other_version = next(
                saved_filter
                for saved_filter in filters
                if (saved_filter.name, saved_filter.version) == (name, version - 1)
            )
            st.warning(
                _(
                    "Version {saved} was saved in the meantime: {rule}. Nothing was changed; press again "
                    "to save yours as version {version}.",
                    saved=other_version.version,
                    rule=text.plain(filter_summary(other_version.policy, scale, compared=comparisons)),
                    version=version,
                )
            )
    st.session_state[MESSAGE_KEY] = (name, version)
    if current and current.locked_at:
        message = _(
            "{rule}. SHA-256 hash of the filter, the criteria and the raters per response: `{sha256}…`; "
            "exports contain it in full.",
            rule=text.plain(_(current.description)),
            sha256=current.sha256[:16],
        )
        st.caption(f":material/lock: {message}")


def _named_when_pressed(name: str, version: int) -> bool:
    """Return whether the button, when it was pressed, was labelled with this name and version."""
    saved_name, saved_version = st.session_state.get(MESSAGE_KEY, (name, version))
    return bool(saved_name != name or saved_version == version)


def draw_lock_before_data(project: ProjectInfo, policy: FilterPolicy, filters: list[FilterInfo]) -> None:
    """Draw the name field and the button that lock a filter before there are ratings."""
    if gate.allowed("researcher", project) is None:
        return
    current = next((saved_filter for saved_filter in filters if saved_filter.in_use), None)
    if current is not None and current.locked_at is not None:
        st.caption(f":material/lock: {text.plain(_(current.description))}.")
        return
    name = st.text_input(_("Filter name"), FIRST_NAME, key="quality_name", max_chars=60).strip()
    if _draw_lock(
        project,
        name,
        1 + max((saved_filter.version for saved_filter in filters if saved_filter.name == name), default=0),
    ):
        _save(project, policy, name=name, lock=True)


def _draw_lock(project: ProjectInfo, name: str, version: int) -> bool:
    """Draw the popover that explains and offers locking; return whether its button was pressed."""
    with st.popover(_("Lock the filter"), icon=":material/lock:", disabled=not name):
        st.write(_(LOCK_HELP))
        judges = [rater.name for rater in _scored_judges(project)]
        if judges:
            warning = _n(
                "{n} judge has already scored: {judges}. The lock doesn't show whether anyone saw its "
                "scores.",
                "{n} judges have already scored: {judges}. The lock doesn't show whether anyone saw their "
                "scores.",
                len(judges),
                judges=text.quoted_names(judges, limit=4),
            )
            st.markdown(f":orange[:material/priority_high: {text.plain(warning)}]")
        label = _("Lock “{name}” as version {version}", name=text.plain(name), version=version)
        return st.button(label, key="quality_lock", disabled=not name)


def _scored_judges(project: ProjectInfo) -> list[ComparedRater]:
    raters = loaders.compared_raters(project.slug, loaders.data_version(project.slug))
    return [rater for rater in raters if rater.kind == "judge"]


def draw_filter_in_use(current: FilterInfo | None, *, comparisons: bool) -> None:
    """Write which saved filter the project's figures use, when it was saved and by whom."""
    if current is None:
        st.caption(
            _("No filter is in use: the other pages use all comparisons.")
            if comparisons
            else _("No filter is in use: the other pages use all ratings.")
        )
        return
    values = {"rule": text.plain(_(current.quoted)), "when": text.when(current.created_at)}
    if current.created_by:
        st.caption(
            _("In use: {rule}, saved {when} by {name}.", name=text.plain(current.created_by), **values)
        )
    else:
        st.caption(_("In use: {rule}, saved {when}, author not recorded.", **values))


def draw_versions(
    project: ProjectInfo, filters: list[FilterInfo], *, scale: Scale, comparisons: bool
) -> None:
    """Draw the choice of the filter in use and a table of all saved filters.

    The scale is that of the criterion shown; the summaries give distances in its points.
    """
    widgets.heading(_("Saved filters"), text.count(len(filters)))
    if not filters:
        st.caption(
            _("None yet: the other pages use all comparisons.")
            if comparisons
            else _("None yet: the other pages use all ratings.")
        )
        return
    current = next((saved_filter for saved_filter in filters if saved_filter.in_use), None)
    editable = gate.allowed("researcher", project) is not None
    reason = _ask_override_reason(current, key="quality_use_reason") if editable else ""
    labels = {saved_filter.title: _(saved_filter.title) for saved_filter in filters}
    titles = [ALL_RATINGS, *(saved_filter.title for saved_filter in filters)]
    st.selectbox(
        _("Filter in use"),
        titles,
        index=titles.index(current.title if current else ALL_RATINGS),
        format_func=lambda title: labels[title] if title else _(NO_FILTER_LABELS[comparisons]),
        key=f"quality_in_use_{current.title if current else ''}",
        on_change=_use_version,
        args=(project, filters, f"quality_in_use_{current.title if current else ''}", reason),
        disabled=not editable or bool(current and current.locked_at and not reason),
    )
    frame = pd.DataFrame(
        {
            "Rule": [saved_filter.name for saved_filter in filters],
            "Version": [str(saved_filter.version) for saved_filter in filters],
            "Saved": [text.when(saved_filter.created_at) for saved_filter in filters],
            "By": [saved_filter.created_by or _("not recorded") for saved_filter in filters],
            "State": [_state_text(saved_filter) for saved_filter in filters],
            "In short": [filter_summary(one.policy, scale, compared=comparisons) for one in filters],
        }
    )
    column = st.column_config.Column
    most = NARROW_SUMMARY_WIDTH if viewport.is_narrow() else SUMMARY_WIDTH
    width, row_height = column_widths.wrapped([_("Summary"), *frame["In short"]], most)
    widgets.table(
        frame,
        key="quality_versions",
        columns={
            "Rule": column(_("Filter")),
            "Version": column(_("Version"), alignment="right"),
            "In short": column(_("Summary"), width=width),
            "Saved": column(_("Saved")),
            "By": column(_("Saved by")),
            "State": column(_("State")),
        },
        row_height=row_height,
    )


def _state_text(saved_filter: FilterInfo) -> str:
    words = [_("in use")] if saved_filter.in_use else []
    if saved_filter.locked_at:
        words.append(_(saved_filter.lock_text))
    return ", ".join(words) or text.MISSING


def _ask_override_reason(current: FilterInfo | None, *, key: str) -> str:
    """Return the typed reason for overriding the locked filter; "" if the filter in use is not locked."""
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
    chosen = next((saved_filter for saved_filter in filters if saved_filter.title == title), None)
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
