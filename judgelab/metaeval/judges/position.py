"""Position bias: a judge's verdicts on pairs when the two answers change places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.inference.significance import Test, binomial, mcnemar_p
from judgelab.wording import sentence

FIRST, SECOND, TIE = "first", "second", "tie"


@dataclass(frozen=True)
class PositionBias:
    """Verdicts on pairs that were shown in both orders.

    Args:
        consistency: share of pairs with the same winner (or a tie) in both orders.
        first_rate: share of decided verdicts that name the answer shown first.
        first_test: exact test of that share being one half.
        always_first: pairs on which whichever answer came first won.
        always_second: pairs on which whichever came second won.
        swap_test: McNemar's exact test of these two counts.
        accuracy_consistent: share of consistent pairs on which judge and humans agree.
        accuracy_tied: the same over all pairs, an inconsistent one counting as a tie.
    """

    consistency: Estimate
    first_rate: Estimate
    first_test: Test
    always_first: int
    always_second: int
    swap_test: Test
    accuracy_consistent: Estimate
    accuracy_tied: Estimate


def position_bias(
    verdict: Sequence[str], swapped: Sequence[str], human: Sequence[str | None] | None = None
) -> PositionBias:
    """Return the position bias of verdicts on the same pairs in both orders.

    Args:
        verdict: "first", "second" or "tie": the slot chosen with the answers in their order.
        swapped: the slot chosen with the two answers exchanged.
        human: what the humans chose, in the slots of `verdict`; None where unknown.

    Raises:
        ValueError: the sequences differ in length.

    Example: the ten golden pairs have a consistency of 0.7, a first-slot rate of 11/17 (p = .33), two pairs
    that the first slot always wins and none that the second does.
    """
    pairs = list(zip(verdict, swapped, strict=True))
    n, nothing = len(pairs), sentence("no pair was judged in both orders")
    exchanged = {FIRST: SECOND, SECOND: FIRST, TIE: TIE}
    same = np.array([slot_given == exchanged[slot_swapped] for slot_given, slot_swapped in pairs], dtype=bool)
    slots = [slot for pair in pairs for slot in pair if slot != TIE]
    rate, rate_test = binomial(slots.count(FIRST), len(slots), nothing=nothing)
    first, second = pairs.count((FIRST, FIRST)), pairs.count((SECOND, SECOND))
    swap = Test("mcnemar", mcnemar_p(first, second), n=n, params={"discordant": (first, second)})
    if not n:
        swap = Test("mcnemar", None, reason=nothing)
    consistent = undefined(sentence("no human choice is known"))
    tied = consistent
    if human is not None:
        with_choice = [k for k, choice in enumerate(human) if choice is not None]
        right = [k for k in with_choice if same[k] and pairs[k][0] == human[k]]
        consistent_known = [k for k in with_choice if same[k]]
        right_or_tie = [k for k in with_choice if (pairs[k][0] if same[k] else TIE) == human[k]]
        consistent = share(
            len(right), len(consistent_known), nothing=sentence("no consistent pair has a human choice")
        )
        tied = share(len(right_or_tie), len(with_choice), nothing=sentence("no human choice is known"))
    consistency = share(int(same.sum()), n, nothing=nothing)
    return PositionBias(consistency, rate, rate_test, first, second, swap, consistent, tied)
