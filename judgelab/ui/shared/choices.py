"""Select boxes whose choice is remembered in the session and in the page's link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import streamlit as st

from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import view_state


def one_of(
    label: str,
    offered: Sequence[str],
    key: str,
    *,
    first: str = "",
    words: Callable[[str], str] = str,
    width: int | Literal["stretch"] = 200,
    note: bool = True,
) -> str:
    """Draw a select box and return the choice; `first` is the default.

    Without `note`, the caller writes elsewhere that the link's choice is not available.
    """
    names = list(offered)
    view_state.drop_unavailable(key, names, note=note)
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
    """Draw both choices and return a judge's name and a criterion, one that it scored if there is any.

    Args:
        project: the project.
        raters: the judges and metrics on offer, at least one.
        criteria: keys of the criteria on offer, at least one.
        keys: the state keys of the page's "judge" and "criterion".
    """
    judge = one_of(_("Judge"), [compared.name for compared in raters], keys["judge"], width=260)
    scored = next(compared.criteria for compared in raters if compared.name == judge)
    offered = [key for key in criteria if key in scored] or list(criteria)
    return judge, criterion(project, offered, keys["criterion"])


def criterion(project: ProjectInfo, offered: Sequence[str], key: str) -> str:
    """Draw the choice of a criterion by its label and return its key."""
    return one_of(_("Criterion"), offered, key, words=lambda name: project.criterion(name).label)
