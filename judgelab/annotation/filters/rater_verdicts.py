"""Verdicts on raters from the rounds of removal: one per rater, with its reason as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from judgelab.annotation.filters.outcome import RaterVerdict
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResult
from judgelab.annotation.filters.rater_removal import Removal, RemovalRound
from judgelab.metaeval.core.arrays import Bools
from judgelab.scales import why_no_order
from judgelab.wording import counted, joined, mark, sentence


class ComparedNumbers(NamedTuple):
    """A value and its limit as a sentence shows them."""

    value: str
    limit: str


class Terms(NamedTuple):
    """The words in which reasons about one kind of units are given.

    Args:
        below: for an agreement below the threshold, by method.
        constant: for a rater who gave one score.
        few: for too few shared units, in an agreement with all others.
        few_pairwise: the same in an agreement with every other rater.
    """

    below: Mapping[str, str]
    constant: str
    few: str
    few_pairwise: str


BELOW_THRESHOLD = {
    "pairwise": mark("{name}: mean r with the other raters {found} is below {asked} ({company})"),
    "loo": mark("{name}: r with the mean of the other raters {found} is below {asked} ({company})"),
}
KAPPA_BELOW_THRESHOLD = {
    "pairwise": mark("{name}: mean κ with the other raters {found} is below {asked} ({company})"),
    "loo": mark("{name}: κ with the majority of the other raters {found} is below {asked} ({company})"),
}
ORDERED = Terms(
    BELOW_THRESHOLD,
    mark("the same score on all shared responses counts as 0"),
    mark("fewer than {least} responses shared with raters who vary on them"),
    mark("no rater who varies shares {least} responses"),
)
LABELS = ORDERED._replace(
    below=KAPPA_BELOW_THRESHOLD, constant=mark("the same label for all shared responses counts as 0")
)
PAIRS = Terms(
    KAPPA_BELOW_THRESHOLD,
    mark("the same choice in all shared pairs counts as 0"),
    mark("fewer than {least} pairs shared with raters who vary on them"),
    mark("no rater who varies shares {least} pairs"),
)


def rater_verdicts(
    removal: Removal,
    policy: FilterPolicy,
    *,
    names: Sequence[str],
    criterion: str,
    elsewhere: Mapping[int, str],
    controls: Mapping[str, ControlResult],
    ordered: bool = True,
    compared: bool = False,
) -> list[RaterVerdict]:
    """Return a verdict for each rater of the criterion.

    Args:
        removal: the rounds.
        policy: the filter.
        names: names of all raters by number.
        criterion: its key.
        elsewhere: raters who failed under another criterion of a filter for "all", with that criterion.
        controls: results of degraded copies and repeats by rater's name.
        ordered: whether the criterion's scores have an order; agreement is Cohen's kappa otherwise.
        compared: whether the units are pairs of responses that raters compared.
    """
    removal_rounds = _round_of_removal(removal.rounds)
    terms = ORDERED if ordered else PAIRS if compared else LABELS
    verdicts = []
    for rater in map(int, np.flatnonzero(removal.rounds[0].present)):
        number = removal_rounds.get(rater)
        deciding = removal.rounds[number - 1 if number else -1]
        scores = deciding.scores
        reason: str | None
        if not ordered and policy.control == "hit":
            reason = _with_decision(_unassessed(names[rater], why_no_order(criterion)), removed=False)
        elif deciding.by_control:
            reason = _control_reason(
                controls.get(names[rater]), policy, name=names[rater], removed=number is not None
            )
        else:
            reason = _agreement_reason(
                rater, deciding, policy, terms, name=names[rater], removed=number is not None
            )
        if number is None and rater in elsewhere:
            reason = sentence(
                "{name}: removed under {criterion}, and the filter applies to all criteria",
                name=names[rater],
                criterion=elsewhere[rater],
            )
        verdicts.append(
            RaterVerdict(
                names[rater],
                criterion,
                _float_or_none(scores.score[rater]),
                _float_or_none(removal.rounds[0].scores.score[rater]),
                int(scores.partners[rater]),
                int(scores.shared[rater]),
                reason,
                number is None and rater not in elsewhere,
                number,
            )
        )
    return verdicts


def _round_of_removal(rounds: Sequence[RemovalRound]) -> dict[int, int]:
    return {
        int(rater): number
        for number, removal_round in enumerate(rounds, 1)
        for rater in np.flatnonzero(removal_round.removed)
    }


def _control_reason(
    control: ControlResult | None, policy: FilterPolicy, *, name: str, removed: bool
) -> str | None:
    if control is not None and control.passed:
        return None
    if control is None:
        no_copies = sentence(
            "no degraded copy rated alongside its original; {needed} are needed", needed=policy.hit_pairs
        )
        return _with_decision(sentence("{name}: {reason}", name=name, reason=no_copies), removed=removed)
    if control.passed is None:
        return _with_decision(_unassessed(name, control.reason), removed=removed)
    return sentence("{name}: {reason}", name=name, reason=control.reason)


def _agreement_reason(
    rater: int, deciding: RemovalRound, policy: FilterPolicy, terms: Terms, *, name: str, removed: bool
) -> str | None:
    score = deciding.scores.score[rater]
    if np.isnan(score):
        reason = _why_unassessed(rater, deciding, policy, terms)
        return _with_decision(_unassessed(name, reason), removed=removed)
    failed = score < policy.threshold
    if not failed:
        return None
    value, limit = compared_numbers(score, policy.threshold)
    details = [
        counted("{n} other rater", "{n} other raters", int(deciding.scores.partners[rater])),
        counted("{n} rating compared", "{n} ratings compared", int(deciding.scores.shared[rater])),
    ]
    if deciding.scores.constant[rater]:
        details.append(sentence(terms.constant))
    reason = sentence(
        terms.below[policy.method], name=name, found=value, asked=limit, company=joined(details)
    )
    return reason if removed else sentence("{reason}; one of the last two raters, so kept", reason=reason)


def _unassessed(name: str, reason: str) -> str:
    return sentence("{name}: not assessed, {reason}", name=name, reason=reason)


def _with_decision(reason: str, *, removed: bool) -> str:
    return (
        sentence("{reason}; removed", reason=reason) if removed else sentence("{reason}; kept", reason=reason)
    )


def _why_unassessed(rater: int, deciding: RemovalRound, policy: FilterPolicy, terms: Terms) -> str:
    others: Bools = deciding.present.copy()
    others[rater] = False
    if not others.any():
        return sentence("there is no other rater")
    if policy.method == "loo":
        return sentence(terms.few, least=policy.min_overlap)
    return sentence(terms.few_pairwise, least=policy.min_overlap)


def compared_numbers(value: float, limit: float) -> ComparedNumbers:
    """Return both numbers with the decimals of the limit, at least two, and more if they look equal."""
    decimals = len(f"{limit:.10g}".partition(".")[2])
    for digits in range(max(2, decimals), 12):
        left, right = f"{value:.{digits}f}", f"{limit:.{digits}f}"
        if left != right:
            break
    return ComparedNumbers(left, right)


def _float_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
