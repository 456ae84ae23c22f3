"""The controls of *Agree*: criterion, level, coefficient, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.languages import _
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, view_state
from judgelab.ui.session import gate
from judgelab.wording import mark

MAIN_COEFFICIENTS = {
    "spearman": mark("Spearman"),
    "kendall": mark("Kendall"),
    "pearson": mark("Pearson"),
    "qwk": mark("Quadratic-weighted κ"),
    "exact": mark("Exact"),
}
OTHER_COEFFICIENTS = (
    "kappa",
    "kappa_linear",
    "alpha",
    "mae",
    "ccc",
    "acc_eq",
    "somers",
    "tau_c",
    "weighted_tau",
)
CONSTANT = {"zero": mark("count as 0"), "drop": mark("are excluded")}
SESSION_KEYS = {  # by query parameter
    "criterion": "agree_criterion",
    "level": "agree_level",
    "coefficient": "agree_coefficient",
    "ratings": "agree_ratings",
    "human": decided.HUMAN_KEY,
    "constant": "agree_constant",
    "rater": "agree_rater",
}


@dataclass(frozen=True)
class AgreementRequest:
    """The choices that the figures are computed with.

    Attributes:
        criterion: a criterion's key, or "average".
        policy: "in use", "none" or the name of a filter.
        ratings: the same in words, to be shown.
        decisions: whether adjudicated scores replace ratings.
    """

    criterion: str
    level: str
    coefficient: str
    policy: str
    ratings: str
    decisions: bool
    constant_groups: str

    @property
    def single_criterion(self) -> str | None:
        """The criterion's key, None for the average."""
        return None if self.criterion == AVERAGE else self.criterion


def draw_agreement_controls(project: ProjectInfo, version: str) -> AgreementRequest:
    """Draw the controls in one row and return the choices."""
    defaults = loaders.agreement_defaults(project.slug, version)
    view_state.forget_other_project(
        project.slug,
        {SESSION_KEYS["coefficient"]: defaults.coefficient, SESSION_KEYS["level"]: defaults.level},
    )
    view_state.follow_link("agree", SESSION_KEYS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        coefficient = _choose_coefficient(defaults.coefficient)
        level = _choose_level(project, version, defaults.level)
        policy, ratings = _choose_ratings(project)
        decisions = decided.choose(project, version, comparisons=False, policy=policy)
        criterion = _choose_criterion(project, loaders.rated_criteria(project.slug, version))
        constant = _draw_more_choices()
    return AgreementRequest(criterion, level, coefficient, policy, ratings, decisions, constant)


def write_agreement_link() -> None:
    """Write the choices into the page's URL."""
    view_state.write_link("agree", {word: st.session_state.get(key) for word, key in SESSION_KEYS.items()})


def _choose_coefficient(first: str) -> str:
    requested = st.session_state.get("agree_coefficient")  # here, by a link or on another page
    if requested in OTHER_COEFFICIENTS and requested != first:
        st.session_state["agree_other"] = requested
    other = st.session_state.get("agree_other")
    offered = list(dict.fromkeys([first, *MAIN_COEFFICIENTS, *([other] if other else [])]))
    if first in MAIN_COEFFICIENTS:
        offered.sort(key=[*MAIN_COEFFICIENTS, other].index)
    view_state.drop_unavailable("agree_coefficient", offered)
    chosen = st.segmented_control(
        _("Coefficient"),
        offered,
        default=None if "agree_coefficient" in st.session_state else first,
        format_func=lambda key: (
            _(MAIN_COEFFICIENTS[key]) if key in MAIN_COEFFICIENTS else text.coefficient(key)
        ),
        required=True,
        wrap=True,
        key="agree_coefficient",
        persist_state="session",
    )
    return chosen or first


def _choose_level(project: ProjectInfo, version: str, first: str) -> str:
    shape = loaders.project_shape(project.slug, version)
    possible = {
        "none": True,
        "item": shape.per_item > 1,
        "system": shape.systems > 1,
        "system_paired": shape.systems > 1,
    }
    possible |= {"sys": shape.systems > 1, "group": shape.groups > 0}
    levels = [level for level in text.LEVELS if possible[level]]
    view_state.drop_unavailable("agree_level", levels)
    return st.selectbox(
        _("Level"),
        levels,
        index=levels.index(first),
        format_func=text.level,
        key="agree_level",
        width=180,
        persist_state="session",
    )


def _choose_ratings(project: ProjectInfo) -> tuple[str, str]:
    saved = saved_filters.list_filters(gate.store(), project.slug)
    current = next((saved_filter for saved_filter in saved if saved_filter.in_use), None)
    words = {IN_USE: _("after filter {rule}", rule=_(current.quoted))} if current else {}
    words[NO_FILTER] = _("all ratings")
    words |= {
        name: _("after “{name}”, newest", name=name)
        for name in dict.fromkeys(saved_filter.name for saved_filter in saved)
    }
    view_state.drop_unavailable("agree_ratings", list(words))
    chosen = st.selectbox(
        _("Ratings"),
        list(words),
        format_func=words.__getitem__,
        key="agree_ratings",
        width=280,
        persist_state="session",
    )
    return chosen, words[chosen]


def _choose_criterion(project: ProjectInfo, rated: Sequence[str]) -> str:
    keys = [criterion.key for criterion in project.criteria]
    if len(keys) == 1:
        return keys[0]
    offered = [AVERAGE, *keys] if len(rated) > 1 else keys
    view_state.drop_unavailable("agree_criterion", offered)
    return st.selectbox(
        _("Criterion"),
        offered,
        index=offered.index(rated[0]) if len(rated) == 1 else 0,
        format_func=lambda key: criterion_title(project, key, rated),
        key="agree_criterion",
        width=180,
        persist_state="session",
    )


def criterion_title(project: ProjectInfo, key: str, rated: Sequence[str]) -> str:
    """Return the name of a criterion, or of the mean over the rated ones."""
    if key == AVERAGE:
        return _("mean over {n} criteria", n=len(rated))
    return project.criterion(key).label


def _draw_more_choices() -> str:
    with st.popover(_("More"), icon=":material/tune:"):
        constant = st.radio(
            _("Groups in which all scores of the judge or metric are equal"),
            list(CONSTANT),
            format_func=lambda option: _(CONSTANT[option]),
            key="agree_constant",
            persist_state="session",
        )
        st.selectbox(
            _("Another coefficient"),
            OTHER_COEFFICIENTS,
            index=None,
            placeholder=_("none"),
            format_func=text.coefficient,
            key="agree_other",
            on_change=_use_other_coefficient,
            persist_state="session",
        )
    return str(constant)


def _use_other_coefficient() -> None:
    """Use the chosen coefficient; without one, return to the page's default."""
    chosen = st.session_state["agree_other"]
    if chosen:
        st.session_state["agree_coefficient"] = chosen
    else:
        st.session_state.pop("agree_coefficient", None)


def chosen_rater() -> str | None:
    """Return the judge or metric that a link or `choose_rater` chose; None if nobody chose one."""
    return st.session_state.get("agree_rater")


def choose_rater(names: list[str], clicked: str | None, *, first: str) -> str:
    """Return the rater to compare with the people, chosen in a box or by a click in the plot.

    Args:
        names: the raters to choose from.
        clicked: the rater whose mark was clicked, if any.
        first: the rater shown before any choice.
    """
    view_state.drop_unavailable("agree_rater", names)
    if clicked in names and clicked != st.session_state.get("agree_clicked"):
        st.session_state["agree_rater"] = clicked
    st.session_state["agree_clicked"] = clicked
    return st.selectbox(
        _("Judge or metric"),
        names,
        label_visibility="collapsed",
        index=names.index(first),
        key="agree_rater",
        persist_state="session",
    )


def first_scored_criterion(request: AgreementRequest, project: ProjectInfo, *, scored: Sequence[str]) -> str:
    """Return the requested criterion; for the average, the first criterion that the rater scored."""
    if request.single_criterion is not None:
        return request.single_criterion
    keys = [criterion.key for criterion in project.criteria]
    return next((key for key in keys if key in scored), keys[0])
