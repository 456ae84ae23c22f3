"""Choosing one of several names, remembered for the session and kept in the page's link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import view_state


def one_of(
    label: str,
    offered: Sequence[str],
    key: str,
    *,
    first: str = "",
    words: Callable[[str], str] = str,
    width: int = 200,
) -> str:
    """Return the choice; `first` stands there before anything was chosen."""
    names = list(offered)
    view_state.drop_unavailable(key, names)
    return str(
        st.selectbox(
            label,
            names,
            index=names.index(first) if first in names else 0,
            format_func=words,
            key=key,
            width=width,
            persist_state="session",
        )
    )


def judge_and_criterion(
    project: ProjectInfo, raters: Sequence[ComparedRater], criteria: Sequence[str], keys: Mapping[str, str]
) -> tuple[str, str]:
    """Return a rater's name and a criterion that it scored, where it scored any of those.

    Args:
        project: the project.
        raters: who is offered, at least one.
        criteria: the keys of the criteria that are offered, at least one.
        keys: where the page keeps its "judge" and its "criterion".
    """
    judge = one_of(_("Judge"), [compared.name for compared in raters], keys["judge"], width=260)
    scored = next(compared.criteria for compared in raters if compared.name == judge)
    offered = [key for key in criteria if key in scored] or list(criteria)
    return judge, criterion(project, offered, keys["criterion"])


def criterion(project: ProjectInfo, offered: Sequence[str], key: str) -> str:
    """Return one of the criteria, which are chosen from by their labels."""
    return one_of(_("Criterion"), offered, key, words=lambda name: project.criterion(name).label)
