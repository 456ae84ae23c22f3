"""The sentences of the page of raters: who is worth a look and why, and what its table stands on."""

from __future__ import annotations

from collections.abc import Iterable

from judgelab.analysis.raters.rater_table import RaterTable
from judgelab.annotation.raters.rater_flags import Flag
from judgelab.languages import _, _n
from judgelab.ui.kit import text
from judgelab.wording import mark

MOST_NAMES = 3
R = {
    "pairwise": mark("r: mean over the other raters, as on Quality."),
    "loo": mark("r: with the mean of the others."),
}


def raters_sentence(table: RaterTable, criterion: str) -> str:
    """Return the answer: how many raters are worth a look and why, and how far the others agree."""
    looked = [(line, flags_under(line.flags, criterion)) for line in table.rows]
    odd = [(line, flags) for line, flags in looked if flags]
    reports = (line.report.criteria.get(criterion) for line, flags in looked if not flags)
    figures = (report.agreement(table.policy).value for report in reports if report is not None)
    agreeing = [value for value in figures if value is not None]
    ends = {"low": text.number(min(agreeing)), "high": text.number(max(agreeing))} if agreeing else {}
    if not odd:
        sentences = [
            _n(
                "The {n} rater shows nothing unusual.",
                "None of the {n} raters shows anything unusual.",
                len(table.rows),
            )
        ]
        if len(agreeing) > 1:
            sentences.append(_("All {n} have r {low} to {high} with the others.", n=len(agreeing), **ends))
        return " ".join(sentences)
    named = [f"**{text.plain(line.rater)}** ({', '.join(flag_texts(flags))})" for line, flags in odd]
    some = _n("{some} of {n} rater", "{some} of {n} raters", len(table.rows), some=len(odd))
    sentences = [
        _n(
            "{raters} to check: {names}.",
            "{raters} to check: {names}.",
            len(odd),
            raters=some,
            names=text.listing(named, MOST_NAMES),
        )
    ]
    if len(agreeing) > 1:
        sentences.append(
            _(
                "{n} more have r {low} to {high} with the others.",
                n=len(agreeing),
                **ends,
            )
        )
    return " ".join(sentences)


def flags_under(flags: Iterable[Flag], criterion: str) -> list[Flag]:
    """Return the flags of all work and of this criterion."""
    return [flag for flag in flags if flag.criterion in (None, criterion)]


def flag_texts(flags: Iterable[Flag]) -> list[str]:
    """Return each flag's words once."""
    return list(dict.fromkeys(text.plain(_(flag.word)) for flag in flags))


def table_note(rater_table: RaterTable, lacking: list[str]) -> str:
    """Return what has to be known of the columns, and which are left out."""
    sentences = [
        _(R[rater_table.policy.method]),
        _("Offset: difference from the mean of the others."),
        _("The others are all raters here.")
        if rater_table.filter_title is None
        else _(
            "The others are the raters kept by {rule} here.", rule=text.plain(_(rater_table.filter_title))
        ),
        _("Run: longest sequence of equal scores in order; by chance: the same scores shuffled."),
    ]
    if any(line.report.pace.source == "between ratings" for line in rater_table.rows):
        sentences.append(_("Seconds: time between ratings if the page didn't measure it."))
    if lacking:
        sentences.append(_("No {kinds} yet.", kinds=_either([_(name) for name in lacking])))
    if rater_table.imported_means:
        names = text.listing([text.plain(name) for name in rater_table.imported_means])
        sentences.append(_("Not listed: {names}, the mean of several raters.", names=names))
    sentences.append(
        _(
            "Intervals: bootstrap over items, B = {resamples}, seed {seed}.",
            resamples=str(rater_table.resamples),
            seed=str(rater_table.seed),
        )
    )
    return " ".join(sentences)


def _either(kinds: list[str]) -> str:
    if len(kinds) < 2:
        return "".join(kinds)
    return _("{names} or {last}", names=", ".join(kinds[:-1]), last=kinds[-1])
