"""Which ratings a result page uses, and when their quality filter was locked, or why it was replaced."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate


def draw_filter_note(project: ProjectInfo) -> None:
    """Write when the filter was locked, if the project has ever locked one."""
    saved_note = saved_filters.lock_note(gate.store(), project.slug)
    if saved_note:
        note = _("Quality filter: {rule}.", rule=text.plain(_(saved_note)))
        st.caption(f":material/lock: {note}")


def scope(project: ProjectInfo, *, comparisons: bool = False, decisions: bool = False) -> str:
    """Return the project's name and its ratings, or comparisons, in use, for a page's header.

    With `decisions`, it says that adjudicated ones come first.
    """
    used = ratings_in_use(project, comparisons=comparisons)
    return text.plain(", ".join([project.name, used, *decided_first(decisions, comparisons=comparisons)]))


def decided_first(decisions: bool, *, comparisons: bool) -> list[str]:
    """Return the words of a page's header that say that decisions are used; none if they are not."""
    if not decisions:
        return []
    return [_("adjudicated pairs first") if comparisons else _("adjudicated scores first")]


def ratings_in_use(project: ProjectInfo, *, comparisons: bool = False) -> str:
    """Return `all ratings`, or `after filter “strict”, version 2` with the filter in use."""
    current = _in_use(project)
    if current:
        return after_filter(current)
    return _("all comparisons") if comparisons else _("all ratings")


def ratings_before_sentence(project: ProjectInfo) -> str:
    """Return `All ratings`, or `With the filter “strict”, version 2`, to begin a sentence after a colon."""
    current = _in_use(project)
    if current:
        return _("With the filter {rule}", rule=_(current.quoted))
    return text.capitalised(_("all ratings"))


def _in_use(project: ProjectInfo) -> FilterInfo | None:
    saved = saved_filters.list_filters(gate.store(), project.slug)
    return next((saved_filter for saved_filter in saved if saved_filter.in_use), None)


def after_filter(saved: FilterInfo) -> str:
    """Return `after filter “strict”, version 2`."""
    return _("after filter {rule}", rule=_(saved.quoted))


def counted_ratings(policy: FilterInfo | None, *, comparisons: bool = False) -> str:
    """Return the filter of a result in a sentence, such as `Ratings: filter “strict”, version 2.`."""
    if policy is None:
        return (
            _("All comparisons are used (no filter).")
            if comparisons
            else _("All ratings are used (no filter).")
        )
    kept = _(policy.description)
    return _("Comparisons: {rule}.", rule=kept) if comparisons else _("Ratings: {rule}.", rule=kept)
