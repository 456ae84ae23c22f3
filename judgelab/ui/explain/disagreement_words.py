"""The sentence on how far apart judge and raters are."""

from __future__ import annotations

from judgelab.languages import _, _n
from judgelab.metaeval.core.statistic_defaults import ANSWERS, LABELS, defaults_for_scale
from judgelab.scales import scale_from_json
from judgelab.ui.explain.disagreement_list import DisagreementList
from judgelab.ui.kit import text


def disagreements_sentence(disagreements: DisagreementList) -> str:
    """Return on how many responses judge and raters are far apart, for the page's header."""
    sizes = disagreements.sizes
    if not sizes.n:
        return ""
    large = (
        _n(
            "{some} of {n} response that both scored",
            "{some} of {n} responses that both scored",
            sizes.n,
            some=sizes.n_large,
        )
        if sizes.n_large
        else _n(
            "none of the {n} response that both scored",
            "none of the {n} responses that both scored",
            sizes.n,
        )
    )
    words = {"judge": text.plain(disagreements.judge), "responses": large}
    wording = defaults_for_scale(scale_from_json(disagreements.criterion.scale)).wording
    if wording == LABELS:
        return _("{judge} and the raters give different labels on {responses}", **words)
    if wording == ANSWERS:
        opposite = _("{judge} and the raters give opposite answers on {responses}", **words)
        if not sizes.n_smaller:
            return opposite
        # “Higher” and “lower” count these too; a mean of the raters between two answers is neither.
        return _n(
            "{opposite}; on {n}, they differ in part, because the raters differ among themselves or the "
            "judge's replies do",
            "{opposite}; on {n}, they differ in part, because the raters differ among themselves or the "
            "judge's replies do",
            sizes.n_smaller,
            opposite=opposite,
        )
    words |= {"distance": text.points(sizes.large), "largest": text.points(sizes.largest)}
    if not sizes.n_large:
        return _("{judge} and the raters are {distance} or more apart on {responses}", **words)
    return _(
        "{judge} and the raters are {distance} or more apart on {responses}; the largest difference, "
        "{largest}, occurs on {n} of them",
        n=text.count(sizes.n_largest),
        **words,
    )
