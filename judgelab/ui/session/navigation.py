"""Which pages a person may open, by role: researchers, readers of results, and raters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from judgelab.accounts import signin
from judgelab.domain import holds
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate
from judgelab.wording import mark

HOME = "pages/everyone/welcome.py"
ACCOUNT = ("pages/everyone/account.py", mark("Account"), "account")
RATE = ("pages/annotator/rate.py", mark("Rate"), "rate")
MY_RATINGS = ("pages/annotator/my_ratings.py", mark("My ratings"), "my-ratings")
QUALITY = ("pages/researcher/quality.py", mark("Quality"), "quality")
AGREE = ("pages/researcher/agreement.py", mark("Agree"), "agree")
EXPLAIN = ("pages/researcher/disagreements.py", mark("Explain"), "explain")
JUDGE = ("pages/researcher/judges.py", mark("Judge"), "judge")
REPORT = ("pages/researcher/report.py", mark("Report"), "report")
RATERS = ("pages/researcher/raters.py", mark("Raters"), "raters")
WORK_LIST = ("pages/researcher/work_list.py", mark("Work list"), "work-list")
CONFLICTS = ("pages/researcher/adjudicate.py", mark("Conflicts"), "adjudicate")
PREPARATION = ("pages/researcher/preparation.py", mark("Preparation"), "preparation")
YOU = ("pages/researcher/you.py", mark("You"), "you")
ON_AGREEMENT = (
    ("pages/researcher/trust.py", mark("Trust"), "trust"),
    ("pages/researcher/compare.py", mark("Compare"), "compare"),
    ("pages/researcher/means.py", mark("Means"), "means"),
    ("pages/researcher/more.py", mark("More ratings"), "more"),
    ("pages/researcher/patterns.py", mark("Patterns"), "patterns"),
)
VISIT = ("pages/researcher/visit.py", mark("Tour"), "visit")
RUNS = ("pages/researcher/runs.py", mark("Runs"), "runs")
PEOPLE = ("pages/owner/people.py", mark("People"), "people")
ENDPOINTS = ("pages/owner/endpoints.py", mark("Endpoints"), "endpoints")
RATER = (RATE, MY_RATINGS)
RATING = frozenset(page[2] for page in RATER)  # shown in the study's language
READER = (QUALITY, AGREE, EXPLAIN)
RESEARCHER = (
    ("pages/researcher/projects.py", mark("Project"), "project"),
    ("pages/researcher/data.py", mark("Data"), "data"),
    RATE,
    QUALITY,
    JUDGE,
    AGREE,
    EXPLAIN,
    REPORT,
    ("pages/researcher/studies.py", mark("Study"), "studies"),
    PEOPLE,
)
# Linked from the pages above, not in the navigation bar.
INNER = (MY_RATINGS, VISIT, RATERS, WORK_LIST, CONFLICTS, PREPARATION, RUNS)

# As INNER, for everybody who may read results.
RESULTS = (
    *ON_AGREEMENT,
    YOU,
)
# Pages of one subject, drawn as a second row of links below the bar; the first page is the one in the bar.
FAMILIES = (
    (RATE, MY_RATINGS, YOU),
    (QUALITY, RATERS, WORK_LIST),
    (JUDGE, RUNS, PREPARATION, ENDPOINTS),
    (AGREE, *ON_AGREEMENT),
    (EXPLAIN, CONFLICTS),
)
# What the first page of a family is called beside the others; in the bar its name is the family's.
WITHIN_FAMILY = {
    QUALITY: mark("Quality filter"),
    JUDGE: mark("Judges"),
    AGREE: mark("Agreement"),
    EXPLAIN: mark("Disagreements"),
}

Page = tuple[str, str, str]
EVERY = frozenset({*RATER, *READER, *RESEARCHER, *INNER, *RESULTS, ENDPOINTS, ACCOUNT})
ADDRESSES = ("welcome", *sorted(page[2] for page in EVERY))


def pages_for(
    person: PersonInfo | None, project: ProjectInfo | None, closed: Callable[[str], None]
) -> dict[str, list[Any]]:
    """Return a person's pages by section of the bar: the steps, and a menu under their name.

    The roles in the current project count, or all roles while there is none. The default page is never shown
    in the bar: Streamlit serves it at "/" only, and every page here needs a link of its own. It redirects
    signed-in visitors to `first_page`. Without a person, every link leads to the sign-in page.

    Args:
        person: the visitor, if signed in.
        project: the current project.
        closed: draws the page at an address that the person may not open.
    """
    home = st.Page(HOME, title="JudgeLab", url_path="welcome", default=True, visibility="hidden")
    if person is None:
        return {"": [home, *(_page((HOME, *page[1:]), visibility="hidden") for page in sorted(EVERY))]}
    held_roles = _roles(person, project)
    bar, inner, menu = _bar(held_roles), _inner(held_roles), _menu(person)
    hidden = [_page(page, visibility="hidden") for page in inner]
    others = [
        st.Page(partial(closed, url), title=_(title), url_path=url, visibility="hidden")
        for _script, title, url in sorted(EVERY.difference(bar, inner, menu))
    ]
    return {"": [home, *map(_page, bar), *hidden, *others], text.plain(person.name): [*map(_page, menu)]}


def scripts_to_load(person: PersonInfo | None, project: ProjectInfo | None = None) -> list[str]:
    """Return the scripts of the pages that a person may open next; none for people who only rate."""
    held_roles = _roles(person, project) if person else frozenset()
    if not holds(held_roles, "reader"):
        return []
    return [page[0] for page in (*_bar(held_roles), *_inner(held_roles))]


def script_for(sign_in: str, path: str) -> str:
    """Return the script of the page that a sign-in requests by its path; empty for people who only rate."""
    person = signin.whoami(gate.store(), sign_in)
    if person is None or not scripts_to_load(person):
        return ""
    scripts = {page[2]: page[0] for page in (*RESEARCHER, *INNER, *RESULTS)}
    return scripts.get(path) or first_page(person)


def first_page(person: PersonInfo, project: ProjectInfo | None = None) -> str:
    """Return the page that a person sees first."""
    bar = _bar(_roles(person, project))
    return bar[0][0] if bar else ACCOUNT[0]


def may_open(page: str, person: PersonInfo, project: ProjectInfo | None = None) -> bool:
    """Return whether the person may open a page: a link to any other would raise an error."""
    return page in {entry[0] for entry in _pages_of(person, project)}


def may_open_address(address: str, person: PersonInfo | None, project: ProjectInfo | None = None) -> bool:
    """Return whether the person may open the page at an address, in the project or in any without one."""
    return person is not None and address in {entry[2] for entry in _pages_of(person, project)}


def family_of(address: str, person: PersonInfo, project: ProjectInfo | None = None) -> tuple[Page, ...]:
    """Return the pages of the same subject that the person may open; none if the bar has all of them.

    *You* shows judges, and who has seen them rates blind no more: *Rate* does not lead there.
    """
    open_pages, bar = _pages_of(person, project), set(_bar(_roles(person, project)))
    for pages in FAMILIES:
        if address in {page[2] for page in pages}:
            family = tuple(
                page for page in pages if page in open_pages and (page != YOU or address != RATE[2])
            )
            return () if len(family) < 2 or set(family) <= bar else family
    return ()


def _pages_of(person: PersonInfo, project: ProjectInfo | None) -> tuple[Page, ...]:
    held_roles = _roles(person, project)
    return (*_bar(held_roles), *_inner(held_roles), *_menu(person))


def _roles(person: PersonInfo, project: ProjectInfo | None) -> frozenset[str]:
    return gate.roles(person, project) if project else gate.roles_anywhere(person)


def _bar(held_roles: frozenset[str]) -> tuple[Page, ...]:
    if holds(held_roles, "researcher"):
        return RESEARCHER
    return (
        *(RATER if holds(held_roles, "annotator") else ()),
        *(READER if holds(held_roles, "reader") else ()),
    )


def _inner(held_roles: frozenset[str]) -> tuple[Page, ...]:
    if holds(held_roles, "researcher"):
        return (*INNER, *RESULTS)
    guided = (VISIT, RUNS) if holds(held_roles, "guest") else ()
    return (*guided, *RESULTS) if holds(held_roles, "reader") else ()


def _menu(person: PersonInfo) -> tuple[Page, ...]:
    return (*((ENDPOINTS,) if person.role == "owner" else ()), ACCOUNT)


def _page(page: Page, **options: Any) -> Any:
    path, title, url = page
    return st.Page(path, title=_(title), url_path=url, **options)
