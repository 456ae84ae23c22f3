"""Draw how the filter changes the results: against no filter, over thresholds, with other options."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.analysis.filters.effect_table import THRESHOLDS, WARNING, FilterComparison, ThresholdCurves
from judgelab.analysis.filters.filter_estimates import ALPHA, RANKING
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.charts.effect import EffectCurve, Style, effect_panel
from judgelab.languages import _, _n
from judgelab.metaeval.core.aggregation import aggregation_of_labels
from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.quality import data, effect_tables

MOST_NAMED = 4  # curves labelled in the panel of judges


def draw_filter_effect(
    project: ProjectInfo, policy: FilterPolicy, scale: Scale, *, criterion: str, comparisons: bool
) -> None:
    """Draw the section on the filter's effect, computed only once its toggle is on."""
    widgets.heading(_("Effect on the results"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        computed = st.toggle(_("Compute the effect of the filter"), key="quality_effect")
        if not computed:
            return
        defaults = defaults_for_scales([scale] if comparisons else project.scales.values())
        coefficient = st.segmented_control(
            _("Judges by"),
            defaults.coefficients,
            default=defaults.coefficient,
            required=True,
            format_func=text.coefficient,
            key=f"quality_effect_coefficient_{defaults.coefficient}",
            label_visibility="collapsed",
        )
    coefficient = coefficient or defaults.coefficient
    key = data.effect_key(
        project, policy, criterion=criterion, coefficient=coefficient, comparisons=comparisons
    )
    comparison = data.load_effect(key, policy)
    with st.container(border=False):
        st.markdown(text.keep_together(_effect_sentence(comparison)))
        st.caption(f":material/info: {_(WARNING)}")
    curves = data.load_threshold_curves(key, policy)
    _draw_panels(curves, comparison, policy, kinds=key.kinds, coefficient=key.settings.coefficient)
    effect_tables.draw_results(comparison, kinds=key.kinds, comparisons=comparisons)
    effect_tables.draw_swaps(comparison.filtered.swaps)
    if comparison.filtered.people[RANKING].value is not None:
        effect_tables.draw_order_note()
    settings, aggregation = key.settings, policy.aggregation
    if not scale.ordered:
        aggregation = aggregation_of_labels(aggregation)
    recipe = _(
        "Judges and metrics: {coefficient}, {level}, with the scores of all raters who are kept "
        "({aggregation}), as under “all raters” on the page “Agreement”, not of all but one. "
        "Removed raters and responses are taken as given; intervals: 95 % bootstrap over all items, B = "
        "{resamples}, seed {seed}, the same items with and without the filter. Items not used "
        "for filtering: {elsewhere}; random raters: each rater’s scores shuffled, {chance}.",
        coefficient=text.coefficient(settings.coefficient),
        level=text.level(settings.level),
        aggregation=_(AGGREGATION_LABELS[aggregation.method]),
        resamples=settings.resamples,
        seed=str(settings.seed),
        elsewhere=_(comparison.other_items.ci_method),
        chance=_(comparison.random_raters.ci_method),
    )
    st.caption(text.keep_together(recipe))
    if st.toggle(_("Compare other filters at this threshold"), key="quality_effect_variants"):
        effect_tables.draw_variants(
            data.load_variants(key, policy), comparison, kinds=key.kinds, comparisons=comparisons
        )


def _effect_sentence(comparison: FilterComparison) -> str:
    without, filtered = comparison.all_ratings.people, comparison.filtered.people
    mean_of = comparison.filtered.mean_of
    mean, before = filtered[mean_of], without[mean_of]
    if mean.value is None:
        reason = text.plain(_(mean.reason)) if mean.reason else ""
        return _("After filtering, agreement is undefined: {reason}.", reason=reason)
    finding = _(
        "Mean {r} {before} becomes **{mean}** {interval}; the same raters reach {elsewhere} on items not "
        "used for filtering, and raters who score at random reach {chance} under the same filter.",
        before=effect_tables.estimate_text(before),
        r=effect_tables.SYMBOLS[mean_of],
        mean=text.number(mean.value),
        interval=text.interval(mean.ci),
        elsewhere=effect_tables.estimate_text(comparison.other_items),
        chance=effect_tables.estimate_text(comparison.random_raters),
    )
    ranking = filtered[RANKING]
    if ranking.n < 2:
        return finding
    swapped = _n(
        "{n} pair of systems in another order",
        "{n} pairs of systems in another order",
        len(comparison.filtered.swaps),
    )
    if not comparison.filtered.swaps and ranking.value == 1:
        kept = _(
            "The {n} systems keep their order (τ {tau}).",
            n=ranking.n,
            tau=effect_tables.estimate_text(ranking),
        )
        return f"{finding} {kept}"
    order = _(
        "Order of the {n} systems: τ {tau} with the order by all ratings, {pairs}.",
        n=ranking.n,
        tau=effect_tables.estimate_text(ranking),
        pairs=swapped,
    )
    return f"{finding} {order}"


def _draw_panels(
    curves: ThresholdCurves,
    comparison: FilterComparison,
    policy: FilterPolicy,
    *,
    kinds: dict[str, str],
    coefficient: str,
) -> None:
    mean_of = comparison.filtered.mean_of
    people = {key: [effect.people[key] for effect in curves.effects] for key in (mean_of, ALPHA, RANKING)}
    without = comparison.all_ratings.people
    panels = [
        (
            "r",
            _("Mean {r} between raters", r=effect_tables.SYMBOLS[mean_of]),
            [
                EffectCurve(_("random raters"), curves.random_raters, "baseline", banded=False),
                EffectCurve(_("other items"), curves.other_items, "metric", banded=False),
                EffectCurve(_("after filtering"), people[mean_of], "people"),
            ],
            without[mean_of].value,
        ),
        (
            "alpha",
            text.coefficient("alpha"),
            [EffectCurve(_("after filtering"), people[ALPHA], "people")],
            without[ALPHA].value,
        ),
        (
            "judges",
            _("Judges, {coefficient}", coefficient=text.coefficient(coefficient)),
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
    panels_with_values = [panel for panel in panels if _has_values(panel[2])]
    for row in range(0, len(panels_with_values), 2):
        for column, (key, title, panel_curves, reference) in zip(
            st.columns(2), panels_with_values[row : row + 2], strict=False
        ):
            with column:
                figure = effect_panel(
                    THRESHOLDS,
                    panel_curves,
                    threshold=policy.threshold,
                    reference=reference,
                    title=title,
                    theme=widgets.theme(),
                    r=effect_tables.SYMBOLS[mean_of],
                )
                widgets.chart(figure, key=f"quality_effect_{key}", alt=_alt_text(title, panel_curves))


def _judge_curves(curves: ThresholdCurves, kinds: dict[str, str]) -> list[EffectCurve]:
    """Return a curve for each judge and metric; only the best are labelled or have an interval."""
    estimates = {name: [effect.judges[name] for effect in curves.effects] for name in kinds}
    order = sorted(
        estimates,
        key=lambda name: (kinds[name] == "judge", effect_tables.last_value(estimates[name])),
        reverse=True,
    )
    judge_curves = []
    for rank, name in reversed(list(enumerate(order))):
        style: Style = "judge" if kinds[name] == "judge" else "metric"
        label = name if rank < MOST_NAMED else ""
        banded = style == "judge" and rank < 2
        judge_curves.append(EffectCurve(label, estimates[name], style, banded=banded, hover_name=name))
    return judge_curves


def _alt_text(title: str, curves: list[EffectCurve]) -> str:
    parts = [
        _(
            "{name} {first} at threshold 0, {last} at {threshold}",
            name=curve.name or title,
            first=effect_tables.estimate_text(curve.values[0]),
            last=effect_tables.estimate_text(curve.values[-1]),
            threshold=f"{THRESHOLDS[-1]:z.2f}",
        )
        for curve in curves
        if curve.name or len(curves) == 1
    ]
    return f"{title}: {'; '.join(parts)}."


def _has_values(curves: list[EffectCurve]) -> bool:
    return any(estimate.value is not None for curve in curves for estimate in curve.values)
