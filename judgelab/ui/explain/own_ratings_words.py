"""What is said of one's own ratings among the raters and the judges: the answer, the warning, the recipe."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.raters.self_comparison import Placed
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.self_comparison import RESAMPLES, SelfComparisonRow
from judgelab.runs import guided
from judgelab.ui.kit import text
from judgelab.wording import mark

FEW_RESPONSES = 30  # responses below which the order of raters is not to be relied on
MEASURES = {
    "mae": mark("Distance in points"),
    "pearson": mark("Pearson r"),
    "spearman": mark("Spearman ρ"),
}


def own_ratings_sentence(found: Placed, coefficient: str, name: str) -> str:
    """Return the page's answer: how near the person is to the crowd, and between whom they stand."""
    own, n = found.own.estimate, len(found.responses)
    on = _n("**{n}** answer that others rated too", "**{n}** answers that others rated too", n)
    if own.value is None:
        why = _(own.reason) if own.reason else text.MISSING
        return _("On {answers}, agreement is undefined: {reason}.", answers=on, reason=text.plain(why))
    said = f"**{text.number(own.value)}** {_ends(found.own)}"
    if coefficient == "mae":
        first = _(
            "On {answers}, {who} stood {value} points from the crowd’s mean.",
            answers=on,
            who=_name(name),
            value=said,
        )
    else:
        first = _(
            "On {answers}, the agreement of {who} with the crowd’s mean is {value}.",
            answers=on,
            who=_name(name),
            value=said,
        )
    judges = [row for row in found.rows if row.kind == "judge" and row.estimate.value is not None]
    return f"{first} {_neighbours(judges)}".strip()


def few_responses_warning(n: int) -> str:
    """Return what so few responses do not say; nothing from thirty on."""
    if n >= FEW_RESPONSES:
        return ""
    return _n(
        "{n} answer says little: another could turn everything round. Take this as a taste, not a finding.",
        "{n} answers say little: {n} others could turn the order round. Take this as a taste, not a finding.",
        n,
    )


def recipe(found: Placed, coefficient: str, rule: str | None) -> str:
    """Return how the figures were made, in one line."""
    kept = _("all other raters")
    if rule and found.left_out:
        kept = _(
            "the other raters without {names}, whom “{rule}” leaves out",
            names=text.listing(list(found.left_out)),
            rule=rule,
        )
    alone = ""
    if found.alone:
        alone = " " + _n(
            "{n} answer that nobody else rated is left out.",
            "{n} answers that nobody else rated are left out.",
            found.alone,
        )
    replayed = ""
    if guided.JUDGE in found.judges:
        replayed = " " + _("“{judge}” says again what that judge’s file says.", judge=guided.JUDGE)
    return (
        _(
            "{measure}; the crowd is {raters}, and nobody is compared with themselves; percentile bootstrap "
            "over items, {resamples} resamples, seed {seed}.",
            measure=_(MEASURES[coefficient]),
            raters=kept,
            resamples=f"{RESAMPLES:,}",
            seed=0,
        )
        + alone
        + replayed
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
            interval=_ends(near),
        )
    return _(
        "The nearest judge, {near}, has {value} {interval}; the farthest, {far}, {most} {ends}.",
        near=text.plain(near.rater),
        value=text.number(near.estimate.value),
        interval=_ends(near),
        far=text.plain(far.rater),
        most=text.number(far.estimate.value),
        ends=_ends(far),
    )


def _ends(row: SelfComparisonRow) -> str:
    return text.interval(row.estimate.ci) if row.estimate.ci else _("(no interval)")


def _name(name: str) -> str:
    return _("you") if name == _("You") else text.plain(name)
