"""Draw *More*: the present figure of a claim, and how many items, pairs or raters would settle it."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.comparison.sample_size_answer import (
    BASELINE,
    JUDGES,
    STAND_IN,
    SYSTEMS,
    SampleSizeAnswer,
)
from judgelab.charts.power import power_chart
from judgelab.languages import _
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.ui.agree.means_words import PAIRED_INTERVALS
from judgelab.ui.agree.more_words import AXES, POWER_TITLES
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.wording import mark

# By whether the claim is that a judge passes the alternative annotator test.
NOT_ENOUGH = {
    True: mark("even {n} would show in fewer than 80 % of data sets that it passes"),
    False: mark("even {n} would show the difference in fewer than 80 % of data sets"),
}
SIZES = {"items": mark("Items"), "pairs": mark("Pairs"), "raters": mark("Raters")}


def draw_sample_size(sample_size: SampleSizeAnswer) -> None:
    """Draw the present figure and the power by number of items and of raters."""
    present = sample_size.present
    if present.value is not None:
        words = {
            JUDGES: _("Current difference in agreement with the majority")
            if sample_size.of_pairs
            else _("Current difference in agreement"),
            BASELINE: _("Current difference from the best baseline"),
            STAND_IN: _("Current winning rate ω"),
            SYSTEMS: _("Current difference in the raters' win rates")
            if sample_size.of_pairs
            else _("Current difference of the raters' means"),
        }
        interval = "" if present.ci is None else f" {text.interval(present.ci)}"
        value = (
            text.number(present.value)
            if sample_size.claim == STAND_IN
            else text.signed(sample_size.printed(2).value, 2)
        )
        n = findings.amount(sample_size.unit_of_n, present.n)
        what = words[sample_size.claim]
        if sample_size.claim in (JUDGES, SYSTEMS):
            what += f", {text.plain(sample_size.first)} − {text.plain(sample_size.second)}"
        st.markdown(f"{what}{_recipe_text(sample_size)}: **{value}**{interval}, n = {n}")
    columns = st.columns(2, gap="large")
    for column, plan in zip(columns, (sample_size.items, sample_size.raters), strict=True):
        with column:
            _draw_power(plan, sample_size.claim)
    plotted = [_is_plotted(plan) for plan in (sample_size.items, sample_size.raters)]
    # On a phone, the second column lies below the first.
    with columns[plotted.index(True)] if sum(plotted) == 1 else st.container():
        _write_notes(sample_size, plotted=any(plotted))


def _write_notes(sample_size: SampleSizeAnswer, *, plotted: bool) -> None:
    notes = [
        _(sample_size.counted),
        _(
            "Larger data sets are resampled from the current one, so the figures hold only if the current "
            "value is the true one."
        ),
    ]
    if plotted:
        notes.append(
            _(
                "Dashed line: 80 % of data sets. The headline names the smallest plotted size that reaches "
                "80 %, or the largest if none does. Solid line: current size."
            )
        )
    st.caption(" ".join(notes))
    if sample_size.rounding:
        st.caption(_(sample_size.rounding))
    if sample_size.two_methods:
        st.caption(_(sample_size.two_methods))
    if sample_size.one_test:
        paired = f" {_(PAIRED_INTERVALS)}" if sample_size.claim == SYSTEMS else ""
        st.caption(_(sample_size.one_test) + paired)


def _is_plotted(plan: SampleSizePlan) -> bool:
    return plan.reason is None and len(plan.steps) > 1


def _draw_power(plan: SampleSizePlan, claim: str) -> None:
    widgets.heading(_(SIZES[plan.unit]))
    if plan.reason is not None or not plan.steps:
        st.caption(_as_sentence(text.plain(_(plan.reason or ""))))
        return
    x_title = _(AXES[plan.unit])
    needed = plan.needed
    sentence = (
        _("{n} would be enough in at least 80 % of data sets", n=findings.amount(plan.unit, needed))
        if needed is not None
        else _(
            NOT_ENOUGH[claim == STAND_IN],
            n=findings.amount(plan.unit, plan.largest_size),
        )
    )
    if len(plan.steps) < 2:
        share = text.share(round(1000 * (plan.steps[0].power.value or 0.0)), 1000)
        st.caption(
            _(
                "{n} are enough in {share} of data sets like these.",
                n=findings.amount(plan.unit, plan.now),
                share=share,
            )
        )
        return
    figure = power_chart(plan, x_title=x_title, y_title=_(POWER_TITLES[claim]), theme=widgets.theme())
    widgets.chart(figure, key=f"more_{plan.unit}", alt=f"{x_title}: {sentence}")
    if plan.unit == "raters":  # the headline is of items or pairs
        st.caption(_as_sentence(sentence))


def _recipe_text(sample_size: SampleSizeAnswer) -> str:
    if sample_size.claim not in (JUDGES, BASELINE) or sample_size.of_pairs:
        return ""
    coefficient = text.coefficient(sample_size.recipe["coefficient"])
    return f" ({coefficient}, {text.level(sample_size.recipe['level'])})"


def _as_sentence(phrase: str) -> str:
    return f"{text.capitalised(phrase)}." if phrase and not phrase.endswith(".") else phrase
