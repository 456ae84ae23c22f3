"""The result of a filter in sentences."""

from __future__ import annotations

import math

from judgelab.analysis.filters.filter_preview import FilterPreview
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate
from judgelab.scales import Scale
from judgelab.ui.kit import text
from judgelab.wording import mark

NOTHING_LEFT, NOTHING_SHARED = mark("nothing remains"), mark("no two raters share responses")
MOST_NAMES = 4
STEP = 0.01  # of thresholds, as the slider has it and two digits are printed
MODAL_SHARE = {  # by what raters give
    "score": mark(
        "“Modal share” is the share of a rater's ratings that have the rater's most frequent score."
    ),
    "label": mark(
        "“Modal share” is the share of a rater's ratings that have the rater's most frequent label."
    ),
    "choice": mark("“Modal share” is the share of a rater's choices that are the rater's most frequent one."),
}
KEPT_RATERS = {  # by what the filter removes besides raters
    "responses": mark("“{r}, kept raters” leaves out the removed raters but not the removed responses."),
    "pairs": mark("“{r}, kept raters” leaves out the removed raters but not the removed pairs."),
}
MEASURE_TITLES = {
    ("pearson", "pairwise"): mark("Mean Pearson's r with the other raters, 95 % interval"),
    ("pearson", "loo"): mark("Pearson's r with the mean of the others, 95 % interval"),
    ("kappa", "pairwise"): mark("Mean Cohen's κ with the other raters, 95 % interval"),
    ("kappa", "loo"): mark("Cohen's κ with the majority of the others, 95 % interval"),
}
SYMBOLS = {"pearson": "r", "kappa": "κ"}
CHOICES = {
    "First": mark("system first in the alphabet"),
    "Tie": mark("tie"),
    "Second": mark("system second in the alphabet"),
}


def symbol(preview: FilterPreview) -> str:
    """Return the letter of the coefficient of raters' agreement."""
    return SYMBOLS[preview.coefficient]


# By whether the filter is in use.
FROM_TO = {
    True: mark("Any threshold from {low} to {high} removes {raters}."),
    False: mark("Any threshold from {low} to {high} would remove {raters}."),
}
UP_TO = {
    True: mark("Any threshold up to {high} removes {raters}."),
    False: mark("Any threshold up to {high} would remove {raters}."),
}
UNDEFINED_AFTER = {
    True: mark("{rule} removes **{raters} and {responses}**; agreement is then undefined: {reason}."),
    False: mark("{rule} remove **{raters} and {responses}**; agreement would then be undefined: {reason}."),
}
AGREE_AFTER = {
    True: mark(
        "{rule} removes **{raters} and {responses}**; the remaining raters agree at {r} **{value}** "
        "{interval}"
    ),
    False: mark(
        "{rule} remove **{raters} and {responses}**; the remaining raters would agree at {r} "
        "**{value}** {interval}"
    ),
}


def filter_sentence(preview: FilterPreview, policy: FilterPolicy, *, in_use: bool) -> str:
    """Return the page's headline: how many raters and responses are removed, and the agreement after it."""
    raters_removed, responses_removed = len(preview.removed), preview.total.answers - preview.kept.answers
    before, after = preview.stages.get("before"), preview.stages.get("after_items")
    if not raters_removed and not responses_removed:
        unfiltered = {
            "rule": _subject(policy, in_use=in_use),
            "r": symbol(preview),
            "value": estimate_text(before),
        }
        if in_use:
            return _n(
                "{rule} removes no one: {n} rater, {r} {value}.",
                "{rule} removes no one: {n} raters, {r} {value}.",
                len(preview.raters),
                **unfiltered,
            )
        return _n(
            "{rule} remove no one: {n} rater, {r} {value}.",
            "{rule} remove no one: {n} raters, {r} {value}.",
            len(preview.raters),
            **unfiltered,
        )
    removal = {
        "rule": _subject(policy, in_use=in_use),
        "raters": _n("{some} of {n} rater", "{some} of {n} raters", len(preview.raters), some=raters_removed),
        "responses": _responses_text(preview, responses_removed),
    }
    if after is None or after.value is None:
        reason = NOTHING_LEFT if after is None else after.reason or NOTHING_SHARED
        return _(UNDEFINED_AFTER[in_use], reason=text.plain(_(reason)), **removal)
    sentence = _(
        AGREE_AFTER[in_use],
        r=symbol(preview),
        value=text.number(after.value),
        interval=text.interval(after.ci),
        **removal,
    )
    if before is None or before.value is None:
        return f"{sentence}."
    if text.number(after.value) == text.number(before.value):
        return _("{sentence}, as before.", sentence=sentence)
    return _("{sentence}; without the filter, at {before}.", sentence=sentence, before=estimate_text(before))


def _responses_text(preview: FilterPreview, removed: int) -> str:
    if preview.compared:
        return _n("{some} of {n} pair", "{some} of {n} pairs", preview.total.answers, some=removed)
    return _n("{some} of {n} response", "{some} of {n} responses", preview.total.answers, some=removed)


def removed_sentence(preview: FilterPreview, *, in_use: bool) -> str:
    """Return the removed raters in order, such as `Removed: Hugo, then Farid.`; of a trial, who would be."""
    first, *others = [text.plain(row.rater) for row in preview.removed]
    named = first
    for name in others[: MOST_NAMES - 1]:
        named = _("{names}, then {next}", names=named, next=name)
    if more := others[MOST_NAMES - 1 :]:
        named = _n("{names} and {n} more", "{names} and {n} more", len(more), names=named)
    if in_use:
        return _("Removed: {names}.", names=named)
    return _("Would be removed: {names}.", names=named)


def cause_labels(policy: FilterPolicy, scale: Scale, *, compared: bool = False) -> dict[str, str]:
    """Return the label of each cause of removal, of ratings or of comparisons."""
    distance = policy.conflict_distance(scale)
    conflict = (
        _("Ratings far apart (off)")
        if distance is None
        else _("{points} or more apart", points=text.points(distance))
        if distance < scale.high - scale.low
        else _("{points} apart", points=text.points(distance))
    )
    raters = {
        "agreement": _("Raters below {threshold}", threshold=f"{policy.threshold:z.2f}"),
        "hit": _("Raters failing copies"),
        "both": _("Raters"),
    }[policy.control]
    too_few = (
        _("Too few comparisons")
        if compared
        else _("Left with one rating")
        if policy.min_annotations == 2
        else _n("Fewer than {n} rating left", "Fewer than {n} ratings left", policy.min_annotations)
    )
    # Comparisons have no distance from each other.
    return {"raters": raters, "too_few": too_few, **({} if compared else {"conflict": conflict})}


def _rounded_down(threshold: float) -> float:
    """Return a bound at two digits, so that the sentence holds for what it prints."""
    return math.floor(threshold / STEP + 1e-9) * STEP


def preview_note(preview: FilterPreview, *, in_use: bool) -> str:
    """Return the range of thresholds with the same result, and how intervals are computed."""
    same_raters = _same_raters_text(len(preview.removed))
    low, high = preview.same_from, preview.same_to
    sentences = []
    if low is not None and high is not None and _rounded_down(low) < _rounded_down(high):
        sentences.append(
            _(
                FROM_TO[in_use],
                low=text.number(_rounded_down(low) + STEP),
                high=text.number(_rounded_down(high)),
                raters=same_raters,
            )
        )
    elif high is not None:
        sentences.append(
            _(
                UP_TO[in_use],
                high=text.number(_rounded_down(high)),
                raters=same_raters,
            )
        )
    if any((rater.round or 0) > 1 for rater in preview.removed):
        sentences.append(_("{r} is computed again after each removal.", r=symbol(preview)))
    kept = KEPT_RATERS["pairs" if preview.compared else "responses"]
    sentences.append(_(kept, r=symbol(preview)))
    scored = "score" if preview.coefficient == "pearson" else "label"
    sentences.append(_(MODAL_SHARE["choice" if preview.compared else scored]))
    sentences.append(
        _(
            "Intervals: bootstrap over items, B = {resamples}, seed {seed}.",
            resamples=preview.resamples,
            seed=str(preview.seed),
        )
    )
    return " ".join(sentences)


def raters_alt_text(preview: FilterPreview, policy: FilterPolicy) -> str:
    """Return the alternative text of the figure of raters."""
    names = text.listing([row.rater for row in preview.removed]) or _("no one")
    if policy.control != "agreement":
        return _n(
            "Agreement of {n} rater with the others; removed by this filter: {names}.",
            "Agreement of {n} raters with the others; removed by this filter: {names}.",
            len(preview.raters),
            names=names,
        )
    return _n(
        "Agreement of {n} rater with the others; below {threshold}: {names}.",
        "Agreement of {n} raters with the others; below {threshold}: {names}.",
        len(preview.raters),
        threshold=f"{policy.threshold:z.2f}",
        names=names,
    )


def distribution_names(preview: FilterPreview) -> tuple[str, ...]:
    """Return the names of scores: of comparisons which of two responses was chosen."""
    names = preview.distribution.scores
    return tuple(_(CHOICES[name]) for name in names) if preview.compared else names


def scores_alt_text(preview: FilterPreview) -> str:
    """Return the alternative text of the figure of scores."""
    names = distribution_names(preview)
    shares = zip(names, preview.distribution.before, preview.distribution.after, strict=True)
    words = (
        mark("score {score}: {before} % before, {after} % after")
        if preview.coefficient == "pearson"
        else mark("{score}: {before} % before, {after} % after")
    )
    return "; ".join(
        _(words, score=score, before=f"{before:z.0f}", after=f"{after:z.0f}")
        for score, before, after in shares
    )


def _subject(policy: FilterPolicy, *, in_use: bool) -> str:
    """Return how the headline begins, up to the verb "removes", or "remove" of a filter not in use."""
    threshold = f"{policy.threshold:z.2f}"
    if policy.control == "hit":
        words = (
            mark("By degraded copies and repeats, p < {p}, the filter")
            if in_use
            else mark("By degraded copies and repeats, p < {p}, the filter would")
        )
        return _(words, p=f"{policy.hit_alpha:g}")
    if policy.control == "both":
        words = (
            mark("With a threshold of {threshold}, after degraded copies, the filter")
            if in_use
            else mark("With a threshold of {threshold}, after degraded copies, the filter would")
        )
    else:
        words = (
            mark("With a threshold of {threshold}, the filter")
            if in_use
            else mark("With a threshold of {threshold}, the filter would")
        )
    return _(words, threshold=threshold)


def _same_raters_text(number: int) -> str:
    return _n("the same rater", "the same {n} raters", number) if number else _("no one")


def estimate_text(estimate: Estimate | None) -> str:
    """Return a value with its interval, or a dash."""
    return text.MISSING if estimate is None else text.with_interval(estimate.value, estimate.ci)
