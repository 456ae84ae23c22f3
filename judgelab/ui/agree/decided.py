"""The option of result pages that adjudicators' decisions replace ratings, or raters' majority in pairs."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import view_state
from judgelab.ui.session import gate
from judgelab.ui.shared.compared import DECIDED, WINNER_KEY
from judgelab.wording import mark

HUMAN_KEY = "agree_human"
WIDTH = {HUMAN_KEY: 180, WINNER_KEY: 260}  # pixels
HUMAN_SCORE = {
    "ratings": mark("from the ratings"),
    DECIDED: mark("adjudicated, otherwise ratings"),
}
WINNER = {
    "majority": mark("majority of the raters"),
    DECIDED: mark("adjudicated, otherwise majority"),
}


def choose(
    project: ProjectInfo,
    version: str,
    *,
    comparisons: bool,
    criterion: str | None = None,
    policy: str = IN_USE,
) -> bool:
    """Ask whether decisions are used if there are any that can be; return whether they are.

    Args:
        project: the project.
        version: the version of its data.
        comparisons: whether the page is about comparisons, not scores.
        criterion: the compared criterion; any if not given.
        policy: the filter of the ratings: "in use", "none" or a name.
    """
    if comparisons:
        decisions = loaders.pair_decisions(project.slug, version)
        usable = any(
            decision.choice and criterion in (None, key) for (*_pair, key), decision in decisions.items()
        )
        label, words, key = _("Raters' choice"), WINNER, WINNER_KEY
        note = _("Adjudicators decide conflicts between raters; the raters' choices stay unchanged.")
    else:
        scored = loaders.decisions(project.slug, version).values()
        usable = any(decision.score is not None for decision in scored) and _on_scale(project, policy)
        label, words, key = _("Human score"), HUMAN_SCORE, HUMAN_KEY
        note = _("Adjudicators decide conflicts between raters; the ratings stay unchanged.")
    if not usable:
        return False
    view_state.drop_unavailable(key, list(words))
    chosen = st.selectbox(
        label,
        list(words),
        format_func=lambda word: _(words[word]),
        key=key,
        width=WIDTH[key],
        persist_state="session",
        help=note,
    )
    return chosen == DECIDED


def _on_scale(project: ProjectInfo, policy: str) -> bool:
    """Return whether the filter's human scores are points of the scale, as decided scores are."""
    if policy == NO_FILTER:
        return True
    store = gate.store()
    saved_filter = (
        saved_filters.filter_in_use(store, project.slug)
        if policy == IN_USE
        else saved_filters.find_filter(store, project.slug, policy)
    )
    return saved_filter is None or saved_filter.policy.aggregation.on_scale


def in_recipe(count: int | None, *, comparisons: bool) -> str:
    """Return how many decisions replace ratings, or the raters' majority; empty if they are not used."""
    if count is None:
        return ""
    if not comparisons:
        return _n(
            "{n} adjudicated score replaces ratings.",
            "{n} adjudicated scores replace ratings.",
            count,
        )
    return _n(
        "{n} adjudicated pair has its decision in place of the raters' majority.",
        "{n} adjudicated pairs have their decision in place of the raters' majority.",
        count,
    )


def note(
    project: ProjectInfo,
    version: str,
    count: int | None,
    *,
    comparisons: bool,
    criterion: str | None = None,
) -> str:
    """Return the sentence of `in_recipe`, and how many of the deciders knew judges' scores.

    Somebody who knows judges' scores may lean towards the judges that are measured against the decision.
    Without a criterion, decisions under all of them count.
    """
    if count is None:
        return ""
    if comparisons:
        knowing = sum(
            bool(decision.saw_judges and decision.choice) and criterion in (None, decision.criterion)
            for decision in loaders.pair_decisions(project.slug, version).values()
        )
    else:
        knowing = sum(
            decision.saw_judges and decision.score is not None and criterion in (None, key)
            for (_response, key), decision in loaders.decisions(project.slug, version).items()
        )
    sentences = [in_recipe(count, comparisons=comparisons)]
    if knowing:
        sentences.append(
            _n(
                "{n} of these decisions was made by a person who knew judges' scores.",
                "{n} of these decisions were made by people who knew judges' scores.",
                knowing,
            )
        )
    return " ".join(sentences)


def write_note(
    project: ProjectInfo,
    version: str,
    count: int | None,
    *,
    comparisons: bool,
    criterion: str | None = None,
) -> None:
    """Write the note, if decisions are used."""
    if words := note(project, version, count, comparisons=comparisons, criterion=criterion):
        st.caption(words)
