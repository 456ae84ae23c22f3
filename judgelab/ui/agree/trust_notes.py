"""Titles of the parts of *Trust*, and the notes below their tables."""

from __future__ import annotations

from collections.abc import Callable

from judgelab.analysis.data.filter_info import filter_aggregation
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.languages import _, _n
from judgelab.metaeval.core.pair_scores import MAJORITY_MEANING
from judgelab.ui.agree import raters_target, trust_tables
from judgelab.ui.agree.means_words import PAIRED_INTERVALS
from judgelab.ui.kit import text
from judgelab.wording import mark

SHOWN_DIFFERENCES = mark("Differences are between the rounded numbers shown.")
RELIABILITY_NOTE = mark(
    "Reliability is that of a response's mean rating, by the Spearman–Brown formula from the mean r between "
    "raters and the mean number of ratings. Its square root is the highest r possible."
)
LENGTH_NOTE = mark(
    "Slopes are points of score per standard deviation (SD) of the logarithm of length. Their intervals use "
    "Student's t and standard errors clustered by item. Partial ρ holds the raters' scores fixed. Both ρ "
    "pool all responses and use all raters. The agreement of the judge and of the best baseline "
    "above uses all raters but one, so it can differ from them."
)
PARTS = {
    "agreement": mark("Agreement with the raters"),
    "stand_in": mark("Can it replace a rater?"),
    "systems": mark("Which systems does it rank wrongly?"),
    "ties": mark("Which of two responses does it prefer?"),
    "order": mark("Order of the two responses"),
    "longer": mark("Does it choose the longer response?"),
    "habits": mark("Level and spread of its scores"),
    "length": mark("Length of the responses"),
    "family": mark("Responses of its own model family"),
    "parts": mark("Where it differs from the raters"),
    "repeats": mark("Repeated questions"),
    "confidence": mark("Is its confidence calibrated?"),
    "use": mark("How it uses the scale"),
}


def _agreement_note(trust: JudgeTrust) -> str:
    if trust.of_pairs:
        return _(
            "Judge: its exact agreement with the other raters, the share of pairs in which it makes their "
            "majority choice, each rater left out in turn. Pairs without such a majority are left out. "
            "{majority} Raters: how often the left-out rater makes that choice, on the same n pairs. "
            "Baseline: a choice made without reading. The best one is chosen anew in each resample. “Always "
            "the same answer” always picks the system whose name comes first in the alphabet, or always the "
            "other. “As good as a rater” means: it does not agree significantly less often than the raters "
            "do, is non-inferior with a margin of 10 points, and is significantly better than the best "
            "baseline. “Better than a rater” or “worse than a rater”: the interval of Judge − raters is "
            "above or below 0. Differences are between the rounded numbers shown.",
            majority=_(MAJORITY_MEANING),
        )
    without_order = {criterion.no_order for criterion in trust.criteria.values()}
    aggregation = filter_aggregation(trust.policy)
    if without_order == {True} and not aggregation.by_model:
        return _(
            "Judge: agreement with the label of most raters but one, ties left out. Raters: agreement of the "
            "left-out rater with that label, on the same n responses (those with two or more ratings and a "
            "score by the judge). Baseline: a score made without reading, measured in the same way. The best "
            "one is chosen anew in each resample. “As good as a rater” means: its agreement is not "
            "significantly below the raters', is non-inferior with a margin of 0.1, and is significantly "
            "better than the best baseline's. “Better than a rater” or “worse than a rater”: the interval of "
            "Judge − raters is above or below 0. Differences are between the rounded numbers shown."
        )
    note = _note_on_means()
    if aggregation.method != "mean":
        note = f"{_note_on_scores()} {raters_target.score_note(aggregation)}"
    if False in without_order:
        note = f"{note} {_(RELIABILITY_NOTE)}"
    return (
        f"{note} {raters_target.majority_note()}"
        if True in without_order and not aggregation.by_model
        else note
    )


def _note_on_means() -> str:
    return _(
        "Judge: agreement with the mean of all raters but one. Raters: agreement of the left-out rater with "
        "that mean, on the same n responses (those with two or more ratings and a score by the judge). "
        "Baseline: a score that ignores the content, such as the word count, measured in the same way. The "
        "best one is chosen anew in each resample. “As good as a rater” means: its agreement is not "
        "significantly below the raters', is non-inferior with a margin of 0.1, and is significantly better "
        "than the best baseline's. “Better than a rater” or “worse than a rater”: the interval of Judge − "
        "raters is above or below 0. Differences are between the rounded numbers shown."
    )


def _note_on_scores() -> str:
    return _(
        "Judge: agreement with the score of all raters but one. Raters: agreement of the left-out rater with "
        "that score, on the same n responses (those with two or more ratings and a score by the judge). "
        "Baseline: a score that ignores the content, such as the word count, measured in the same way. The "
        "best one is chosen anew in each resample. “As good as a rater” means: its agreement is not "
        "significantly below the raters', is non-inferior with a margin of 0.1, and is significantly better "
        "than the best baseline's. “Better than a rater” or “worse than a rater”: the interval of Judge − "
        "raters is above or below 0. Differences are between the rounded numbers shown."
    )


def _stand_in_note(trust: JudgeTrust) -> str:
    if trust.of_pairs:
        return _(
            "Each rater is left out in turn. On each pair, the judge or the rater wins: whichever agrees "
            "with more of the other raters. If they agree with equally many, both win. The judge beats a "
            "rater if the rater's advantage is significantly below ε, and passes the test if it beats at "
            "least half of the raters (ω: the share it beats). Intervals of the shares are Wilson’s, "
            "adjusted for the spread of the resamples. p: one-sided t test, corrected over the "
            "raters of each criterion (Benjamini–Yekutieli), as in the original test. Raters who compared "
            "fewer than 30 of the pairs that the judge and another rater compared are left out."
        )
    return _(
        "Each rater is left out in turn. Judge and rater are compared by how close they come to the other "
        "raters. A tie counts as a win for both. The judge beats a rater if the rater's advantage is "
        "significantly below ε, and passes the test if it beats at least half of the raters (ω: the share "
        "it beats). Intervals of the shares are Wilson’s, adjusted for the spread of the resamples. p: "
        "one-sided t test, corrected over the raters of each criterion (Benjamini–Yekutieli), as in the "
        "original test. Raters who scored fewer than 30 of the responses that the judge and another rater "
        "scored are left out."
    )


def _habits_note(trust: JudgeTrust) -> str:
    lead = _(
        "Mean and standard deviation (SD) on the n responses that judge and raters both scored. The raters’ "
        "mean averages the responses’ mean ratings. A rater’s SD is taken around that "
        "rater’s own mean. Intervals of means are Wilson’s, adjusted for the spread of the scores. Those of "
        "differences of means use Student's t and standard errors clustered by item."
    )
    return " ".join(
        [lead, _(SHOWN_DIFFERENCES), _habits_p_note(trust), *_uncorrected(trust, "leniency", "spread")]
    )


def _habits_p_note(trust: JudgeTrust) -> str:
    """Return how p of mean and of SD was computed, with the correction once if it is the same."""
    of_mean, of_sd = trust.families.get("leniency"), trust.families.get("spread")
    if of_mean is None or of_sd is None or of_mean.scope != of_sd.scope:
        return " ".join(filter(None, [_p_note(trust, "leniency"), _p_note(trust, "spread", of_sd=True)]))
    return _(
        "p: {made}. p, SD: {made_of_sd}. In each of the columns “p” and “p, SD”, {scope}.",
        made=_(of_mean.methods),
        made_of_sd=_(of_sd.methods),
        scope=_(of_mean.scope),
    )


def _use_note(trust: JudgeTrust) -> str:
    if all(criterion.no_order for criterion in trust.criteria.values()):
        return _(
            "On the responses that judge and raters both scored: the judge's labels, one per response, and "
            "every single rating (n)."
        )
    return _(
        "On the responses that judge and raters both scored: the judge's scores, one per response, and every "
        "single rating (n). “{level}” has the mean of each response's ratings, and the SD around each "
        "rater's own mean. Here the SD is that of all ratings together. So its numbers differ from these.",
        level=_(PARTS["habits"]),
    )


def _parts_note(trust: JudgeTrust) -> str:
    return text.plain(" ".join([_p_note(trust, "parts"), *trust_tables.parts_without_interval(trust)]))


def _p_note(trust: JudgeTrust, about: str, *, of_sd: bool = False) -> str:
    """Return how a table's p-values were computed and over which tests they are corrected."""
    family = trust.families.get(about)
    if family is None:
        return ""
    made = _(family.description)
    return _("p, SD: {made}.", made=made) if of_sd else _("p: {made}.", made=made)


def _uncorrected(trust: JudgeTrust, *about: str) -> list[str]:
    """Return that intervals are not corrected, as one may exclude 0 beside a corrected p above 0.05."""
    if any(name in trust.families and trust.families[name].tests > 1 for name in about):
        return [_("Intervals are not corrected for multiple tests.")]
    return []


def _order_note(trust: JudgeTrust) -> str:
    return " ".join(
        [
            _(
                "“First response preferred” is the share of its choices, ties left out, that pick the "
                "response shown first. It is 50 % without a preference. It counts each choice on its own. "
                "Elsewhere on this page, two different choices for a pair count as a tie."
            ),
            _p_note(trust, "order"),
        ]
    )


def _longer_note(trust: JudgeTrust) -> str:
    return " ".join(
        [
            _("Pairs in which both chose a winner and one response has more words."),
            _p_note(trust, "longer"),
        ]
    )


def _systems_note(trust: JudgeTrust) -> str:
    sentences = [
        _(
            "The difference is the mean of 1 for a win, 0.5 for a tie and 0 for a loss, minus that of the "
            "other system, in the pairs of these two systems. The raters' order is significant if p, "
            "two-sided, is below 0.05."
        )
        if trust.of_pairs
        else _(
            "Two systems are compared on the items on which both have a response with a rating and a score "
            "by the judge. *Means* also has differences on all ratings, and on all scores of the judge. The "
            "raters' order is significant if p, two-sided, is below 0.05."
        ),
        _p_note(trust, "systems"),
        _(PAIRED_INTERVALS),
    ]
    left_out = sum(
        criterion.systems.lost for criterion in trust.criteria.values() if criterion.systems is not None
    )
    if left_out:
        sentences.append(
            _n(
                "{n} pair of systems is excluded because they share fewer than two items.",
                "{n} pairs of systems are excluded because they share fewer than two items.",
                left_out,
            )
        )
    return " ".join(sentences)


def _ties_note(trust: JudgeTrust) -> str:
    return _(
        "All pairs of responses to one question. A pair is right if the judge prefers the response that the "
        "raters prefer, or ties what they tie (accuracy with ties). Scores no further apart than the "
        "threshold count as tied. The best tie threshold is the best one for these data, so compare judges "
        "by the figure on held-out items."
    )


def _confidence_note(trust: JudgeTrust) -> str:
    if trust.of_pairs:
        return _(
            "Calibration error: the gap between stated confidence and the share of choices that match the "
            "raters' majority. Choices without a confidence, and pairs without a majority, are left out. "
            "Even a perfectly calibrated judge has some error. The table gives its expected value and 95 % "
            "limit."
        )
    return _(
        "Calibration error: the gap between stated confidence and the share of verdicts that match the "
        "raters' point. Even a perfectly calibrated judge has some error. The table gives its expected value "
        "and 95 % limit."
    )


NOTES: dict[str, Callable[[JudgeTrust], str]] = {
    "agreement": _agreement_note,
    "stand_in": _stand_in_note,
    "systems": _systems_note,
    "order": _order_note,
    "longer": _longer_note,
    "habits": _habits_note,
    "length": lambda trust: " ".join(
        [_(LENGTH_NOTE), _(SHOWN_DIFFERENCES), _p_note(trust, "length"), *_uncorrected(trust, "length")]
    ),
    "use": _use_note,
    "family": lambda trust: " ".join([_(SHOWN_DIFFERENCES), _p_note(trust, "family")]),
    "parts": _parts_note,
    "ties": _ties_note,
    "confidence": _confidence_note,
}
