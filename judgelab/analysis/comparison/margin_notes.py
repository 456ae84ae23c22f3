"""In words, up to which difference of scores a judge of single responses is taken to choose a tie."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab.metaeval.core.tie_margin import NOT_SCORED, TieMargin
from judgelab.wording import Sentence, counted, sentence


def margin_notes(margins: Mapping[str, TieMargin], examples: int) -> tuple[Sentence, ...]:
    """Return a sentence a judge on its margin, or one for all; then how many example pairs are left out.

    Args:
        margins: the margins by name of the judge or metric.
        examples: number of pairs on which a margin was chosen.
    """
    reasons = {margin.reason for margin in margins.values()}
    if None not in reasons and reasons != {NOT_SCORED} and len(reasons) == 1:
        return (
            sentence(
                "A judge's scores count as a tie only if they are equal: {reason}.", reason=reasons.pop()
            ),
        )
    notes = [_note(name, margin) for name, margin in sorted(margins.items())]
    return (*notes, *([_left_out(examples)] if examples else []))


def _note(name: str, margin: TieMargin) -> Sentence:
    if margin.reason is not None:
        words = {"name": name, "reason": margin.reason}
        return sentence("“{name}”: only equal scores count as a tie; {reason}.", **words)
    pairs = counted("{n} example pair", "{n} example pairs", margin.pairs)
    if not margin.points:
        return sentence(
            "“{name}”: only equal scores count as a tie (chosen on {pairs}).", name=name, pairs=pairs
        )
    return sentence(
        "“{name}”: a difference of at most {points} points counts as a tie (chosen on {pairs}).",
        name=name,
        points=f"{margin.points:.3g}",
        pairs=pairs,
    )


def _left_out(examples: int) -> Sentence:
    return counted(
        "{n} pair of the group “examples” is left out of the agreement, because a margin was chosen on it.",
        "{n} pairs of the group “examples” are left out of the agreement, because a margin was chosen on "
        "them.",
        examples,
    )
