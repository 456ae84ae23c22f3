"""Links from a page of the app to the page of the documentation that explains it."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from judgelab.languages import _
from judgelab.wording import mark


class Page(NamedTuple):
    """A page of the documentation: its name in `handbook.files`, its link text, and a heading's anchor."""

    name: str
    title: str
    anchor: str = ""


PROJECT = Page("guide", mark("What a project contains"), "1-project")
DATA = Page("guide", mark("How files are read"), "2-data")
RATE = Page("tutorials/annotator", mark("How to rate"))
QUALITY = Page("explained/quality", mark("How the filter works"))
WORK_LIST = Page("guide", mark("How to use the work list"), "the-work-list")
CONFLICTS = Page("guide", mark("How to decide conflicts"), "conflicts")
JUDGE = Page("guide", mark("How judges are prompted"), "5-judge")
SCORES_FROM = mark("Where the scores come from")
IMPORTED = Page("guide", SCORES_FROM, "2-data")
JURY = Page("explained/crowd-labels", SCORES_FROM, "a-jury-of-judges")
LEARNED = Page("learned-judge", SCORES_FROM)
AGREE = Page("explained/agreement", mark("What the coefficients mean"))
EXPLAIN = Page("guide", mark("How to read a disagreement"), "6-agree-and-explain")
PATTERNS = Page("explained/habits", mark("Judge biases"))
TRUST = Page("explained/stand-in", mark("What these tests mean"))
COMPARE = Page("explained/comparing", mark("What a difference means"))
MEANS = Page("explained/few-ratings", mark("How the means are computed"))
MORE = Page("explained/few-ratings", mark("How many ratings are enough"), "how-many-more")
RATERS = Page("explained/raters-agree", mark("What agreement between raters means"))
REPORT = Page("guide", mark("What a report contains"), "7-report")
STUDY = Page("guide", mark("How to replicate a paper"), "study")
PEOPLE = Page("guide", mark("Who may do what"), "people")
DEPLOY = Page("deploy", mark("How other people connect"))
PAGES = (
    *(
        PROJECT,
        DATA,
        RATE,
        QUALITY,
        WORK_LIST,
        CONFLICTS,
        JUDGE,
        IMPORTED,
        JURY,
        LEARNED,
        AGREE,
        EXPLAIN,
        PATTERNS,
    ),
    *(TRUST, COMPARE, MEANS, MORE, RATERS, REPORT, STUDY, PEOPLE, DEPLOY),
)


def address(page: Page) -> str:
    """Return the page's path below the app's base URL."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    path = f"/help/{page.name}" + (f"#{page.anchor}" if page.anchor else "")
    return f"/{base}{path}" if base else path


def draw_help_link(page: Page) -> None:
    """Draw the link as a muted line."""
    st.caption(f":material/help: [{_(page.title)}]({address(page)})", width="content")
