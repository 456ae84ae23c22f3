"""The texts of *You against the judges*: the answer, the warning about few responses, the recipe."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.raters.self_comparison import PersonComparison
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.self_comparison import RESAMPLES, SelfComparisonRow
from judgelab.runs import guided
from judgelab.ui.kit import text
from judgelab.wording import mark

FEW_RESPONSES = 30  # with fewer, the order of raters is unreliable
MEASURES = {
    "mae": mark("Difference in points"),
    "pearson": mark("Pearson's r"),
    "spearman": mark("Spearman's ρ"),
    "exact": mark("Share of equal labels"),
}


def own_ratings_sentence(comparison: PersonComparison, coefficient: str, name: str) -> str:
    """Return the page's answer: how close the person is to the crowd, and the closest and farthest judge."""
    own, n = comparison.own_row.estimate, len(comparison.responses)
    answers = _n("**{n}** answer that others rated too", "**{n}** answers that others rated too", n)
    if own.value is None:
        reason = _(own.reason) if own.reason else text.MISSING
        return _(
            "On {answers}, agreement is undefined: {reason}.", answers=answers, reason=text.plain(reason)
        )
    value = f"**{text.number(own.value)}** {_interval_text(comparison.own_row)}"
    if coefficient == "mae":
        first = _(
            "On {answers}, {who} differed from the other raters’ mean by {value} points.",
            answers=answers,
            who=_shown_name(name),
            value=value,
        )
    elif coefficient == "exact":
        first = _(
            "On {answers}, {who} gave the label of most other raters on a share of {value}.",
            answers=answers,
            who=_shown_name(name),
            value=value,
        )
    else:
        first = _(
            "On {answers}, the agreement of {who} with the other raters’ mean is {value}.",
            answers=answers,
            who=_shown_name(name),
            value=value,
        )
    judges = [row for row in comparison.rows if row.kind == "judge" and row.estimate.value is not None]
    return f"{first} {_neighbours(judges)}".strip()


def few_responses_warning(n: int) -> str:
    """Return a warning about few responses; empty from thirty on."""
    if n >= FEW_RESPONSES:
        return ""
    return _n(
        "{n} answer is very little: one more could reverse the order. Don't draw conclusions from it.",
        "{n} answers are very few: {n} more could reverse the order. Don't draw conclusions from it.",
        n,
    )


def own_ratings_recipe(comparison: PersonComparison, coefficient: str, filter_name: str | None) -> str:
    """Return in one line how the figures were computed."""
    crowd = _("all other raters")
    if filter_name and comparison.left_out:
        crowd = _(
            "the other raters without {names}, removed by “{rule}”",
            names=text.listing(list(comparison.left_out)),
            rule=filter_name,
        )
    alone_note = ""
    if comparison.rated_alone:
        alone_note = " " + _n(
            "{n} answer that no one else rated is excluded.",
            "{n} answers that no one else rated are excluded.",
            comparison.rated_alone,
        )
    if comparison.tied:
        alone_note += " " + _n(
            "{n} answer is excluded because several labels of the others are equally frequent.",
            "{n} answers are excluded because several labels of the others are equally frequent.",
            comparison.tied,
        )
    replay_note = ""
    if guided.JUDGE in comparison.judges:
        replay_note = " " + _("“{judge}” repeats what that judge’s file contains.", judge=guided.JUDGE)
    return (
        _(
            "{measure}; the crowd is {raters}, without the person compared; percentile bootstrap over "
            "items, {resamples} resamples, seed {seed}.",
            measure=_(MEASURES[coefficient]),
            raters=crowd,
            resamples=RESAMPLES,
            seed=0,
        )
        + alone_note
        + replay_note
    )


def _neighbours(judges: Sequence[SelfComparisonRow]) -> str:
    if not judges:
        return ""
    near, far = judges[0], judges[-1]
    if near is far:
        return _(
            "{judge}: {value} {interval}.",
            judge=text.plain(near.rater),
            value=text.number(near.estimate.value),
            interval=_interval_text(near),
        )
    return _(
        "The nearest judge, {near}, has {value} {interval}; the farthest, {far}, {most} {ends}.",
        near=text.plain(near.rater),
        value=text.number(near.estimate.value),
        interval=_interval_text(near),
        far=text.plain(far.rater),
        most=text.number(far.estimate.value),
        ends=_interval_text(far),
    )


def _interval_text(row: SelfComparisonRow) -> str:
    return text.interval(row.estimate.ci) if row.estimate.ci else _("(no interval)")


def _shown_name(name: str) -> str:
    return _("you") if name == _("You") else text.plain(name)
