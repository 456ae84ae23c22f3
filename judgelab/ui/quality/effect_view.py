"""What the quality rule does to the results: beside no rule, over its thresholds, with other options."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.filters.effect_table import THRESHOLDS, WARNING, FilterComparison, ThresholdCurves
from judgelab.analysis.filters.filter_effect import ALPHA, RANKING, FilterEffect, R
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.charts.effect import EffectCurve, Style, effect_panel
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.metaeval.judges.ranking import Swap
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.quality import data
from judgelab.wording import mark

MOST_NAMED = 4  # lines that keep a name each in the panel of judges


def draw_filter_effect(project: ProjectInfo, policy: FilterPolicy, *, criterion: str) -> None:
    """Draw the section; it is computed only when asked for."""
    widgets.heading(_("Effect on the results"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        shown = st.toggle(_("Compute the effect of the filter"), key="quality_effect")
        if not shown:
            return
        usual = defaults_for_scales(project.scales.values())
        coefficient = st.segmented_control(
            _("Judges by"),
            usual.coefficients,
            default=usual.coefficient,
            required=True,
            format_func=text.coefficient,
            key=f"quality_effect_coefficient_{usual.coefficient}",
            label_visibility="collapsed",
        )
    coefficient = coefficient or usual.coefficient
    key = data.effect_key(project, policy, criterion=criterion, coefficient=coefficient)
    beside = data.load_effect(key, policy)
    with st.container(border=False):
        st.markdown(_effect_sentence(beside))
        st.warning(_(WARNING), icon=":material/info:")
    curves = data.load_threshold_curves(key, policy)
    _draw_panels(curves, beside, policy, kinds=key.kinds, of=key.asked.coefficient)
    _draw_table(beside, kinds=key.kinds)
    _draw_swaps(beside.filtered.swaps)
    request = key.asked
    st.caption(
        _(
            "Judges and metrics: {coefficient}, {level}, against the people’s scores after filtering. "
            "Removed raters and responses are taken as given; intervals: 95 % bootstrap over items, B = "
            "{resamples}, seed {seed}, the same items with and without the filter. Items not used for "
            "filtering: {elsewhere}; random raters: each rater’s scores shuffled, {chance}.",
            coefficient=text.coefficient(request.coefficient),
            level=text.level(request.level),
            resamples=str(request.resamples),
            seed=str(request.seed),
            elsewhere=_(beside.other_items.ci_method),
            chance=_(beside.random_raters.ci_method),
        )
    )
    if st.toggle(_("Compare other filters at this threshold"), key="quality_effect_variants"):
        _draw_variants(data.load_variants(key, policy), beside, kinds=key.kinds)


def _effect_sentence(beside: FilterComparison) -> str:
    none, now = beside.all_ratings.people, beside.filtered.people
    r, before = now[R], none[R]
    if r.value is None:
        reason = text.plain(_(r.reason)) if r.reason else ""
        return _("After filtering, agreement is undefined: {reason}.", reason=reason)
    finding = _(
        "Mean r {before} becomes **{r}** {interval}; the same raters reach {elsewhere} on items not used "
        "for filtering, and raters who score at random reach {chance} under the same filter.",
        before=_estimate(before),
        r=text.number(r.value),
        interval=text.interval(r.ci),
        elsewhere=_estimate(beside.other_items),
        chance=_estimate(beside.random_raters),
    )
    ranking = now[RANKING]
    if ranking.n < 2:
        return finding
    swapped = _n(
        "{n} pair of systems in another order",
        "{n} pairs of systems in another order",
        len(beside.filtered.swaps),
    )
    order = _(
        "Order of the {n} systems: τ {tau} with the order by all ratings, {pairs}.",
        n=ranking.n,
        tau=_estimate(ranking),
        pairs=swapped,
    )
    return f"{finding} {order}"


def _draw_panels(
    curves: ThresholdCurves, beside: FilterComparison, policy: FilterPolicy, *, kinds: dict[str, str], of: str
) -> None:
    people = {key: [effect.people[key] for effect in curves.effects] for key in (R, ALPHA, RANKING)}
    none = beside.all_ratings.people
    panels = [
        (
            "r",
            _("Mean r between raters"),
            [
                EffectCurve(_("random raters"), curves.random_raters, "baseline", banded=False),
                EffectCurve(_("other items"), curves.other_items, "metric", banded=False),
                EffectCurve(_("after filtering"), people[R], "people"),
            ],
            none[R].value,
        ),
        (
            "alpha",
            text.coefficient("alpha"),
            [EffectCurve(_("after filtering"), people[ALPHA], "people")],
            none[ALPHA].value,
        ),
        (
            "judges",
            _("Judges, {coefficient}", coefficient=text.coefficient(of)),
            _judge_curves(curves, kinds),
            None,
        ),
        (
            "ranking",
            _("Order of systems, τ-b with all ratings"),
            [EffectCurve("", people[RANKING], "people", hover_name=_("after filtering"))],
            None,
        ),
    ]
    drawn = [panel for panel in panels if _has_values(panel[2])]
    for row in range(0, len(drawn), 2):
        for column, (key, title, lines, reference) in zip(st.columns(2), drawn[row : row + 2], strict=False):
            with column:
                figure = effect_panel(
                    THRESHOLDS,
                    lines,
                    threshold=policy.threshold,
                    reference=reference,
                    title=title,
                    theme=widgets.theme(),
                )
                widgets.chart(figure, key=f"quality_effect_{key}", alt=_alt(title, lines))


def _judge_curves(curves: ThresholdCurves, kinds: dict[str, str]) -> list[EffectCurve]:
    """Return a line a judge or metric, the best judges with their intervals; the rest unnamed."""
    lines = {name: [effect.judges[name] for effect in curves.effects] for name in kinds}
    order = sorted(lines, key=lambda name: (kinds[name] == "judge", _last_value(lines[name])), reverse=True)
    drawn = []
    for place, name in reversed(list(enumerate(order))):
        style: Style = "judge" if kinds[name] == "judge" else "metric"
        named = name if place < MOST_NAMED else ""
        banded = style == "judge" and place < 2
        drawn.append(EffectCurve(named, lines[name], style, banded=banded, hover_name=name))
    return drawn


def _draw_table(beside: FilterComparison, *, kinds: dict[str, str]) -> None:
    none, now = beside.all_ratings, beside.filtered
    rows = [
        (_("Raters"), text.count(none.raters), "", text.count(now.raters), "", ""),
        (_("Responses"), text.count(none.responses), "", text.count(now.responses), "", ""),
        _row(_("Mean r between raters, n pairs"), none.people[R], None, now.people[R], now.change[R]),
        ("   " + _("on other items"), "", "", _estimate(beside.other_items), "", ""),
        ("   " + _("random raters"), "", "", _estimate(beside.random_raters), "", ""),
        _row(
            _("Krippendorff α, n responses"), none.people[ALPHA], None, now.people[ALPHA], now.change[ALPHA]
        ),
        _row(_("Order of systems, τ-b, n systems"), none.people[RANKING], None, now.people[RANKING], None),
    ]
    rows += [
        _row(name, none.judges[name], now.on_all_responses[name], now.judges[name], now.change[name])
        for name in sorted(kinds, key=lambda name: (kinds[name] != "judge", -_last_value([now.judges[name]])))
    ]
    names = ("", "All ratings", "Kept raters, all responses", "This rule", "Change", "n")
    heads = ("", _("All ratings"), _("Kept raters, all responses"), _("This filter"), _("Change"), _("n"))
    widgets.table(
        pd.DataFrame(rows, columns=names),
        key="quality_effect_table",
        columns={name: _number_column(head) for name, head in zip(names[1:], heads[1:], strict=True)},
        height="content",
    )


def _row(
    name: str, none: Estimate, between: Estimate | None, now: Estimate, change: Estimate | None
) -> tuple[str, ...]:
    counts = text.count(now.n) if none.n == now.n else f"{none.n:,} → {now.n:,}"
    middle = "" if between is None else _estimate(between)
    return (name, _estimate(none), middle, _estimate(now), _change(change), counts)


def _draw_swaps(swaps: tuple[Swap, ...]) -> None:
    if not swaps:
        return
    frame = pd.DataFrame(
        {
            "Ahead by all ratings": [swap.above for swap in swaps],
            "Not ahead under the rule of": [swap.below for swap in swaps],
            "Lead before": [text.signed(swap.before, 2) for swap in swaps],
            "Lead after": [text.signed(swap.after, 2) for swap in swaps],
            "Resamples not ahead": [text.share(round(1000 * swap.share), 1000) for swap in swaps],
        }
    )
    widgets.table(
        frame,
        key="quality_effect_swaps",
        columns={
            "Ahead by all ratings": st.column_config.Column(_("Ahead by all ratings")),
            "Not ahead under the rule of": st.column_config.Column(_("Not ahead after filtering")),
            "Lead before": _number_column(_("Lead before")),
            "Lead after": _number_column(_("Lead after")),
            "Resamples not ahead": _number_column(_("Resamples not ahead")),
        },
    )


def _draw_variants(
    effects: dict[str, FilterEffect], beside: FilterComparison, *, kinds: dict[str, str]
) -> None:
    """List the rule with one option changed; the best judge is that of the rule as it is."""
    judges = [name for name in beside.filtered.judges if kinds[name] == "judge"] or list(
        beside.filtered.judges
    )
    best = max(judges, key=lambda name: _last_value([beside.filtered.judges[name]]), default=None)
    shown = {mark("the filter as set"): beside.filtered, **effects}
    frame = pd.DataFrame(
        {
            "Changed": [_(changed) for changed in shown],
            "Raters out": [len(effect.removed_raters) for effect in shown.values()],
            "Responses": [effect.responses for effect in shown.values()],
            "Mean r": [_estimate(effect.people[R]) for effect in shown.values()],
            "α": [_estimate(effect.people[ALPHA]) for effect in shown.values()],
            "τ of systems": [_estimate(effect.people[RANKING]) for effect in shown.values()],
            **({best: [_estimate(effect.judges[best]) for effect in shown.values()]} if best else {}),
        }
    )
    widgets.table(
        frame,
        key="quality_effect_variant_table",
        columns={
            "Changed": st.column_config.Column(_("Changed")),
            "Raters out": st.column_config.Column(_("Raters removed")),
            "Responses": st.column_config.Column(_("Responses")),
            "Mean r": _number_column(_("Mean r")),
            "α": _number_column("α"),
            "τ of systems": _number_column(_("τ of systems")),
            **({best: _number_column(best)} if best else {}),
        },
        formats={"Responses": text.count},
        height="content",
    )


def _alt(title: str, curves: list[EffectCurve]) -> str:
    parts = [
        _(
            "{name} {first} at threshold 0, {last} at {threshold}",
            name=curve.name or title,
            first=_estimate(curve.values[0]),
            last=_estimate(curve.values[-1]),
            threshold=f"{THRESHOLDS[-1]:z.2f}",
        )
        for curve in curves
        if curve.name or len(curves) == 1
    ]
    return f"{title}: {'; '.join(parts)}."


def _number_column(head: str) -> Any:
    return st.column_config.Column(head, alignment="right")


def _has_values(curves: list[EffectCurve]) -> bool:
    return any(estimate.value is not None for curve in curves for estimate in curve.values)


def _last_value(values: list[Estimate]) -> float:
    numbers = [estimate.value for estimate in values if estimate.value is not None]
    return numbers[-1] if numbers else -2.0


def _estimate(estimate: Estimate) -> str:
    return text.with_interval(estimate.value, estimate.ci)


def _change(change: Estimate | None) -> str:
    if change is None or change.value is None:
        return ""
    ends = "" if change.ci is None else f" {text.interval(change.ci)}"
    return f"{text.signed(change.value, 2)}{ends}"
