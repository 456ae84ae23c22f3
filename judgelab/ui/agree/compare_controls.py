"""The controls of *Compare*: judges, criterion, level, coefficient, test and correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, compared
from judgelab.wording import mark

SESSION_KEYS = {  # by query parameter
    "criterion": "compare_criterion",
    "level": "compare_level",
    "coefficient": "compare_coefficient",
    "test": "compare_test",
    "correction": "compare_correction",
    "judges": "compare_judges",
    "human": decided.HUMAN_KEY,
}
COEFFICIENTS = ("spearman", "kendall", "pearson", "kappa", "qwk", "exact", "mae", "acc_eq")
TESTS = {
    "permutation": mark("Permutation test"),
    "williams": mark("Williams test"),
    "steiger": mark("Steiger test"),
    "meng": mark("Meng, Rosenthal and Rubin test"),
}
PAIR_COEFFICIENTS = ("exact", "kappa")
CORRECTIONS = {
    "holm": "Holm",
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
    "none": mark("no correction"),
}
PRESELECTED = 8


@dataclass(frozen=True)
class ComparisonRequest:
    """The choices that the comparison is computed with."""

    raters: tuple[str, ...]
    criterion: str
    level: str
    coefficient: str
    test: str
    correction: str
    comparisons: bool = False
    decisions: bool = False


def draw_comparison_controls(
    project: ProjectInfo, version: str, raters: Sequence[ComparedRater]
) -> ComparisonRequest:
    """Draw the controls and return the choices."""
    defaults = loaders.agreement_defaults(project.slug, version)
    view_state.forget_other_project(
        project.slug,
        {SESSION_KEYS["coefficient"]: defaults.coefficient, SESSION_KEYS["level"]: defaults.level},
    )
    _read_link()
    criteria = list(loaders.rated_criteria(project.slug, version))
    shape = loaders.project_shape(project.slug, version)
    possible = {"none": True, "item": shape.per_item > 1}
    possible |= dict.fromkeys(("system", "system_paired"), shape.systems > 2)
    levels = [level for level in possible if possible[level]]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        criterion = criteria[0]
        if len(criteria) > 1:
            criterion = choices.one_of(
                _("Criterion"),
                criteria,
                SESSION_KEYS["criterion"],
                words=lambda key: project.criterion(key).label,
            )
        coefficient = choices.one_of(
            _("Coefficient"),
            list(COEFFICIENTS),
            SESSION_KEYS["coefficient"],
            first=defaults.coefficient,
            words=text.coefficient,
        )
        level = choices.one_of(
            _("Level"), levels, SESSION_KEYS["level"], first=defaults.level, words=text.level
        )
        decisions = decided.choose(project, version, comparisons=False)
        with st.popover(_("More"), icon=":material/tune:"):
            test = choices.one_of(
                _("Test"), list(TESTS), SESSION_KEYS["test"], words=lambda key: _(TESTS[key])
            )
            correction = _choose_correction()
    chosen = _choose_judges([rater.name for rater in raters if criterion in rater.criteria])
    return ComparisonRequest(chosen, criterion, level, coefficient, test, correction, decisions=decisions)


def draw_pair_controls(project: ProjectInfo, version: str) -> ComparisonRequest:
    """Draw the controls for choices between two responses and return the choices."""
    _read_link()
    criterion = compared.choose_criterion(project, version)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        coefficient = choices.one_of(
            _("Coefficient"), list(PAIR_COEFFICIENTS), "compare_pair_coefficient", words=text.coefficient
        )
        decisions = decided.choose(project, version, comparisons=True)
        with st.popover(_("More"), icon=":material/tune:"):
            correction = _choose_correction()
    chosen = _choose_judges(loaders.judges_of_pairs(project.slug, version, criterion=criterion))
    test = next(iter(TESTS))
    return ComparisonRequest(
        chosen,
        criterion,
        "none",
        coefficient,
        test,
        correction,
        comparisons=True,
        decisions=decisions,
    )


def _choose_correction() -> str:
    return choices.one_of(
        _("Correction over all pairs and criteria"),
        list(CORRECTIONS),
        SESSION_KEYS["correction"],
        words=lambda key: _(CORRECTIONS[key]),
    )


def _choose_judges(offered: Sequence[str]) -> tuple[str, ...]:
    last = view_state.last_chosen("judge")
    first = sorted(offered, key=lambda name: name != last)[:PRESELECTED]
    return tuple(
        widgets.choose_several(
            _("Judges and metrics"),
            list(offered),
            default=None if "compare_judges" in st.session_state else first,
            key="compare_judges",
            persist_state="session",
        )
    )


def load_comparison(slug: str, version: str, request: ComparisonRequest) -> Comparison:
    """Return the comparison under all criteria; p-values are corrected over all of them."""
    return _load_comparison(slug, version, replace(request, criterion=""))


@stale_results.kept(loaders.KEPT, spinner=mark("Comparing…"))
def _load_comparison(slug: str, version: str, request: ComparisonRequest) -> Comparison:
    return compare_judges(
        gate.store(),
        slug,
        raters=request.raters,
        level=request.level,
        coefficient=request.coefficient,
        test=request.test,
        correction=request.correction,
        comparisons=request.comparisons,
        decisions=request.decisions,
    )


def write_comparison_link(request: ComparisonRequest) -> None:
    """Write the choices into the page's URL."""
    names = "|".join(request.raters)
    if request.comparisons:
        view_state.write_link("compare", {"correction": request.correction, "judges": names})
        compared.write_form_link()
        return
    view_state.write_link(
        "compare",
        {
            "criterion": request.criterion,
            "level": request.level,
            "coefficient": request.coefficient,
            "test": request.test,
            "correction": request.correction,
            "judges": names,
            "human": compared.DECIDED if request.decisions else "",
        },
    )


def _read_link() -> None:
    view_state.follow_link("compare", SESSION_KEYS)
    linked: Any = st.session_state.get("compare_judges")
    if isinstance(linked, str):  # from a link
        st.session_state["compare_judges"] = [name for name in linked.split("|") if name]
