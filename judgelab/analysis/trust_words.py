"""The answer to "can I trust this judge?" in sentences, each computed, with what it stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.analysis.criterion_trust import ABOVE, AS_GOOD, BELOW, UNCLEAR, UNKNOWN, CriterionTrust
from judgelab.analysis.trust import Trust
from judgelab.metaeval.multiplicity import adjusted
from judgelab.wording import counted, joined, mark, sentence

SURE = 0.05
STANDS = {
    AS_GOOD: mark("On {criteria}, {judge} agrees with the raters as well as they agree with one another."),
    ABOVE: mark("On {criteria}, {judge} agrees with the raters better than they agree with one another."),
    BELOW: mark("On {criteria}, {judge} agrees with the raters less than they agree with one another."),
    UNCLEAR: mark(
        "On {criteria}, the data are too few to say whether {judge} agrees with the raters as well as they "
        "agree with one another."
    ),
}
GOOD = {AS_GOOD: True, ABOVE: True, BELOW: False, UNCLEAR: None}


# Whether there is a single system, under a criterion where the others have several.
NO_ORDER = {
    True: mark("On {criterion}, it and the raters scored a single system: there is no order to compare."),
    False: mark("On {criterion}, no two systems share two items: their order cannot be compared."),
}
# Whether the raters are sure of their order of two systems, which the judge puts the other way round.
ONE_PAIR = {
    True: mark(
        "On {criterion}, it puts the two systems in the other order than the raters, who are sure of theirs."
    ),
    False: mark(
        "On {criterion}, it puts the two systems in the other order than the raters, whose own may be chance."
    ),
}


@dataclass(frozen=True)
class Statement:
    """One sentence of the answer.

    Attributes:
        about: "agreement", "stand_in", "systems", "length", "family", "parts", "repeats", "confidence" or
            "unscored": the part of the page that shows where the sentence comes from.
        text: the sentence.
        good: whether it speaks for the judge (True), against it (False), or neither.
        criteria: the criteria it is about.
        n: how many responses or items it stands on; 0 where nothing was counted.
        unit: "response" or "item".
    """

    about: str
    text: str
    good: bool | None
    criteria: tuple[str, ...]
    n: int
    unit: str = "response"

    @property
    def stands_on(self) -> str:
        """Return `n = 1,600 responses`, or nothing where nothing was counted."""
        if not self.n:
            return ""
        if self.unit == "item":
            return counted("n = {n} item", "n = {n} items", self.n)
        return counted("n = {n} response", "n = {n} responses", self.n)


def answer(found: Trust) -> list[Statement]:
    """Return the answer, most important first; what the data do not allow is said, too."""
    criteria = list(found.criteria.values())
    if not criteria:
        said = sentence("{judge} has scored nothing that people scored.", judge=found.judge)
        return [Statement("agreement", said, None, (), 0)]
    return [
        *_agreement(found, criteria),
        *_stand_in(found, criteria),
        *_systems(criteria),
        *_length(criteria),
        *_family(criteria),
        *_parts(criteria),
        *_repeats(criteria),
        *_confidence(criteria),
        *_unscored(found),
    ]


def _named(criteria: Sequence[CriterionTrust]) -> str:
    return joined([one.label for one in criteria])


def _keys(criteria: Sequence[CriterionTrust]) -> tuple[str, ...]:
    return tuple(one.criterion for one in criteria)


def _n(criteria: Sequence[CriterionTrust]) -> int:
    return min((one.n for one in criteria), default=0)


def _agreement(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    said = []
    for verdict, template in STANDS.items():
        these = [one for one in criteria if one.verdict == verdict]
        if these:
            text = sentence(template, criteria=_named(these), judge=found.judge)
            said.append(Statement("agreement", text, GOOD[verdict], _keys(these), _n(these)))
    these = [one for one in criteria if one.verdict == UNKNOWN]
    if these:
        first = these[0].beside
        why = (first.difference.reason if first is not None else None) or sentence(
            "no unit has two human ratings"
        )
        text = sentence(
            "On {criteria}, {judge} cannot be measured against the raters among themselves: {why}.",
            criteria=_named(these), judge=found.judge, why=why,
        )  # fmt: skip
        said.append(Statement("agreement", text, None, _keys(these), _n(these)))
    if found.lacking:
        labels = [found.labels.get(key, key) for key in found.lacking]
        text = sentence("{judge} has no score on {criteria}.", judge=found.judge, criteria=joined(labels))
        said.append(Statement("agreement", text, None, found.lacking, 0))
    if found.unrated:
        labels = [found.labels.get(key, key) for key in found.unrated]
        text = sentence("No rating stands beside the scores on {criteria}.", criteria=joined(labels))
        said.append(Statement("agreement", text, None, found.unrated, 0))
    return said


def _stand_in(found: Trust, criteria: Sequence[CriterionTrust]) -> list[Statement]:
    epsilon = f"{found.epsilon:g}"
    outcomes: list[tuple[bool | None, str]] = [
        (True, mark("It passes the alternative annotator test (ε = {epsilon}) on {criteria}.")),
        (False, mark("It fails the alternative annotator test (ε = {epsilon}) on {criteria}.")),
    ]
    said = []
    for passed, template in outcomes:
        these = [one for one in criteria if one.alternative.passed is passed]
        if these:
            text = sentence(template, epsilon=epsilon, criteria=_named(these))
            n = min(one.alternative.advantage.n for one in these)
            said.append(Statement("stand_in", text, passed, _keys(these), n))
    these = [one for one in criteria if one.alternative.passed is None]
    if these:
        text = sentence(
            "The alternative annotator test is not possible on {criteria}: {why}.",
            criteria=_named(these), why=these[0].alternative.winning_rate.reason,
        )  # fmt: skip
        said.append(Statement("stand_in", text, None, _keys(these), _n(these)))
    return said


def _systems(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    said = []
    several = any(one.systems is not None for one in criteria)
    for one in criteria:
        if one.systems is None or one.systems.accuracy.value is None:
            if several:
                text = sentence(NO_ORDER[one.systems is None], criterion=one.label)
                said.append(Statement("systems", text, None, (one.criterion,), one.n))
            continue
        wrong = one.systems.wrong
        # Two systems that the raters put level have no order.
        pairs = [pair for pair in one.systems.pairs if pair.human.value]
        sure = sum(pair.decided for pair in wrong)
        if not pairs:
            text = counted(
                "On {criterion}, the raters put both systems level: there is no order to find.",
                "On {criterion}, the raters put all {n} pairs of systems level: there is no order to find.",
                len(one.systems.pairs), criterion=one.label,
            )  # fmt: skip
            said.append(Statement("systems", text, None, (one.criterion,), one.systems.items, "item"))
            continue
        if not wrong:
            text = counted(
                "On {criterion}, it puts the two systems in the raters' order.",
                "On {criterion}, it puts all {n} pairs of systems in the raters' order.",
                len(pairs), criterion=one.label,
            )  # fmt: skip
        elif one.systems.lost == 0 and len(one.systems.pairs) == 1:
            text = sentence(ONE_PAIR[sure > 0], criterion=one.label)
        else:
            text = sentence(
                "On {criterion}, it puts {wrong} of {pairs} pairs of systems in another order than the "
                "raters, {sure} of which the raters are sure of.",
                criterion=one.label, wrong=len(wrong), pairs=len(one.systems.pairs), sure=sure,
            )  # fmt: skip
        # Against an order of the raters that may be chance it says nothing.
        good = None if wrong and not sure else not wrong
        said.append(Statement("systems", text, good, (one.criterion,), one.systems.items, "item"))
    return said


def _length(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    measured = [one for one in criteria if one.verbosity.slope.value is not None]
    p = adjusted(
        [np.nan if one.verbosity.test.p is None else one.verbosity.test.p for one in measured], "holm"
    )
    sides: list[tuple[Callable[[float], bool], str]] = [
        (lambda slope: slope > 0, mark("It prefers longer responses than the raters do on {criteria}.")),
        (lambda slope: slope < 0, mark("It prefers shorter responses than the raters do on {criteria}.")),
    ]
    said = []
    for side, template in sides:
        these = [
            one
            for one, value in zip(measured, p, strict=True)
            if value < SURE and side(one.verbosity.slope.value or 0.0)
        ]
        if these:
            text = sentence(template, criteria=_named(these))
            said.append(Statement("length", text, False, _keys(these), _n(these)))
    return said


def _family(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    these = [
        one
        for one in criteria
        if one.family is not None and one.family.difference.ci is not None and one.family.difference.ci[0] > 0
    ]
    if not these:
        return []
    text = sentence(
        "It is more lenient with responses of its own family on {criteria}.", criteria=_named(these)
    )
    return [Statement("family", text, False, _keys(these), _n(these))]


def _parts(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    said = []
    for one in criteria:
        worse = [
            slice_.name
            for cut in ("group", "system")
            if cut in one.parts
            for slice_ in one.parts[cut].slices
            if slice_.worse
        ]
        if worse:
            text = sentence(
                "On {criterion}, it is further off on {parts}.", criterion=one.label, parts=joined(worse)
            )
            said.append(Statement("parts", text, False, (one.criterion,), one.n))
    return said


def _repeats(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    said = []
    for one in criteria:
        flips = one.consistency.flips
        if flips.value is not None:
            text = sentence(
                "On {criterion}, two replies about the same response differ {share} of the time.",
                criterion=one.label, share=f"{100 * flips.value:.0f} %",
            )  # fmt: skip
            said.append(Statement("repeats", text, None, (one.criterion,), flips.n))
    return said


def _confidence(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    outcomes: list[tuple[bool, str]] = [
        (True, mark("On {criteria}, its confidence means what it says.")),
        (False, mark("On {criteria}, its confidence does not mean what it says.")),
    ]
    said = []
    for good, template in outcomes:
        these = [one for one in criteria if _calibrated(one) is good]
        if these:
            text = sentence(template, criteria=_named(these))
            n = min(one.calibration.ece.n for one in these if one.calibration is not None)
            said.append(Statement("confidence", text, good, _keys(these), n))
    return said


def _calibrated(one: CriterionTrust) -> bool | None:
    """Return whether the error is one that a perfectly calibrated judge might have; None where unknown."""
    seen = one.calibration
    if seen is None or seen.ece.value is None or seen.by_chance.ci is None:
        return None
    return seen.ece.value <= seen.by_chance.ci[1]


def _unscored(found: Trust) -> list[Statement]:
    if not found.unscored:
        return []
    text = counted(
        "{n} of its judgments holds no score.", "{n} of its judgments hold no score.", found.unscored
    )
    return [Statement("unscored", text, False, (), 0)]
