"""The steps of a project as rows: their state, and the next thing to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from judgelab.analysis.project_steps import ProjectStep, next_step
from judgelab.languages import _
from judgelab.ui.kit import text, viewport, widgets
from judgelab.wording import mark

PAGES = {
    "data": "pages/researcher/data.py",
    "rate": "pages/annotator/rate.py",
    "quality": "pages/researcher/quality.py",
    "judge": "pages/researcher/judges.py",
    "agree": "pages/researcher/agreement.py",
    "explain": "pages/researcher/disagreements.py",
    "report": "pages/researcher/report.py",
}
# A step's optional second page.
OPTIONAL_STEPS = {
    "rate": ("pages/owner/people.py", mark("Invite raters")),
    "quality": ("pages/researcher/raters.py", mark("Raters one by one")),
}
COUNT_TEXTS = {
    "done": mark("{count} done"),
    "ready": mark("{count} ready"),
    "open": mark("{count} open"),
    "attention": mark("{count} to check"),
    "later": mark("{count} later"),
}
NUMBER_WIDTH, TITLE_WIDTH = 16, 72


def draw_project_steps(steps: Sequence[ProjectStep], *, slug: str) -> None:
    """Draw one row per step; the next one has a border and the primary button."""
    widgets.heading(_("Steps"), _count_text(steps))
    following = next_step(tuple(steps))
    narrow = viewport.is_narrow()
    with st.container(gap=None, key="projects_steps"):
        for position, step in enumerate(steps, start=1):
            if step is following:
                _draw_next(step, position, slug=slug)
            else:
                if position == 1 or steps[position - 2] is not following:
                    st.divider()
                _draw_row(step, position, slug=slug, narrow=narrow)
        if steps[-1] is not following:
            st.divider()


def _draw_row(step: ProjectStep, position: int, *, slug: str, narrow: bool) -> None:
    later = step.state == "later"
    with st.container(horizontal=True, gap="small", vertical_alignment="top", wrap=False):
        st.caption(str(position), width=NUMBER_WIDTH)
        title, headline = _(step.title), text.plain(_(step.headline))
        if later:
            st.markdown(f":gray[**{title}**]", width=TITLE_WIDTH)
        else:
            with st.container(key=f"projects_title_{step.key}", width=TITLE_WIDTH):
                st.page_link(PAGES[step.key], label=f"**{title}**", query_params={"project": slug})
        with st.container(width="stretch", gap="xsmall"):
            with st.container(gap=None):
                st.markdown(f":gray[{headline}]" if later else headline)
                if step.detail:
                    st.caption(text.plain(_(step.detail)))
            _draw_optional_step(step, slug=slug)
            if narrow:
                _draw_mark(step)
        if not narrow:
            _draw_mark(step)


def _draw_next(step: ProjectStep, position: int, *, slug: str) -> None:
    with st.container(
        border=True, horizontal=True, gap="small", vertical_alignment="center", key="projects_next_step"
    ):
        st.caption(str(position), width=NUMBER_WIDTH)
        st.markdown(f"**{_(step.title)}**", width=TITLE_WIDTH)
        with st.container(width="stretch", gap="xsmall"):
            with st.container(gap=None):
                st.markdown(f"**{_(step.next_sentence)}**")
                summary = "; ".join(_(part) for part in (step.headline, step.detail) if part)
                st.caption(text.plain(summary))
                _draw_mark(step)
            _draw_optional_step(step, slug=slug)
        if widgets.primary_button(_(step.button), key="projects_next"):
            st.switch_page(PAGES[step.key], query_params={"project": slug})


def _draw_optional_step(step: ProjectStep, *, slug: str) -> None:
    if step.key in OPTIONAL_STEPS and step.state != "later":
        page, label = OPTIONAL_STEPS[step.key]
        st.page_link(page, label=_(label), icon=":material/arrow_forward:", query_params={"project": slug})


def _draw_mark(step: ProjectStep) -> None:
    """Write the mark on the right: muted, or orange for what needs attention."""
    label = _(step.mark)
    if _state(step) == "attention":
        label = _("check: {what}", what=label)
        st.markdown(f":small[:orange[:material/error: {label}]]", width="content")
    else:
        done = step.state == "done"
        words = f":small[:gray[:material/check: {label}]]" if done else f":gray-badge[{label}]"
        st.markdown(words, width="content")


def _state(step: ProjectStep) -> str:
    """Return the state that the page shows: a step that is done without a part of it needs attention."""
    return "attention" if "without" in step.mark or "failed" in step.mark else step.state


def _count_text(steps: Sequence[ProjectStep]) -> str:
    counts = Counter(map(_state, steps))
    return ", ".join(_(words, count=counts[state]) for state, words in COUNT_TEXTS.items() if counts[state])
