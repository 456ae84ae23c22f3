"""The sentences of *Means*: what the judge adds to the raters' means, and the share of right answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judgelab.analysis.comparison.measured_means import SystemMeans
from judgelab.analysis.comparison.rated_at_random import NOT_RANDOM, SAY_IF_RANDOM
from judgelab.languages import _, _n
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.judges.prediction_powered import PoweredMean
from judgelab.ui.kit import text
from judgelab.wording import mark

RATERS_ALONE, BOTH, JUDGE_ALONE = mark("Raters alone"), mark("Raters and judge"), mark("Judge alone")
SHIFT = mark("Judge, rated − judged only")
THERE = {False: mark("Raters, judged responses"), True: mark("Raters, judged pairs")}
EQUAL = 1e-9  # rates that differ by less are equal
PAIRED_INTERVALS = mark(
    "Differences are computed before means are rounded. Their intervals are those of paired t-tests, "
    "cut off at the largest possible difference, and not corrected for multiple comparisons."
)

# By whether pairs were compared.
SHIFT_MEANING = {
    False: mark(
        "“Judge, rated − judged only” is the mean of the judge's scores of rated responses, minus that of "
        "its scores of responses that only the judge scored. Its intervals use the normal approximation for "
        "two independent samples, as the items differ."
    ),
    True: mark(
        "“Judge, rated − judged only” is the judge's win rate on the pairs that raters compared, minus that "
        "on the pairs that only the judge compared. Its intervals use the normal approximation for two "
        "independent samples, as the items differ."
    ),
}


def means_sentence(system_means: SystemMeans) -> str:
    """Return in one sentence what the judge adds to the raters' means."""
    if system_means.no_order:
        return _("The labels of this criterion have no order, so systems have no means.")
    if system_means.of_pairs:
        return _win_rates_sentence(system_means)
    rated = sum(row.rated_responses for row in system_means.systems)
    rated_and_judged = sum(row.scored_by_both for row in system_means.systems)
    unlabelled = sum(row.scored_by_judge_only for row in system_means.systems)
    powered_means = [row.mean for row in system_means.systems if row.mean is not None]
    if not powered_means:
        return _n(
            "These means rest on {n} rated response.",
            "These means rest on {n} rated responses.",
            rated,
        )
    first_defined = next((mean for mean in powered_means if mean.powered.value is not None), None)
    if not unlabelled:
        return _(
            "People rated all {n} responses that the judge scored, so its scores add nothing to the means.",
            n=text.count(rated_and_judged),
        )
    if first_defined is None:
        reason = next((mean.powered.reason for mean in powered_means if mean.powered.reason), "")
        if reason == SAY_IF_RANDOM:
            return _(
                "To combine the ratings with the judge's scores, first say how the rated items were selected."
            )
        return _("Means from ratings and judge together are not available: {why}.", why=text.plain(_(reason)))
    hidden = next(
        (mean.powered.reason for mean in powered_means if mean.powered.reason in (SAY_IF_RANDOM, NOT_RANDOM)),
        None,
    )
    gains = [] if hidden else [mean.gain for mean in powered_means if mean.gain is not None]
    labelled = (
        text.count(rated)
        if rated == rated_and_judged
        else _(
            "{rated} ({both} of them also judged)", rated=text.count(rated), both=text.count(rated_and_judged)
        )
    )
    if not gains:
        return " ".join([_counts(rated, rated_and_judged, unlabelled), *_how_to_combine(hidden)])
    lowest_gain, highest_gain = text.number(min(gains), 1), text.number(max(gains), 1)
    if lowest_gain == highest_gain:
        return _(
            "{labelled} responses are rated and {unlabelled} only judged: with the judge, each rating "
            "counts for {least}.",
            labelled=labelled,
            unlabelled=text.count(unlabelled),
            least=lowest_gain,
        )
    return _(
        "{labelled} responses are rated and {unlabelled} only judged: with the judge, each rating counts "
        "for {least} to {most}.",
        labelled=labelled,
        unlabelled=text.count(unlabelled),
        least=lowest_gain,
        most=highest_gain,
    )


def _counts(rated: int, judged: int, unrated: int) -> str:
    """Return how many responses are rated, how many of them judged, and how many only judged."""
    both = text.count(judged)
    labelled = (
        _n("{n} response is rated", "{n} responses are rated", rated)
        if rated == judged
        else _n(
            "{n} response is rated ({both} also judged)",
            "{n} responses are rated ({both} also judged)",
            rated,
            both=both,
        )
    )
    return _n(
        "{labelled}; {n} is only judged.", "{labelled}; {n} are only judged.", unrated, labelled=labelled
    )


def _how_to_combine(reason: str | None) -> list[str]:
    if reason is None:
        return []
    if reason == SAY_IF_RANDOM:
        return [
            _(
                "To get “raters and judge” for systems with responses that are only judged, first say how "
                "the rated items were selected."
            )
        ]
    return [
        _(
            "There is no “raters and judge” for systems with responses that are only judged: {why}.",
            why=_(reason),
        )
    ]


def _win_rates_sentence(system_means: SystemMeans) -> str:
    """Return which systems win most often according to the raters, and to the judge."""
    by_raters = [(row.system, row.people) for row in system_means.systems]
    sentences = [_most_wins(_("the raters"), by_raters)]
    if system_means.judge is not None:
        by_judge = [(row.system, row.mean.judge) for row in system_means.systems if row.mean]
        sentences.append(_most_wins(system_means.judge, by_judge))
    return " ".join(filter(None, sentences)) or _("No responses of two systems were compared.")


def _most_wins(judge: str, rates: Sequence[tuple[str, Estimate]]) -> str:
    """Return which systems have the highest win rate; empty if none has one."""
    known = [(name, rate, rate.value) for name, rate in rates if rate.value is not None]
    if not known:
        return ""
    highest = max(value for _name, _rate, value in known)
    best = [(name, rate) for name, rate, value in known if highest - value < EQUAL]
    names = text.plain(text.listing([name for name, _rate in best]))
    rate = best[0][1]
    if len(best) == 1:
        return _(
            "According to {judge}, **{system}** has the highest win rate: {rate} (n = {n}).",
            judge=text.plain(judge),
            system=names,
            rate=text.share_with_interval(rate.value, rate.ci),
            n=_n("{n} item", "{n} items", rate.n),
        )
    return _(
        "According to {judge}, {systems} share the highest win rate: {rate}.",
        judge=text.plain(judge),
        systems=names,
        rate=text.per_cent(rate.value),
    )


def share_text(share: Estimate) -> str:
    """Return the share of right answers among the responses without ratings, or why there is none."""
    if share.value is None:
        return _(
            "The share of right answers among the responses that only the judge scored (n = {n}; Rogan and "
            "Gladen) is not given: {why}.",
            n=text.count(share.n),
            why=_(share.reason or ""),
        )
    share_text = _n(
        "Share of right answers in the {n} response that only the judge scored, by Rogan and Gladen: "
        "{share}. The judge's true and false positive rates come from {rated}.",
        "Share of right answers among the {n} responses that only the judge scored, by Rogan and Gladen: "
        "{share}. The judge's true and false positive rates come from {rated}.",
        share.n,
        share=estimate_cell(share),
        rated=_n("{n} rated response", "{n} rated responses", share.params["labelled"]),
    )
    if share.params.get("held_within_0_and_1"):
        raw = text.number(share.params["raw"])
        cut = _("The estimate is {raw}, outside 0 to 1, so it is cut to that range.", raw=raw)
        return f"{share_text} {cut}"
    return share_text


def estimate_cell(estimate: Estimate, *, sign: bool = False, rate: bool = False) -> str:
    """Return a value with its interval, or a dash; `missing_reasons` gives the reason.

    `rate` gives a share in per cent, and a difference of two shares in percentage points.
    """
    if estimate.value is None:
        return text.MISSING
    value, ci, places = estimate.value, estimate.ci, 2
    if rate:
        value, ci, places = 100 * value, None if ci is None else (100 * ci[0], 100 * ci[1]), 0
    number = text.signed(value, places) if sign else text.number(value, places)
    if rate and not sign:
        number = f"{number} %"
    if no_variation_reason(estimate) is not None:
        return f"{number} {text.interval_in_words(None)}"
    return number if ci is None else f"{number} {text.interval(ci, places)}"


def cells_by_column(
    rows: Sequence[tuple[str, Estimate, PoweredMean | None]], *, of_pairs: bool
) -> dict[str, list[tuple[str, Estimate]]]:
    """Return each column's estimates with the names of their rows."""
    means = [(name, mean) for name, _people, mean in rows if mean is not None]
    return {
        RATERS_ALONE: [(name, people) for name, people, _mean in rows],
        THERE[of_pairs]: [(name, mean.human) for name, mean in means],
        BOTH: [(name, mean.powered) for name, mean in means],
        JUDGE_ALONE: [(name, mean.judge) for name, mean in means],
        SHIFT: [(name, mean.shift) for name, mean in means],
    }


def missing_intervals(cells: Iterable[Estimate]) -> list[str]:
    """Return why values in the table have no interval, one note per reason."""
    reasons = dict.fromkeys(filter(None, map(no_variation_reason, cells)))
    return [_("(no interval): {why}.", why=_(reason)) for reason in reasons]


def missing_reasons(cells: Iterable[tuple[str, Estimate]]) -> list[tuple[str, str | None]]:
    """Return why the rows without a value have none, but for what the page's sentence already says of all."""
    return [
        (name, estimate.reason)
        for name, estimate in cells
        if estimate.value is None and estimate.reason not in (SAY_IF_RANDOM, NOT_RANDOM)
    ]
