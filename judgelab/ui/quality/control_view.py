"""Draw the tests by degraded copies and repeats: options, results, and a form for more copies."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from judgelab.annotation.filters import degraded_copies
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.annotation.filters.rater_controls import UNCORRECTED, ControlResult
from judgelab.charts.raters import MeasureRow, measure_forest
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.quality import data
from judgelab.ui.session import gate
from judgelab.wording import counted, mark, sentence

TESTS = {"t": mark("paired t test"), "wilcoxon": mark("Wilcoxon signed ranks")}
PREFIX = "quality_rule_"
MESSAGE_KEY = "quality_copies_said"
MOST_COPIES = 500
NUMBER_COLUMNS = ("Copies", "Drop", "95 % interval", "p, copies", "Repeats", "Shift", "p, repeats")


def draw_test_options(start: FilterPolicy) -> dict[str, Any]:
    """Draw the options of the tests, preset to those of `start`, and return the chosen values by option."""
    alpha = st.number_input(
        _("Level of the tests"),
        0.001,
        0.5,
        start.hit_alpha,
        0.005,
        format="%.3f",
        key=f"{PREFIX}hit_alpha",
        width=150,
        help=_("A rater passes if copies score lower than their originals with p below this level."),
    )
    pairs = st.number_input(
        _("Copies required per rater"),
        2,
        100,
        start.hit_pairs,
        key=f"{PREFIX}hit_pairs",
        width=150,
        help=_("Degraded copies rated alongside their originals; raters with fewer are not assessed."),
    )
    test = st.segmented_control(
        _("Test"),
        list(TESTS),
        default=start.hit_test,
        required=True,
        format_func=lambda name: _(TESTS[name]),
        key=f"{PREFIX}hit_test",
    )
    return {"hit_alpha": float(alpha), "hit_pairs": int(pairs), "hit_test": str(test)}


def draw_control_tests(project: ProjectInfo, policy: FilterPolicy, *, criterion: str) -> None:
    """Draw the test results of each rater, if the filter uses the tests."""
    if policy.control == "agreement":
        return
    results = data.load_control_results(project, policy, criterion=criterion)
    passed = sum(result.passed is True for result in results)
    widgets.heading(
        _("Degraded copies and repeats"),
        _("{passed} of {raters} pass", passed=passed, raters=_n("{n} rater", "{n} raters", len(results)))
        if results
        else "",
    )
    if results:
        _draw_chart(results, project.scale(criterion))
        _draw_table(results)
        st.caption(
            _(
                "Drop: original minus copy, one-sided test that it is above 0. Shift: second minus first "
                "score of a repeat, two-sided. Test: {test}, level {alpha}; a rater passes with a drop "
                "and no shift.",
                test=_(TESTS[policy.hit_test]),
                alpha=f"{policy.hit_alpha:g}",
            )
            + " "
            + _(UNCORRECTED, n=f"{100 * policy.hit_alpha:g}")
        )
    else:
        st.caption(
            _(
                "No one has rated a degraded copy and its original, or the same response twice. Copies "
                "are shown to raters of the originals, as often as attention checks."
            )
        )
    _draw_copies(project)


def _draw_chart(results: list[ControlResult], scale: Scale) -> None:
    rows = [
        MeasureRow(result.rater, _drop_estimate(result), "" if result.passed is not False else _("fails"))
        for result in results
        if result.drop is not None
    ]
    if not rows:
        return
    ends = [end for row in rows for end in (row.estimate.ci or (row.estimate.value or 0.0,))]
    figure = measure_forest(
        rows,
        title=_("Original minus degraded copy, points, 95 % interval"),
        theme=widgets.theme(),
        low=min(-0.1 * (scale.high - scale.low), *ends),
        high=max(0.5 * (scale.high - scale.low), *ends),
        reference=0.0,
        reference_name=_("no difference"),
    )
    alt_text = "; ".join(
        f"{row.rater} {text.with_interval(row.estimate.value, row.estimate.ci)}" for row in rows
    )
    widgets.chart(figure, key="quality_copies_chart", alt=alt_text)


def _drop_estimate(result: ControlResult) -> Estimate:
    return Estimate(
        result.drop, ci=result.drop_ci, ci_method=sentence("t interval of the mean"), n=result.pairs
    )


def _draw_table(results: list[ControlResult]) -> None:
    frame = pd.DataFrame(
        {
            "Rater": [result.rater for result in results],
            "Copies": [text.count(result.pairs) for result in results],
            "Drop": [text.signed(result.drop, 2) for result in results],
            "95 % interval": [text.interval(result.drop_ci) for result in results],
            "p, copies": [text.p_value(result.p) for result in results],
            "Repeats": [text.count(result.repeats) for result in results],
            "Shift": [text.signed(result.shift, 2) for result in results],
            "p, repeats": [text.p_value(result.repeat_p) for result in results],
            "Result": [_result_text(result) for result in results],
        }
    )
    heads = {
        "Rater": _("Rater"),
        "Copies": _("Copies"),
        "Drop": _("Drop"),
        "95 % interval": _("95 % interval"),
        "p, copies": _("p, copies"),
        "Repeats": _("Repeats"),
        "Shift": _("Shift"),
        "p, repeats": _("p, repeats"),
        "Result": _("Result"),
    }
    columns = {
        name: st.column_config.TextColumn(label, alignment="right" if name in NUMBER_COLUMNS else None)
        for name, label in heads.items()
    }
    faint = [result.passed is False for result in results]
    widgets.table(frame, key="quality_copies_table", columns=columns, faint=faint, height="content")


def _result_text(result: ControlResult) -> str:
    if result.passed:
        return _("passes")
    return _("fails") if result.passed is False else _("too few copies")


def _draw_copies(project: ProjectInfo) -> None:
    """Draw the form that adds degraded copies, for researchers of the project."""
    if message := st.session_state.pop(MESSAGE_KEY, None):
        st.caption(f":material/check: {_(message)}")
    if not gate.allowed("researcher", project):
        return
    with st.form("quality_copies", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        copies = st.number_input(
            _("Degraded copies to add"), 1, MOST_COPIES, 20, key="quality_copies_count", width=170
        )
        submitted = st.form_submit_button(
            _("Add copies"),
            key="quality_copies_add",
            help=_(
                "In each, one phrase is replaced by one from another response. Copies don't count as data."
            ),
        )
    if not submitted:
        return
    gate.enter("researcher", project)
    try:
        added = degraded_copies.add_degraded_copies(gate.store(), project.slug, copies=int(copies))
    except UserError as error:
        failures.show(error)
        return
    st.session_state[MESSAGE_KEY] = counted(
        "{n} degraded copy was added.", "{n} degraded copies were added.", added
    )
    st.rerun()
