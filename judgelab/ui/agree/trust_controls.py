"""The controls of *Trust*: judge, level, coefficient, ε and the judge's own family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, view_state, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, compared
from judgelab.wording import mark

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SESSION_KEYS = {  # by query parameter
    "judge": "trust_judge",
    "level": "trust_level",
    "coefficient": "trust_coefficient",
    "human": decided.HUMAN_KEY,
}
JUDGE_KEY, JUDGE_WIDTH = SESSION_KEYS["judge"], 260  # pixels
LEVELS = ("none", "item")
COEFFICIENTS = ("spearman", "kendall", "pearson", "kappa", "qwk", "mae")
PAIR_COEFFICIENTS = ("exact", "kappa")
EPSILON = {
    0.2: mark("0.2, experts"),
    0.15: mark("0.15, skilled raters"),
    0.1: mark("0.1, crowd workers"),
}


@dataclass(frozen=True)
class TrustRequest:
    """The choices that the figures are computed with."""

    judge: str
    level: str
    coefficient: str
    epsilon: float
    own_systems: tuple[str, ...]
    comparisons: bool = False
    decisions: bool = False


def draw_trust_controls(project: ProjectInfo, version: str, names: Sequence[str]) -> TrustRequest:
    """Draw the controls in one row and return the choices."""
    defaults = loaders.agreement_defaults(project.slug, version)
    view_state.forget_other_project(
        project.slug,
        {SESSION_KEYS["coefficient"]: defaults.coefficient, SESSION_KEYS["level"]: defaults.level},
    )
    view_state.follow_link("trust", SESSION_KEYS)
    shape = loaders.project_shape(project.slug, version)
    judge_place, others, more = _places()
    with judge_place:
        judge = choices.one_of(_("Judge"), list(names), JUDGE_KEY, width="stretch", note=False)
    with others:
        levels = [level for level in LEVELS if level == "none" or shape.per_item > 1]
        level = choices.one_of(
            _("Level"),
            levels,
            "trust_level",
            first=defaults.level,
            words=text.level,
            width=180,
            note=False,
        )
        coefficient = choices.one_of(
            _("Coefficient"),
            list(COEFFICIENTS),
            "trust_coefficient",
            first=defaults.coefficient,
            words=text.coefficient,
            width=200,
            note=False,
        )
        decisions = decided.choose(project, version, comparisons=False)
    with more:
        epsilon = _choose_epsilon()
        own_systems = widgets.choose_several(
            _("Systems of the judge's model family"),
            sorted(set(loaders.responses(project.slug, version)["system"]) - {""}),
            key=f"trust_own_{project.id}",
            help=_("Name them to test whether a judge favours responses of its own model family."),
            persist_state="session",
        )
    for key in SESSION_KEYS.values():
        view_state.write_unavailable_note(key)
    return TrustRequest(judge, level, coefficient, epsilon, tuple(own_systems), decisions=decisions)


def draw_pair_controls(project: ProjectInfo, version: str) -> TrustRequest:
    """Draw the controls for choices between two responses in one row and return the choices."""
    view_state.follow_link("trust", {"judge": SESSION_KEYS["judge"]})
    judge_place, others, more = _places()
    judges = compared.judges(project, version)
    with judge_place:
        judge = choices.one_of(_("Judge"), judges, JUDGE_KEY, width="stretch", note=False)
    with others:
        coefficient = choices.one_of(
            _("Coefficient"),
            PAIR_COEFFICIENTS,
            "trust_pair_coefficient",
            words=text.coefficient,
            width=200,
        )
        decisions = decided.choose(project, version, comparisons=True)
    with more:
        epsilon = _choose_epsilon()
    view_state.write_unavailable_note(JUDGE_KEY)
    return TrustRequest(judge, "none", coefficient, epsilon, (), comparisons=True, decisions=decisions)


def _places() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the places of the judge, of the other choices in the row, and of those behind *More*.

    On a phone, only the judge is in the row, so that the answer is not far below.
    """
    narrow = viewport.is_narrow()
    row = st.container(
        horizontal=True, vertical_alignment="bottom", gap="small" if narrow else "medium", wrap=not narrow
    )
    judge = row.container(width="stretch" if narrow else JUDGE_WIDTH)
    if narrow:
        more = row.popover(_("More"), icon=":material/tune:")
        return judge, more, more
    others = row.container(horizontal=True, gap="medium", width="content")
    return judge, others, row.popover(_("More"), icon=":material/tune:")


def _choose_epsilon() -> float:
    return float(
        st.radio(
            _("Advantage allowed to a rater over the judge, ε"),
            list(EPSILON),
            format_func=lambda value: _(EPSILON[value]),
            key="trust_epsilon",
            persist_state="session",
        )
        or 0.2
    )


@stale_results.kept(loaders.KEPT)
def load_trust(slug: str, version: str, request: TrustRequest) -> JudgeTrust:
    """Return the figures on the judge, computed once per version of the data."""
    return measure_trust(
        gate.store(),
        slug,
        request.judge,
        level=request.level,
        coefficient=request.coefficient,
        epsilon=request.epsilon,
        own_systems=request.own_systems,
        comparisons=request.comparisons,
        decisions=request.decisions,
    )


def trust_link_parameters(request: TrustRequest) -> dict[str, str]:
    """Return the query parameters of the page's URL."""
    if request.comparisons:
        return {"judge": request.judge}
    human = compared.DECIDED if request.decisions else ""
    return {
        "judge": request.judge,
        "level": request.level,
        "coefficient": request.coefficient,
        "human": human,
    }


def draw_differences_link(project: ProjectInfo, request: TrustRequest) -> None:
    """Draw a link to the responses on which the judge and the raters differ most."""
    st.page_link(
        "pages/researcher/disagreements.py",
        label=_("Read the disagreements"),
        icon=":material/arrow_forward:",
        query_params={
            "project": project.slug,
            "judge": request.judge,
            **({"form": compared.PAIRS} if request.comparisons else {}),
        },
    )
