"""What *Patterns* says of a judge's disagreements with the raters, in words."""

from __future__ import annotations

from judgelab.analysis.disagreement import pair_parts
from judgelab.analysis.disagreement.patterns import DisagreementPatterns
from judgelab.languages import _, _n
from judgelab.metaeval.core.statistic_defaults import ANSWERS, LABELS, defaults_for_scale
from judgelab.metaeval.judges.large_disagreements import DisagreementRate
from judgelab.scales import Scale
from judgelab.ui.kit import text
from judgelab.wording import mark

CUTS = {
    "group": mark("Group"),
    "system": mark("System"),
    "length": mark("Length in words"),
    "words": mark("Words in common"),
    "mode": mark("Failure mode"),
}
CUTS_OF_PAIRS = {
    "group": mark("Group"),
    "system": mark("Systems of the pair"),
    "length": mark("Difference in words"),
    "choice": mark("Raters' choice"),
    "raters": mark("Raters"),
    "order": mark("Order shown to the judge"),
    "words": mark("Words in common"),
}
PHRASES = {  # of a part of the responses in a sentence
    "group": mark("responses in the group “{name}”"),
    "system": mark("responses by “{name}”"),
    "length": mark("responses of {name} words"),
    "words": mark("responses with words such as “{name}”"),
    "mode": mark("responses tagged “{name}”"),
}
PHRASES_OF_PAIRS = {
    "group": mark("pairs in the group “{name}”"),
    "system": mark("pairs of “{name}”"),
    "length": mark("pairs whose responses differ by {name} words"),
    "words": mark("pairs with words such as “{name}”"),
}
PARTS_OF_PAIRS = {
    pair_parts.LONGER: mark("pairs in which the raters chose the longer response"),
    pair_parts.SHORTER: mark("pairs in which the raters chose the shorter response"),
    pair_parts.EVEN: mark("pairs with responses of equal length"),
    pair_parts.A_WINNER: mark("pairs in which the raters chose a winner"),
    pair_parts.A_TIE: mark("pairs in which the raters chose a tie"),
    pair_parts.UNANIMOUS: mark("pairs on which all raters agree"),
    pair_parts.DIVIDED: mark("pairs on which the raters are divided"),
    pair_parts.FIRST_SHOWN: mark("pairs in which it saw the raters' choice first"),
    pair_parts.OTHER_SHOWN: mark("pairs in which it saw the raters' choice second"),
    pair_parts.SAME_IN_BOTH: mark("pairs in which it chose the same in both orders"),
    pair_parts.OTHER_IN_BOTH: mark("pairs in which its choice changed with the order"),
}


def cut_name(patterns: DisagreementPatterns, cut: str) -> str:
    """Return by what the data are split, in the reader's language."""
    return _((CUTS if patterns.pairs is None else CUTS_OF_PAIRS)[cut])


def patterns_sentence(patterns: DisagreementPatterns, scale: Scale) -> str:
    """Return in one sentence how often judge and raters are far apart, and where significantly more often."""
    if patterns.pairs is not None and not patterns.n:
        return _("No pair was compared by both the raters and this judge.")
    finding = _left_out(patterns, _finding(patterns, scale))
    frequent_parts = [
        _("{part} ({far} of {n})", part=_part_phrase(patterns, cut, part.name), far=part.far, n=part.n)
        for cut, parts in patterns.rates_by_cut.items()
        for part in parts
        if part.is_more_frequent
    ]
    if not frequent_parts and not patterns.n_large:
        return f"{finding}."
    if not frequent_parts:
        return _("{finding}; no subset of the data has significantly more of them.", finding=finding)
    return _(
        "{finding}, significantly more often for {parts}.",
        finding=finding,
        parts=text.listing(frequent_parts),
    )


def _finding(patterns: DisagreementPatterns, scale: Scale) -> str:
    numbers = {"judge": text.plain(patterns.judge), "far": text.count(patterns.n_large)}
    if patterns.pairs is not None:
        n = _n("the {n} pair that has one", "the {n} pairs that have one", patterns.n)
        return _("**{judge}** disagrees with the raters' majority in **{far}** of {n}", n=n, **numbers)
    numbers["n"] = _n("{n} response", "{n} responses", patterns.n)
    wording = defaults_for_scale(scale).wording
    if wording == LABELS:
        return _("**{judge}** and the raters give different labels on **{far}** of {n}", **numbers)
    if wording == ANSWERS:
        return _("**{judge}** gives the opposite answer to the raters on **{far}** of {n}", **numbers)
    return _(
        "**{judge}** and the raters are {points} or more apart on **{far}** of {n}",
        points=text.points(patterns.large_from),
        **numbers,
    )


def _left_out(patterns: DisagreementPatterns, finding: str) -> str:
    """Return the finding with the counts of what it leaves out."""
    counts = patterns.left_out
    unscored = patterns.without_score.failed or (patterns.without_score and not patterns.missing)
    if patterns.pairs is not None and patterns.undecided and not patterns.missing:
        return _n(
            "{finding} ({n} more has none)",
            "{finding} ({n} more have none)",
            patterns.undecided,
            finding=finding,
        )
    if counts and (unscored or patterns.pairs is not None):
        phrases = text.plain(", ".join(map(_, counts)))
        return _("{finding} ({counts})", finding=finding, counts=phrases)
    if patterns.missing:
        return _n(
            "{finding} ({n} more rated response has no score from it)",
            "{finding} ({n} more rated responses have no score from it)",
            patterns.missing,
            finding=finding,
        )
    return finding


def _part_phrase(patterns: DisagreementPatterns, cut: str, part: str) -> str:
    """Return the name of a part of the data, as used in a sentence."""
    if patterns.pairs is not None and cut in ("choice", "raters", "order"):
        return _(PARTS_OF_PAIRS[part])
    phrases = PHRASES if patterns.pairs is None else PHRASES_OF_PAIRS
    return _(phrases[cut], name=text.plain(_(part) if cut == "mode" else part))


def part_row(patterns: DisagreementPatterns, cut: str, part: DisagreementRate) -> dict[str, str]:
    """Return a part's row of the table."""
    own_words = cut in ("mode", "choice", "raters", "order")  # others are names in the data
    return {
        "Cut": cut_name(patterns, cut),
        "Part": _(part.name) if own_words else part.name,
        "Far": f"{part.far:,} / {part.n:,}",
        "Share": f"{text.share(part.far, part.n)} {_interval_text(part.share.ci)}",
        "Elsewhere": ""
        if part.elsewhere.value is None
        else f"{text.per_cent(part.elsewhere.value)} (n {text.count(part.elsewhere.n)})",
        "Difference": text.signed(part.difference, 2),
        "p": text.p_value(part.test.adjusted),
    }


def _interval_text(ci: tuple[float, float] | None) -> str:
    return "" if ci is None else f"[{100 * ci[0]:z.0f}, {100 * ci[1]:z.0f}]"
