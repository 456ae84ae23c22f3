"""Whether a page is about scores of responses or comparisons of two, and of which criterion."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, view_state
from judgelab.wording import mark

RESPONSES, PAIRS = "responses", "pairs"
FORMS = {RESPONSES: mark("scores of responses"), PAIRS: mark("comparisons of two")}
COMPARED_KEY = "agree_compared"
DECIDED, WINNER_KEY = "decided", "agree_winner"  # decisions first, and where the choice is held
SESSION_KEYS = {"form": "agree_form", "compared": COMPARED_KEY, "winner": WINNER_KEY}  # by query parameter


def is_about_pairs(project: ProjectInfo, version: str, *, scored: bool) -> bool:
    """Return whether the page is about comparisons, not scores; ask if the project has both.

    Args:
        project: the project.
        version: the version of its data.
        scored: whether a judge or metric scored single responses that people can have rated.
    """
    if not loaders.compared_criteria(project.slug, version):
        return False
    view_state.follow_link("choices", SESSION_KEYS)
    if not (scored and loaders.rated_criteria(project.slug, version)):
        return True
    chosen = st.segmented_control(
        _("Ratings used"),
        list(FORMS),
        default=None if SESSION_KEYS["form"] in st.session_state else RESPONSES,
        format_func=lambda form: _(FORMS[form]),
        required=True,
        label_visibility="collapsed",
        key=SESSION_KEYS["form"],
        persist_state="session",
    )
    write_form_link()
    return chosen == PAIRS


def only_compared(project: ProjectInfo) -> bool:
    """Return whether people compared responses of the project and rated none."""
    version = loaders.data_version(project.slug)
    compares = loaders.compared_criteria(project.slug, version)
    return bool(compares) and not loaders.rated_criteria(project.slug, version)


def count_heads(project: ProjectInfo) -> dict[str, str]:
    """Return what judgments with and without a result are called, by their names of counts."""
    if only_compared(project):
        return {"Scored": _("With a choice or score"), "Unscored": _("Without one")}
    return {"Scored": _("Scored"), "Unscored": _("Unscored")}


def judges(project: ProjectInfo, version: str) -> tuple[str, ...]:
    """Return the judges and metrics with a choice under any compared criterion, without repeats."""
    keys = loaders.compared_criteria(project.slug, version)
    names = (loaders.judges_of_pairs(project.slug, version, criterion=key) for key in keys)
    return tuple(dict.fromkeys(name for of_criterion in names for name in of_criterion))


def write_margin_notes(
    project: ProjectInfo, version: str, criteria: Iterable[str], names: Iterable[str | None]
) -> None:
    """Write up to which difference of scores these judges are taken to choose a tie, a line each."""
    known = tuple(name for name in names if name is not None)
    for note in loaders.margin_notes(project.slug, version, criteria=tuple(criteria), judges=known):
        st.caption(text.plain(_(note)))


def write_form_link() -> None:
    """Write into the page's URL whether it is about comparisons, and of which criterion."""
    values = {word: st.session_state.get(key) for word, key in SESSION_KEYS.items()}
    values["form"] = PAIRS if values["form"] == PAIRS else None
    values["winner"] = DECIDED if values["winner"] == DECIDED else None
    view_state.write_link("choices", values)


def pair_word(first: int, second: int) -> str:
    """Return the parameter of a link that names a pair by its responses' row ids, in either order."""
    return f"{min(first, second)}-{max(first, second)}"


def choose_criterion(project: ProjectInfo, version: str) -> str:
    """Return the compared criterion, which is asked for if there are several."""
    keys = loaders.compared_criteria(project.slug, version)
    if len(keys) == 1:
        return keys[0]
    view_state.drop_unavailable(COMPARED_KEY, list(keys))
    return st.selectbox(
        _("Criterion"),
        keys,
        format_func=lambda each: project.criterion(each).label,
        key=COMPARED_KEY,
        width=260,
        persist_state="session",
    )
