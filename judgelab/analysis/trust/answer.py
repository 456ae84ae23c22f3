"""The answer to "can I trust this judge?" as sentences, each computed from the data and with its n."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judgelab.analysis.trust.agreement_statements import agreement_statements, alternative_test_statements
from judgelab.analysis.trust.bias_statements import bias_statements, family_statements
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.length_statements import length_statements
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.pair_statements import (
    longer_statements,
    order_statements,
    winner_statements,
)
from judgelab.analysis.trust.statements import (
    CHOICE,
    PAIR,
    RESPONSE,
    Statement,
    criterion_keys,
    criterion_labels,
    quoted_labels,
    range_of,
)
from judgelab.analysis.trust.system_order import system_statements
from judgelab.wording import Sentence, counted, joined, mark, sentence

__all__ = ["Statement", "trust_statements"]

MOST_REASONS = 3


def trust_statements(trust: JudgeTrust) -> list[Statement]:
    """Return the answer, most important sentence first, including what the data do not allow to say."""
    criteria = list(trust.criteria.values())
    if not criteria:
        text = sentence("{judge} has scored no response that has a rating.", judge=trust.judge)
        return [Statement("agreement", text, None, (), 0)]
    statements = [
        *agreement_statements(trust, criteria),
        *winner_statements(criteria),
        *alternative_test_statements(trust, criteria),
        *system_statements(criteria),
        *order_statements(criteria),
        *bias_statements(criteria),
        *length_statements(criteria),
        *longer_statements(criteria),
        *family_statements(criteria),
        *_part_statements(criteria),
        *_repeat_statements(criteria),
        *_confidence_statements(criteria),
        *_unscored_statements(trust),
    ]
    return _of_pairs(statements) if trust.of_pairs else statements


def criterion_statements(trust: JudgeTrust, measured: CriterionTrust) -> list[Statement]:
    """Return the statements about one criterion alone, including why systems can't be compared."""
    criteria = [measured]
    statements = [
        statement
        for statement in (
            *agreement_statements(trust, criteria),
            *winner_statements(criteria),
            *alternative_test_statements(trust, criteria),
            *system_statements(criteria, explain=True),
            *order_statements(criteria),
            *bias_statements(criteria),
            *length_statements(criteria),
            *longer_statements(criteria),
            *family_statements(criteria),
            *_part_statements(criteria),
            *_repeat_statements(criteria),
            *_confidence_statements(criteria),
        )
        if measured.criterion in statement.criteria
    ]
    return _of_pairs(statements) if trust.of_pairs else statements


def _of_pairs(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements with counts of pairs where they would be of responses."""
    return [replace(each, unit=PAIR) if each.unit == RESPONSE else each for each in statements]


def _part_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    statements = []
    for criterion in criteria:
        worse = [
            sentence("responses of {length} words", length=part.name) if cut == "length" else part.name
            for cut, cut_parts in criterion.parts.items()
            for part in cut_parts.slices
            if part.worse
        ]
        if worse:
            text = sentence(
                "On {criterion}, it differs more on {parts}.",
                criterion=quoted_labels([criterion.label]),
                parts=joined(worse),
            )
            statements.append(Statement("parts", text, False, (criterion.criterion,), criterion.n))
    return statements


def _repeat_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    statements = []
    for criterion in criteria:
        flips = criterion.consistency.flips
        if flips.value is not None:
            text = sentence(
                "On {criterion}, two replies about the same response differ {share} of the time.",
                criterion=quoted_labels([criterion.label]), share=f"{100 * flips.value:z.0f} %",
            )  # fmt: skip
            statements.append(Statement("repeats", text, None, (criterion.criterion,), flips.n))
    return statements


def _confidence_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    texts: list[tuple[bool, str]] = [
        (True, mark("On {criteria}, its confidence is calibrated.")),
        (False, mark("On {criteria}, its confidence is not calibrated.")),
    ]
    statements = []
    for good, template in texts:
        matching = [criterion for criterion in criteria if _is_calibrated(criterion) is good]
        if matching:
            text = sentence(template, criteria=criterion_labels(matching))
            counts = range_of(
                [criterion.calibration.ece.n for criterion in matching if criterion.calibration is not None]
            )
            unit = RESPONSE if matching[0].of_pairs is None else CHOICE
            statements.append(
                Statement("confidence", text, good, criterion_keys(matching), unit=unit, **counts)
            )
    return statements


def why_no_calibration(criterion: CriterionTrust) -> str:
    """Return why nothing can be said about the judge's confidence under a criterion."""
    label, calibration = quoted_labels([criterion.label]), criterion.calibration
    if calibration is None or calibration.ece.reason is None:
        return sentence("On {criterion}, no confidence is stored.", criterion=label)
    return sentence(
        "On {criterion}, the calibration of its confidence is not measured: {why}.",
        criterion=label, why=calibration.ece.reason,
    )  # fmt: skip


def _is_calibrated(criterion: CriterionTrust) -> bool | None:
    """Return whether a perfectly calibrated judge could show this error; None if unknown."""
    calibration = criterion.calibration
    if calibration is None or calibration.ece.value is None or calibration.by_chance.ci is None:
        return None
    return calibration.ece.value <= calibration.by_chance.ci[1]


def _reasons_phrase(counts: Mapping[str, int]) -> str:
    """Return why judgments have no score, the most frequent reasons with their numbers."""
    by_count = [
        (Sentence(reason), n) for reason, n in sorted(counts.items(), key=lambda item: -item[1])
    ]  # stored texts: only a sentence is translated within another
    if len(by_count) == 1:
        return by_count[0][0]
    named, others = by_count[:MOST_REASONS], by_count[MOST_REASONS:]
    phrases = [sentence("{why} ({n})", why=reason, n=n) for reason, n in named]
    if others:
        phrases.append(sentence("other reasons ({n})", n=sum(n for _reason, n in others)))
    return joined(phrases)


def _unscored_statements(trust: JudgeTrust) -> list[Statement]:
    if not trust.unscored:
        return []
    phrases = trust.unscored.phrases()
    if trust.unscored.failed == 0:
        text = counted(
            "{n} judgment is unscored: {why}.",
            "{n} judgments are unscored: {why}.",
            trust.unscored.total, why=_reasons_phrase(trust.unscored_reasons),
        )  # fmt: skip
    elif trust.unscored.total == trust.unscored.failed:
        text = counted("{n} judgment failed.", "{n} judgments failed.", trust.unscored.total)
    else:
        text = sentence("{n} judgments have no score: {why}.", n=trust.unscored.total, why=joined(phrases))
    return [Statement("unscored", text, False, (), 0)]
