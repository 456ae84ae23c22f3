"""The sentences of the page *Raters*: whom to check and why, and notes on its table."""

from __future__ import annotations

from collections.abc import Iterable

from judgelab.analysis.raters.rater_table import RaterRow, RaterTable
from judgelab.annotation.raters.rater_flags import Flag
from judgelab.languages import _, _n
from judgelab.metaeval.raters.spamming import hardly_identified, not_converged
from judgelab.ui.kit import text
from judgelab.ui.quality.words import MODAL_SHARE
from judgelab.wording import mark

MOST_NAMES = 3
ORDER = mark("order of rating")  # missing where ratings have no times
R_MEANINGS = {
    "pairwise": mark("r is the mean of a rater's correlations with the others."),
    "loo": mark("r is a rater's correlation with the mean of the others."),
}


def raters_sentence(table: RaterTable, criterion: str) -> str:
    """Return the page's headline: whom to check and why, and of comparisons, whom the filter removes."""
    removed = table.removed_by_kappa.get(criterion, ())
    if not removed:
        return _flags_sentence(table, criterion)
    names = text.listing([f"**{text.plain(name)}**" for name in removed], MOST_NAMES)
    anyone_flagged = any(flags_under(row.flags, criterion) for row in table.rows)
    words = (WOULD_REMOVE if table.filter_title is None else REMOVES)[anyone_flagged]
    removal = _(words, names=names, limit=text.number(table.policy.threshold))
    if anyone_flagged:
        return f"{_flags_sentence(table, criterion)} {removal}"
    agreements = _agreements(table, criterion, table.rows)
    if len(agreements) < 2:
        return removal
    range_text = _("The raters' r with the others is {range}.", range=text.number_range(agreements))
    return f"{removal} {range_text}"


def _flags_sentence(table: RaterTable, criterion: str) -> str:
    """Return how many raters to check and why, and how far the others agree."""
    rows_with_flags = [(row, flags_under(row.flags, criterion)) for row in table.rows]
    flagged = [(row, flags) for row, flags in rows_with_flags if flags]
    agreements = _agreements(table, criterion, [row for row, flags in rows_with_flags if not flags])
    if not flagged:
        elsewhere = any(row.flags for row in table.rows)
        sentences = [
            _n(
                "The {n} rater shows nothing unusual under this criterion.",
                "None of the {n} raters shows anything unusual under this criterion.",
                len(table.rows),
            )
            if elsewhere
            else _n(
                "The {n} rater shows nothing unusual.",
                "None of the {n} raters shows anything unusual.",
                len(table.rows),
            )
        ]
        if len(agreements) == len(table.rows) == 2:
            sentences.append(
                _("They agree with each other at r {range}.", range=text.number_range(agreements))
            )
        elif len(agreements) > 1:
            sentences.append(_("Their r with the others is {range}.", range=text.number_range(agreements)))
        return " ".join(sentences)
    names = [f"**{text.plain(row.rater)}** ({', '.join(flag_texts(flags))})" for row, flags in flagged]
    sentences = [
        _n(
            "Check the only rater: {names}.",
            "Check {some} of the {n} raters: {names}.",
            len(table.rows),
            some=len(flagged),
            names=text.listing(names, MOST_NAMES),
        )
    ]
    if len(agreements) > 1:
        sentences.append(
            _(
                "For the other {n}, r is {range}.",
                n=len(agreements),
                range=text.number_range(agreements),
            )
        )
    return " ".join(sentences)


def _agreements(table: RaterTable, criterion: str, rows: Iterable[RaterRow]) -> list[float]:
    """Return the agreement of each of these raters with the others, where it is defined."""
    reports = (row.report.criteria.get(criterion) for row in rows)
    values = (report.agreement(table.policy).value for report in reports if report is not None)
    return [value for value in values if value is not None]


def flags_under(flags: Iterable[Flag], criterion: str) -> list[Flag]:
    """Return the flags about this criterion and those about no criterion in particular."""
    return [flag for flag in flags if flag.criterion in (None, criterion)]


def flag_texts(flags: Iterable[Flag]) -> list[str]:
    """Return the flags' texts without duplicates."""
    return list(dict.fromkeys(text.plain(_(flag.word)) for flag in flags))


CHOICES_AS_NUMBERS = mark(
    "For r and the offset, a choice counts 1 for the response whose system comes first by name, −1 for the "
    "other and 0 for a tie, so r is not the κ that the quality filter uses."
)
# By whether any rater has a warning.
WOULD_REMOVE = {
    True: mark("The usual quality filter (κ below {limit}) would remove {names}."),
    False: mark(
        "No rater has a warning, but the usual quality filter (κ below {limit}) would remove {names}."
    ),
}
REMOVES = {
    True: mark("The quality filter in use, which uses κ instead of r, removes {names}."),
    False: mark(
        "No rater has a warning, but the quality filter in use, which uses κ instead of r, removes {names}."
    ),
}


def table_note(rater_table: RaterTable, missing: list[str], criterion: str) -> str:
    """Return the notes on the table: what its columns mean, which are missing, who is not listed.

    Labels without an order have neither r nor an offset.
    """
    ordered = rater_table.scales[criterion].ordered
    r_and_offset = [
        _(R_MEANINGS[rater_table.policy.method]),
        _("Offset is the difference from the mean of the others, in points."),
    ]
    sentences = [
        *(r_and_offset if ordered else []),
        *([_(CHOICES_AS_NUMBERS)] if rater_table.form == "pairwise" else []),
        _("“The others” are all other raters of this project.")
        if rater_table.filter_title is None
        else _(
            "“The others” are the raters that the filter keeps ({rule}). Responses that it removes are "
            "included.",
            rule=text.plain(_(rater_table.filter_title)),
        ),
    ]
    given = "choice" if rater_table.form == "pairwise" else "score" if ordered else "label"
    sentences.append(_(MODAL_SHARE[given]))
    if ORDER not in missing:
        streak = (
            _(
                "Streak is the longest run of equal scores; “by chance” is the longest to expect "
                "if they were shuffled."
            )
            if ordered
            else _(
                "Streak is the longest run of equal labels; “by chance” is the longest to expect "
                "if they were shuffled."
            )
        )
        sentences.append(streak)
    if any(row.report.pace.source == "between ratings" for row in rater_table.rows):
        sentences.append(
            _("s is the median time per screen in seconds, or between ratings if screens were not timed.")
        )
    reports = [report for row in rater_table.rows if (report := row.report.criteria.get(criterion))]
    if any(report.spamming.value is not None for report in reports):
        sentences.append(
            _(
                "P(spam) is the probability that a rater chooses without regard to the responses. MACE "
                "estimates it from all pairs that two or more raters compared."
            )
            if rater_table.form == "pairwise"
            else _(
                "P(spam) is the probability that a rater gives a label without regard to the response. MACE "
                "estimates it from all responses that two or more raters labelled."
            )
        )
    for caution in (hardly_identified, not_converged):
        if note := caution(report.spamming for report in reports):
            sentences.append(_(note))
    if missing:
        sentences.append(
            _("The data have no {kinds} yet.", kinds=_joined_with_or([_(name) for name in missing]))
        )
    if rater_table.imported_means:
        names = text.listing([text.plain(name) for name in rater_table.imported_means])
        sentences.append(_("Not listed: {names}, the mean of several raters.", names=names))
    sentences.append(
        _(
            "Intervals: bootstrap over items, B = {resamples}, seed {seed}.",
            resamples=rater_table.resamples,
            seed=str(rater_table.seed),
        )
    )
    return " ".join(sentences)


def _joined_with_or(kinds: list[str]) -> str:
    if len(kinds) < 2:
        return "".join(kinds)
    return _("{names} or {last}", names=", ".join(kinds[:-1]), last=kinds[-1])
