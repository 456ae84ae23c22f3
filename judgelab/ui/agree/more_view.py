"""Draw *More*: choose a claim and see how many items or raters would settle it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from judgelab.analysis.comparison.sample_size import (
    sample_size_for_alternative_test,
    sample_size_for_judges,
    sample_size_for_systems,
)
from judgelab.analysis.comparison.sample_size_answer import (
    JUDGES,
    ONE_TEST,
    STAND_IN,
    SYSTEMS,
    SampleSizeAnswer,
)
from judgelab.analysis.data import fingerprint_parts
from judgelab.charts.power import power_chart
from judgelab.languages import _, _n
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.ui.agree.means_words import PAIRED_INTERVALS
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices
from judgelab.wording import mark

SESSION_KEYS = {  # by query parameter
    "claim": "more_claim",
    "criterion": "more_criterion",
    "first": "more_first",
    "second": "more_second",
}
CLAIMS = {
    JUDGES: mark("This judge agrees better than that one"),
    STAND_IN: mark("This judge can replace a rater"),
    SYSTEMS: mark("These two systems differ"),
}
POWER_TITLES = {
    JUDGES: mark("Shows a difference, % of cases"),
    STAND_IN: mark("Passes the test, % of cases"),
    SYSTEMS: mark("Shows a difference, % of cases"),
}
COUNTED_ITEMS = {
    JUDGES: mark("Items counted: those with ratings and scores from both judges."),
    STAND_IN: mark("Items counted: those with ratings and scores from the judge."),
    SYSTEMS: mark("Items counted: those in which both systems have ratings."),
}
SIZES = {"items": mark("Items"), "raters": mark("Raters")}


@dataclass(frozen=True)
class ClaimChoice:
    """What is claimed, under which criterion, about which judges or systems.

    `second` is empty for a judge that stands in for a rater.
    """

    kind: str
    criterion: str
    first: str
    second: str = ""


def choose_claim(slug: str, version: str, criteria: dict[str, str]) -> ClaimChoice | None:
    """Draw the choice of a claim and return it; None if the data allow no claim.

    Args:
        slug: the project's.
        version: of the project's data.
        criteria: label by key, of the criteria with ratings.
    """
    constant_judges = loaders.constant_judges(slug, fingerprint_parts.without_ratings(version))
    # No number of ratings settles a claim about a judge whose scores are all equal, so it comes last.
    raters = sorted(
        (compared_rater.name for compared_rater in loaders.compared_raters(slug, version)),
        key=constant_judges.__contains__,
    )
    systems = sorted(set(loaders.responses(slug, version)["system"]) - {""})
    possible = {JUDGES: len(raters) > 1, STAND_IN: bool(raters), SYSTEMS: len(systems) > 1}
    kinds = [kind for kind, is_possible in possible.items() if is_possible]
    if not kinds:
        return None
    kind = choices.one_of(
        _("Claim"), kinds, SESSION_KEYS["claim"], words=lambda key: _(CLAIMS[key]), width=330
    )
    names = systems if kind == SYSTEMS else raters
    label = _("System") if kind == SYSTEMS else _("Judge")
    first = choices.one_of(label, names, SESSION_KEYS["first"])
    second = ""
    if kind != STAND_IN:
        others = [name for name in names if name != first]
        second = choices.one_of(_("Compared with"), others, SESSION_KEYS["second"])
    criterion = choices.one_of(
        _("Criterion"), list(criteria), SESSION_KEYS["criterion"], words=lambda key: criteria[key]
    )
    return ClaimChoice(kind, criterion, first, second)


@stale_results.kept(loaders.KEPT, spinner=mark("Trying larger data sets…"))
def load_sample_size(slug: str, version: str, claim: ClaimChoice) -> SampleSizeAnswer:
    """Return what the data say about the claim, computed once per version of the data."""
    store, criterion = gate.store(), claim.criterion
    if claim.kind == JUDGES:
        return sample_size_for_judges(store, slug, claim.first, claim.second, criterion=criterion)
    if claim.kind == STAND_IN:
        return sample_size_for_alternative_test(store, slug, claim.first, criterion=criterion)
    return sample_size_for_systems(store, slug, claim.first, claim.second, criterion=criterion)


def draw_sample_size(sample_size: SampleSizeAnswer) -> None:
    """Draw the present figure and the power by number of items and of raters."""
    present = sample_size.present
    if present.value is not None:
        words = {
            JUDGES: _("Current difference in agreement"),
            STAND_IN: _("Current winning rate ω"),
            SYSTEMS: _("Current difference of the raters' means"),
        }
        interval = "" if present.ci is None else f" {text.interval(present.ci)}"
        value = text.number(present.value) if sample_size.claim == STAND_IN else text.signed(present.value, 2)
        n = f"n = {text.count(present.n)}"
        if sample_size.claim == STAND_IN:
            n = _n("n = {n} rater", "n = {n} raters", present.n)
        st.markdown(f"{words[sample_size.claim]}{_recipe_text(sample_size)}: **{value}**{interval}, {n}")
    columns = st.columns(2, gap="large")
    for column, plan in zip(columns, (sample_size.items, sample_size.raters), strict=True):
        with column:
            _draw_power(plan, sample_size.claim)
    st.caption(
        _(COUNTED_ITEMS[sample_size.claim])
        + " "
        + _(
            "Larger data sets are resampled from the current one, so the figures hold only if the current "
            "difference is the true one. Dashed line: four of five cases; the headline names the first "
            "plotted size that reaches it. Solid line: current size."
        )
    )
    if sample_size.claim in ONE_TEST:
        paired = f" {_(PAIRED_INTERVALS)}" if sample_size.claim == SYSTEMS else ""
        st.caption(_(ONE_TEST[sample_size.claim]) + paired)


def _draw_power(plan: SampleSizePlan, claim: str) -> None:
    widgets.heading(_(SIZES[plan.unit]))
    if plan.reason is not None or not plan.steps:
        st.caption(_as_sentence(text.plain(_(plan.reason or ""))))
        return
    x_title = _("Number of items") if plan.unit == "items" else _("Number of raters")
    needed = plan.needed
    sentence = (
        _("{n} would be enough in four of five cases", n=text.count(needed))
        if needed is not None
        else _("up to {n} would not be enough in four of five cases", n=text.count(plan.largest_size))
    )
    if len(plan.steps) < 2:
        share = text.share(round(1000 * (plan.steps[0].power.value or 0.0)), 1000)
        st.caption(
            _("{n} are enough in {share} of data sets like these.", n=text.count(plan.now), share=share)
        )
        return
    figure = power_chart(plan, x_title=x_title, y_title=_(POWER_TITLES[claim]), theme=widgets.theme())
    widgets.chart(figure, key=f"more_{plan.unit}", alt=f"{x_title}: {sentence}")
    st.caption(_as_sentence(sentence))


def _recipe_text(sample_size: SampleSizeAnswer) -> str:
    if sample_size.claim != JUDGES:
        return ""
    return (
        f" ({text.coefficient(sample_size.recipe['coefficient'])}, {text.level(sample_size.recipe['level'])})"
    )


def _as_sentence(phrase: str) -> str:
    return f"{text.capitalised(phrase)}." if phrase and not phrase.endswith(".") else phrase
