"""The answer of *Compare*: which judge is ahead, and over which judges its lead is significant."""

from __future__ import annotations

from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import counts_systems
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts
from judgelab.ui.kit import text
from judgelab.ui.shared import findings
from judgelab.wording import mark

# Of the judges behind, by whether several are ahead.
NOT_SIGNIFICANT = {
    False: mark("its lead over {judges} is not significant"),
    True: mark("not all of their leads over {judges} are significant"),
}
UNTESTED = {
    False: mark("its lead over {judges} was not tested"),
    True: mark("not all of their leads over {judges} were tested"),
}
MOST_DIFFERENCES = 5


def ranking_sentence(contrasts: Contrasts, *, coefficient: str, of_pairs: bool = False) -> str:
    """Return in one sentence which judge is ahead and which may be as good."""
    placed = [row for row in contrasts.ranked if row.estimate.value is not None]
    if not contrasts.placed and contrasts.left_out:
        why = next(iter(contrasts.left_out.values()))
        return _("These judges can't be compared: {why}.", why=text.plain(_(why)))
    if not placed:
        return (
            _("No two of these judges compared the same pairs.")
            if of_pairs
            else _("No two of these judges scored the same responses.")
        )
    first = placed[0]
    words = {
        "symbol": findings.symbol(coefficient),
        "value": text.number(first.estimate.value),
        "n": findings.amount(_unit_of_n(contrasts, first.estimate, of_pairs=of_pairs), first.estimate.n),
    }
    leading = [row.rater for row in placed if findings.tied(row.estimate, first.estimate)]
    if len(leading) == 1:
        lead = _(
            "**{judge}** is ahead ({symbol} **{value}** {interval}, n = {n})",
            judge=text.plain(first.rater),
            interval=text.interval_in_words(first.estimate.ci),
            **words,
        )
    else:
        leaders = text.plain(text.quoted_names(leading))
        lead = _("{judges} are tied for first place ({symbol} **{value}**, n = {n})", judges=leaders, **words)
    others = [row.rater for row in placed[len(leading) :]]
    ahead = {name: {_is_better(contrasts, one, than=name) for one in leading} for name in others}
    untested = [name for name in others if None in ahead[name]]
    alike = [name for name in others if False in ahead[name] and name not in untested]
    behind = len(others) - len(alike) - len(untested)
    several = len(leading) > 1
    clauses = [
        _(words[several], judges=text.plain(text.quoted_names(names)))
        for names, words in ((alike, NOT_SIGNIFICANT), (untested, UNTESTED))
        if names
    ]
    if behind and behind == len(others):
        clauses.append(
            _("{judge} is significantly behind", judge=text.plain(text.quoted_names(others)))
            if behind == 1
            else _n("The other is significantly behind", "The {n} others are significantly behind", behind)
        )
    elif behind:
        clauses.append(_n("{n} other is significantly behind", "{n} others are significantly behind", behind))
    return f"{lead}. {text.capitalised('; '.join(clauses))}." if clauses else f"{lead}."


def difference_sentences(contrasts: Contrasts) -> list[str]:
    """Return the differences of the first judge from the others, at most five, each with interval and p."""
    best = next((row.rater for row in contrasts.ranked if row.estimate.value is not None), None)
    pairs = [pair for pair in contrasts.contrasts if best in (pair.first, pair.second)]
    said = []
    for pair in [pair for pair in pairs if pair.difference.value is not None][:MOST_DIFFERENCES]:
        printed, ci = contrasts.printed_difference(pair, 2), pair.difference.ci
        turned = pair.second == best
        if turned:
            printed = None if printed is None else -printed
            ci = None if ci is None else (-ci[1], -ci[0])
        said.append(
            _(
                "{first} minus {second}: {difference} {interval}, p {p}.",
                first=text.plain(pair.second if turned else pair.first),
                second=text.plain(pair.first if turned else pair.second),
                difference=text.signed(printed, 2),
                interval=text.interval_in_words(ci),
                p=text.p_value(pair.test.adjusted),
            )
        )
    return said


def _is_better(contrasts: Contrasts, judge: str, *, than: str) -> bool | None:
    """Return whether a judge is significantly better than another; None without a test."""
    pair = contrasts.between(judge, than)
    return None if pair is None or p_value(pair) is None else pair.better == judge


def _unit_of_n(contrasts: Contrasts, estimate: Estimate, *, of_pairs: bool) -> str:
    if of_pairs:
        return "pairs"
    return "systems" if counts_systems(contrasts.level, estimate) else "responses"


def p_value(pair: Contrast) -> float | None:
    """Return the p-value, corrected for its family if a correction was made."""
    return pair.test.p if pair.test.adjusted is None else pair.test.adjusted
