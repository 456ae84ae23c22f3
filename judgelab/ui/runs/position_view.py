"""Position bias: whether a judge of two texts prefers a position, as part of a run's page."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from judgelab.analysis.trust.position_bias import PositionReport, position_report
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate, no_interval_reason
from judgelab.runs.service import RunStatus
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import figures, text, widgets
from judgelab.ui.kit.figures import Figure
from judgelab.ui.session import gate

STEADY_SHARE = 0.8  # share of pairs judged the same in both orders, below which the page warns
MOST_KEPT = 32


def draw_position_report(project: ProjectInfo, status: RunStatus) -> None:
    """Draw the report of a run that is not active, if its judge saw two texts at a time."""
    if not status.resting or not status.protocol:
        return
    report = _load_report(status.run, loaders.data_version(project.slug))
    if report is None:
        return
    widgets.heading(_("Position bias"), _n("{n} choice", "{n} choices", report.choices))
    st.markdown(text.plain(" ".join(filter(None, (_answer_sentence(report), _steadiness_text(report))))))
    swapped = report.both_orders
    tone: Literal["", "orange"] = "orange" if report.prefers_position else ""
    boxes = [
        Figure(_share(report.first_rate), _("chose the text shown first"), tone),
        Figure(_share(swapped.consistency), _("chose the same text in both orders")),
        Figure(text.count(swapped.always_first), _("pairs won by the text shown first")),
        Figure(text.count(swapped.always_second), _("pairs won by the text shown second")),
    ]
    figures.draw_figures(boxes if swapped.consistency.value is not None else boxes[:1])
    st.caption(text.keep_together(_recipe_text(report)))


@st.cache_data(max_entries=MOST_KEPT, show_spinner=False)
def _load_report(run_id: int, version: str) -> PositionReport | None:
    return position_report(gate.store(), run_id)


def _answer_sentence(report: PositionReport) -> str:
    rate = report.first_rate.value
    if rate is None:
        return _("No choice names one of the two texts, so position bias can't be tested.")
    if not report.preferred_position:
        return _("Its choices show no preference for a position.")
    if report.prefers_position is None:
        difference = report.vs_raters.difference
        return _(
            "It chooses one position more often. Whether the position or the texts are the cause is "
            "unknown: {why}, and not every pair was shown in both orders.",
            why=_(difference.reason or no_interval_reason(difference) or difference.ci_method),
        )
    if not report.prefers_position:
        return _(
            "It chooses one position more often, but not significantly more often than the raters’ scores "
            "favour the texts there, so the texts may be the cause."
        )
    if rate > 1 / 2:
        return _("It prefers the text shown first: ask in both orders, or don't trust its choices.")
    return _("It prefers the text shown second: ask in both orders, or don't trust its choices.")


def _steadiness_text(report: PositionReport) -> str:
    consistency = report.both_orders.consistency.value
    if consistency is None or consistency >= STEADY_SHARE:
        return ""
    return _("When the two texts are swapped, it often changes its choice.")


def _share(value: Estimate) -> str:
    return text.per_cent(value.value)


def _recipe_text(report: PositionReport) -> str:
    rate, consistency = report.first_rate, report.both_orders.consistency
    parts = []
    p = text.p_value(report.first_test.p)
    if rate.value is not None:
        parts.append(
            _(
                "First place {ci} of {n} choices that name a text; p {p} against an even split (exact "
                "binomial test).",
                ci=text.interval(rate.ci),
                n=rate.n,
                p=p if p.startswith("<") else f"= {p}",
            )
        )
    if consistency.value is not None:
        parts.append(
            _("The same in both orders {ci} of {n} pairs.", ci=text.interval(consistency.ci), n=consistency.n)
        )
    else:
        parts.append(_("No pair was shown in both orders."))
    comparison = report.vs_raters
    if comparison.own.value is not None and comparison.raters.value is not None:
        parts.append(
            _(
                "On {n} pairs with an order by the raters’ scores, the first text is ahead {own} {own_ci} "
                "of the time by its choice and {raters} {raters_ci} by the raters’ scores, difference "
                "{apart}.",
                n=comparison.difference.n,
                own=_share(comparison.own),
                own_ci=text.interval(comparison.own.ci),
                raters=_share(comparison.raters),
                raters_ci=text.interval(comparison.raters.ci),
                apart=text.with_interval(comparison.difference.value, comparison.difference.ci),
            )
        )
    accuracy, tied = report.both_orders.accuracy_consistent, report.both_orders.accuracy_tied
    if accuracy.value is not None and tied.value is not None:
        parts.append(
            _(
                "In the order of the raters' scores: {right} {right_ci} of {n} pairs with the same choice "
                "in both orders, {tied} {tied_ci} of all {all} if the others count as ties.",
                right=_share(accuracy),
                right_ci=text.interval(accuracy.ci),
                n=accuracy.n,
                tied=_share(tied),
                tied_ci=text.interval(tied.ci),
                all=tied.n,
            )
        )
    return text.plain(" ".join(parts))
