"""Read the score stated in a free-text reply: "... resulting in a score of 2." is 2.

The clearest statements count: those with a label that says final ("Final score: 3"), else with a label
("Score: 3"), else sentences that give a score ("so I give it a 3"), else a number that is alone on the first
or last line. If they differ, if a later one differs, if the score is taken back, or if a range is stated
("3 or 4"), there is no score. A number that is not stated as the score is never used.
"""

from __future__ import annotations

import re

from judgelab.protocols.reading.doubts import is_conditional, sentence_after
from judgelab.protocols.reading.numbers import (
    FRACTION,
    StatedScore,
    number,
    only_number,
    score_or_fraction,
    wrong_top_reason,
)
from judgelab.protocols.reading.score_forms import CLOSE, LISTED, WORDS
from judgelab.protocols.reading.statements import CLOSING, Statement, statements, taken_back
from judgelab.scales import Scale
from judgelab.wording import sentence

SPELT = {word: float(value) for value, word in enumerate(WORDS)}

BROKEN = "\ufffd"  # replaces a character that databases cannot store
_AROUND = re.compile(r"<[^<>\n]*>|\\boxed|[{}$]")  # marks that models write around a bare number
_OPENS = re.compile(
    rf"(?:(?![<≤≥≈~]|>\S)[^\w+−-])*[-−+]?\d[\d.,]*(?<![.,]){CLOSE}\s*(?:[.,:;!)(–—-](?!\d)|\n|\Z|(?:because|since|as|points?|stars?)\b)"
)


def short_score(text: str, scale: Scale, about: str = "") -> StatedScore:
    """Return the only number of a reply that should consist of it, if it is stated as the score."""
    text = text.replace(BROKEN, " ")
    only, bare = only_number(text, scale), _AROUND.sub(" ", text).strip()
    if FRACTION.fullmatch(whole := bare.strip(" *_`\"'.")):
        return score_or_fraction(whole, scale)
    opening = _OPENS.match(bare)
    if only.score is None or (opening and not is_conditional(sentence_after(bare, opening.end()))):
        return only
    return concluding_score(bare, scale, about)._replace(rationale="")


def concluding_score(text: str, scale: Scale, about: str = "") -> StatedScore:
    """Return the score stated in the reply, or why none can be read.

    Args:
        text: the reply.
        scale: the scale of the score.
        about: the names of the criterion; a score "for style" is not one for "fluency".
    """
    all_statements = list(statements(text.replace(BROKEN, " "), about))
    stating = [statement for statement in all_statements if statement.rank >= CLOSING]
    if not stating:
        return StatedScore(None, sentence("no score is stated"))
    plainest = max(statement.rank for statement in stating)
    taken = [statement for statement in stating if statement.rank == plainest]
    last = taken[-1]
    if len({_value(statement.value) for statement in taken}) > 1:
        return StatedScore(None, sentence("several different scores are stated"))
    if any(
        statement.start > last.end and _value(statement.value) != _value(last.value)
        for statement in all_statements
    ):
        return StatedScore(None, sentence("the stated score differs from a later one"))
    if plainest == CLOSING and {_value(listed["value"]) for listed in LISTED.finditer(text)} - {
        _value(last.value)
    }:
        return StatedScore(None, sentence("several different scores are stated"))
    if taken_back(text[last.end :]):
        return StatedScore(None, sentence("the stated score is taken back later"))
    return _valid(text, last, scale)


def _valid(text: str, stated: Statement, scale: Scale) -> StatedScore:
    if stated.ranged:
        return StatedScore(None, sentence("a range is stated, not a score"))
    if stated.top and _value(stated.top) != scale.high:
        return StatedScore(None, wrong_top_reason(stated.top, scale))
    value = _value(stated.value)
    reason = sentence("no number") if value is None else scale.reject(value)
    return StatedScore(None, reason) if reason else StatedScore(value, rationale=text.strip())


def _value(text: str) -> float | None:
    return SPELT.get(text.lower(), number(text))
