"""Below and in the bar: links to the pages of the same subject, and the choice of another project."""

from __future__ import annotations

import json
from collections import Counter

import streamlit as st

from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import viewport, widgets
from judgelab.ui.session import gate, navigation
from judgelab.ui.session.navigation import Page

SWITCHER_KEY = "project_switcher"
# By whether the theme is dark: how Streamlit marks the current page in the bar.
CURRENT = {False: "rgba(173, 182, 154, 0.25)", True: "rgba(167, 189, 195, 0.25)"}
ROW_KEY, SCRIPT_KEY = "navigation_row", "navigation_script"
# Streamlit's containers have no roles: a screen reader finds the row, and the current page in it, by this.
# A link that opened another page is gone with its page, and the focus with it: it goes on in the content.
# Streamlit scrolls to the top once, which a page that is drawn later can undo: this goes on until the reader
# does something. Streamlit makes a step of "back" of every change of the link: those that a page makes by
# itself when it opens become part of the step that opened it.
# On a phone, Streamlit's menu stays open over the page that was chosen in it. The script names the page
# because one that has not changed is not run again.
SCRIPT = """<script>(() => {{
  const row = document.querySelector(".st-key-{row}");
  row?.setAttribute("role", "navigation");
  row?.setAttribute("data-page", {page});
  row?.setAttribute("aria-label", {label});
  row?.querySelector("[data-testid=stMarkdown] p")?.setAttribute("aria-current", "page");
  for (const link of document.querySelectorAll("[data-testid=stTopNavLink]"))
    if ({family} !== {page} && link.pathname.endsWith("/" + {family})) link.ariaCurrent = "true";
    else if (link.ariaCurrent === "true") link.ariaCurrent = null;
  const root = document.documentElement, changed = root.dataset.page && root.dataset.page !== {page};
  root.dataset.page = {page};
  if (!root.dataset.watched) {{
    root.dataset.watched = "yes";
    for (const done of ["pointerdown", "keydown", "wheel", "touchmove"])
      addEventListener(done, () => root.dataset.touched = "yes", {{capture: true, passive: true}});
    const push = history.pushState;
    history.pushState = function (state, title, url) {{
      const same = new URL(url ?? "", location.href).pathname === location.pathname;
      if (same && !root.dataset.touched) return history.replaceState(state, title, url);
      if (!same) delete root.dataset.touched;
      return push.call(history, state, title, url);
    }};
    addEventListener("popstate", () => delete root.dataset.touched);
  }}
  const content = document.getElementById("stMain");
  for (let tenths = 0; changed && content && tenths < 30; tenths++) setTimeout(() => {{
    if (document.activeElement === document.body) content.focus({{preventScroll: true}});
    if (!root.dataset.touched) content.scrollTop = 0;
  }}, 100 * tenths);
  document.querySelector("[data-testid=stExpandSidebarButton]")?.setAttribute("aria-label", {menu});
  const menu = document.querySelector("[data-testid=stSidebar][data-collapsed=false]");
  if (matchMedia("(max-width: {narrow}px)").matches)
    menu?.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
}})()</script>"""
# By which parameter a page on agreement names its judge or metric; the choice is in the state PAGE_PARAMETER.
JUDGE_PARAMETERS = {"agree": "rater", "trust": "judge", "means": "judge", "patterns": "judge"}
# Pages that belong to no project.
WITHOUT_PROJECT = frozenset({"account", "endpoints"})


def draw_navigation_bar(address: str, person: PersonInfo, project: ProjectInfo | None) -> None:
    """Draw the row of links of the page's family, if it has one, and the project switcher."""
    if project is None:  # the page asks for one, and the link may name what the visitor must not see
        return
    family = navigation.family_of(address, person, project)
    if family:
        _draw_family(family, address, project)
    if address not in WITHOUT_PROJECT:
        _draw_switcher(project)
    label = _(family[0][1]) if family else ""
    with st.container(key=SCRIPT_KEY):
        script = SCRIPT.format(
            row=ROW_KEY,
            label=json.dumps(label),
            page=json.dumps(address),
            family=json.dumps(family[0][2] if family else address),
            menu=json.dumps(_("Menu")),
            narrow=viewport.BREAKPOINT,
        )
        st.html(script, unsafe_allow_javascript=True)


def _draw_family(family: tuple[Page, ...], address: str, project: ProjectInfo) -> None:
    judge = _judge_in_view(address) if family[0] == navigation.AGREE else ""
    # Streamlit marks the current page in the bar only if it is the bar's own.
    field = CURRENT[widgets.theme().is_dark]
    link = f"[data-testid=stTopNavLink][href$='/{family[0][2]}']"
    st.html(f"<style>{link} {{ background: {field} }} {link} p {{ font-weight: 600; }}</style>")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key=ROW_KEY):
        for page in family:
            label = _(navigation.WITHIN_FAMILY.get(page, page[1]))
            if page[2] == address:
                st.markdown(f"**{label}**", width="content")
            else:
                named = {JUDGE_PARAMETERS[page[2]]: judge} if judge and page[2] in JUDGE_PARAMETERS else {}
                query = {"project": project.slug, **named}
                st.page_link(page[0], label=label, query_params=query, width="content")


def _judge_in_view(address: str) -> str:
    """Return the judge or metric that a page on agreement is about to show.

    The row is drawn before the page: a choice just made there is in its state and not yet in its link.
    """
    parameter = JUDGE_PARAMETERS.get(address)
    if parameter is None:
        return ""
    linked, own_link = st.query_params.get(parameter, ""), st.session_state.get(f"{address}_link") or {}
    if linked != own_link.get(parameter, ""):
        return str(linked)
    return str(st.session_state.get(f"{address}_{parameter}") or linked)


def _draw_switcher(project: ProjectInfo) -> None:
    names = gate.project_names()
    if len(names) < 2:
        return
    twice = {name for name, count in Counter(names.values()).items() if count > 1}
    key = f"{SWITCHER_KEY}_{project.slug}"
    with st.container(key=SWITCHER_KEY):
        st.selectbox(
            _("Project"),
            list(names),
            index=list(names).index(project.slug),
            format_func=lambda slug: f"{names[slug]} ({slug})" if names[slug] in twice else names[slug],
            key=key,
            label_visibility="collapsed",
            on_change=_switch,
            args=(key,),
        )


def _switch(key: str) -> None:
    """Make the chosen project the current one; what the link says of the last one is dropped."""
    st.query_params.clear()
    gate.choose(st.session_state[key])
