"""Links to *Explain*, where one response or pair is read, and from there to *Agree*."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.shared import compared

AGREE_PAGE, EXPLAIN_PAGE = "pages/researcher/agreement.py", "pages/researcher/disagreements.py"
LONGEST_TEXT = 120


def draw_response_link(project: ProjectInfo, judge: str, criterion: str, response: int, name: str) -> None:
    """Draw a link to a response by its row id; `judge` may be empty."""
    _draw_link(project, name, {"judge": judge, "criterion": criterion, "response": str(response)})


def draw_pair_link(
    project: ProjectInfo, judge: str, criterion: str, pair: tuple[int, int], name: str
) -> None:
    """Draw a link to two responses by their row ids."""
    where = {"form": compared.PAIRS, "compared": criterion, "pair": compared.pair_word(*pair)}
    _draw_link(project, name, {"judge": judge, **where})


def draw_agreement_link(project: ProjectInfo, judge: str, *, form: str) -> None:
    """Draw a link to the judge's agreement with the raters; `form` is that of `compared.FORMS`."""
    st.page_link(
        AGREE_PAGE,
        label=_("See the agreement of {judge} with the raters", judge=text.plain(judge)),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug, "rater": judge, "form": form},
    )


def _draw_link(project: ProjectInfo, name: str, parameters: dict[str, str]) -> None:
    link = {"project": project.slug, **parameters}
    st.page_link(
        EXPLAIN_PAGE,
        label=_("Read {response}", response=text.plain(name[:LONGEST_TEXT])),
        icon=":material/arrow_forward:",
        query_params={word: value for word, value in link.items() if value},
    )
