"""The tables of the filter's effect: results with and without it, systems that swap, other options."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.filters.effect_table import FilterComparison
from judgelab.analysis.filters.filter_estimates import ALPHA, KAPPA, RANKING, FilterEffect, R
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate, printed_difference
from judgelab.metaeval.judges.ranking import Swap
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

SYMBOLS = {R: "r", KAPPA: "κ"}


def draw_results(comparison: FilterComparison, *, kinds: dict[str, str], comparisons: bool) -> None:
    """Draw the table of results with and without the filter; `kinds` holds each evaluator's kind by name."""
    without, filtered = comparison.all_ratings, comparison.filtered
    mean_of = filtered.mean_of
    units = _("Pairs") if comparisons else _("Responses")
    rows = [
        (_("Raters"), text.count(without.raters), "", text.count(filtered.raters), "", ""),
        (units, text.count(without.responses), "", text.count(filtered.responses), "", ""),
        _table_row(
            _("Mean {r} between raters, n pairs", r=SYMBOLS[mean_of]),
            without.people[mean_of],
            None,
            filtered.people[mean_of],
            filtered.change[mean_of],
        ),
        ("   " + _("on other items"), "", "", estimate_text(comparison.other_items), "", ""),
        ("   " + _("random raters"), "", "", estimate_text(comparison.random_raters), "", ""),
        _table_row(
            _("Krippendorff's α, n pairs of responses")
            if comparisons
            else _("Krippendorff's α, n responses"),
            without.people[ALPHA],
            None,
            filtered.people[ALPHA],
            filtered.change[ALPHA],
        ),
    ]
    if mean_of == R:  # labels give systems no order
        rows.append(
            _table_row(
                _("Order of systems, τ-b, n systems"),
                without.people[RANKING],
                None,
                filtered.people[RANKING],
                None,
            )
        )
    rows += [
        _table_row(
            name,
            without.judges[name],
            filtered.on_all_responses[name],
            filtered.judges[name],
            filtered.change[name],
        )
        for name in sorted(
            kinds, key=lambda name: (kinds[name] != "judge", -last_value([filtered.judges[name]]))
        )
    ]
    names = ("", "All ratings", "Kept raters, all responses", "This rule", "Change", "n")
    heads = ("", _("All ratings"), _("Kept raters, all responses"), _("This filter"), _("Change"), _("n"))
    widgets.table(
        pd.DataFrame(rows, columns=names),
        key="quality_effect_table",
        columns={name: _number_column(head) for name, head in zip(names[1:], heads[1:], strict=True)},
        height="content",
    )
    st.caption(_("Differences are between the rounded numbers shown; JSON downloads have unrounded ones."))


def _table_row(
    name: str, without: Estimate, kept_raters: Estimate | None, filtered: Estimate, change: Estimate | None
) -> tuple[str, ...]:
    counts = text.count(filtered.n) if without.n == filtered.n else f"{without.n:,} → {filtered.n:,}"
    kept_raters_text = "" if kept_raters is None else estimate_text(kept_raters)
    return (
        name,
        estimate_text(without),
        kept_raters_text,
        estimate_text(filtered),
        _change_text(without, filtered, change),
        counts,
    )


def draw_swaps(swaps: tuple[Swap, ...]) -> None:
    """Draw the table of systems that change places, if there are any."""
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


def draw_order_note() -> None:
    """Say how systems are put in order, whether or not some change places."""
    st.caption(
        _(
            "Order and leads of systems: from means after each item's mean over its responses, all ratings, "
            "is subtracted, so that filtering different responses of each leaves them comparable. *Means* "
            "subtracts nothing."
        )
    )


def draw_variants(
    effects: dict[str, FilterEffect],
    comparison: FilterComparison,
    *,
    kinds: dict[str, str],
    comparisons: bool,
) -> None:
    """Draw a table of the effects of the filter with one option changed at a time."""
    judges = [name for name in comparison.filtered.judges if kinds[name] == "judge"] or list(
        comparison.filtered.judges
    )
    best = max(judges, key=lambda name: last_value([comparison.filtered.judges[name]]), default=None)
    variants = {mark("the filter as set"): comparison.filtered, **effects}
    mean_of = comparison.filtered.mean_of
    frame = pd.DataFrame(
        {
            "Changed": [_(changed) for changed in variants],
            "Raters out": [len(effect.removed_raters) for effect in variants.values()],
            "Responses": [effect.responses for effect in variants.values()],
            "Mean r": [estimate_text(effect.people[mean_of]) for effect in variants.values()],
            "α": [estimate_text(effect.people[ALPHA]) for effect in variants.values()],
            "τ of systems": [estimate_text(effect.people[RANKING]) for effect in variants.values()],
            **({best: [estimate_text(effect.judges[best]) for effect in variants.values()]} if best else {}),
        }
    )
    widgets.table(
        frame,
        key="quality_effect_variant_table",
        columns={
            "Changed": st.column_config.Column(_("Changed")),
            "Raters out": st.column_config.Column(_("Raters removed")),
            "Responses": st.column_config.Column(_("Pairs") if comparisons else _("Responses")),
            "Mean r": _number_column(_("Mean {r}", r=SYMBOLS[mean_of])),
            "α": _number_column("α"),
            "τ of systems": _number_column(_("τ of systems")),
            **({best: _number_column(best)} if best else {}),
        },
        formats={"Responses": text.count},
        height="content",
    )


def _number_column(head: str) -> Any:
    return st.column_config.Column(head, alignment="right")


def last_value(values: list[Estimate]) -> float:
    """Return the last defined value, -2 if none is, for sorting."""
    numbers = [estimate.value for estimate in values if estimate.value is not None]
    return numbers[-1] if numbers else -2.0


def estimate_text(estimate: Estimate) -> str:
    """Return a value with its interval."""
    return text.with_interval(estimate.value, estimate.ci)


def _change_text(without: Estimate, filtered: Estimate, change: Estimate | None) -> str:
    if change is None or change.value is None:
        return ""
    ends = "" if change.ci is None else f" {text.interval(change.ci)}"
    return f"{text.signed(printed_difference(filtered, without, 2), 2)}{ends}"
