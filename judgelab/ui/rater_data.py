"""What the page of raters computes, kept until work, checks, standing or the rule change."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis import raters
from judgelab.analysis.rater_profile import RaterProfile, rater_profile
from judgelab.analysis.raters import Beside, RaterTable
from judgelab.languages import _
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate

KEPT = 32


def version(project: ProjectInfo) -> str:
    """Return a word that changes whenever what the page shows could change."""
    return raters.stamp(gate.store(), project.slug)


def table(project: ProjectInfo, version: str, *, beside: Beside) -> RaterTable:
    """Return what is known of every rater, from the cache when nothing changed."""
    with st.spinner(_("Comparing the raters…")):
        return _table(project.slug, version, beside)


def profile(
    project: ProjectInfo, version: str, rater: str, *, criterion: str, others: frozenset[str]
) -> RaterProfile:
    """Return one rater beside `others`, from the cache when nothing changed."""
    return _profile(project.slug, version, rater, criterion, tuple(sorted(others)))


# Nobody changes it, and a copy of 200 reports would be made for each look.
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _table(slug: str, version: str, beside: Beside) -> RaterTable:
    return raters.rater_table(gate.store(), slug, beside=beside)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _profile(slug: str, version: str, rater: str, criterion: str, others: tuple[str, ...]) -> RaterProfile:
    return rater_profile(gate.store(), slug, rater, criterion=criterion, others=others)
