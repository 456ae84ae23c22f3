"""The score that a free-text reply states: "... resulting in a score of 2." is 2.

The plainest statements count: those with a label that calls itself final ("Final score: 3"), else with a
label ("Score: 3"), else sentences that give a score ("so I give it a 3"), else a number that stands alone,
first or last. Where they differ, where a later one differs, where the score is taken back, or where a range
is stated ("3 or 4"), there is no score. A number that is not stated as the score is never taken.
"""

from __future__ import annotations

import re

from judgelab.protocols.reading.doubts import after, conditional
from judgelab.protocols.reading.numbers import FRACTION, Stated, number, only_number, out_of, out_of_top
from judgelab.protocols.reading.score_forms import CLOSE, WORDS
from judgelab.protocols.reading.statements import CLOSING, Statement, statements, taken_back
from judgelab.scales import Scale
from judgelab.wording import sentence

SPELT = {word: float(value) for value, word in enumerate(WORDS)}

BROKEN = "\ufffd"  # for a letter that no database takes: it says nothing
_AROUND = re.compile(r"<[^<>\n]*>|\\boxed|[{}$]")  # marks in which models wrap a bare number
_OPENS = re.compile(
    rf"(?:(?![<≤≥≈~]|>\S)[^\w+−-])*[-−+]?\d[\d.,]*(?<![.,]){CLOSE}\s*(?:[.,:;!)(–—-](?!\d)|\n|\Z|(?:because|since|as|points?|stars?)\b)"
)


def short_score(text: str, scale: Scale, about: str = "") -> Stated:
    """Return the only number of a reply that was to hold nothing else, if it is stated as the score."""
    text = text.replace(BROKEN, " ")
    only, bare = only_number(text, scale), _AROUND.sub(" ", text).strip()
    if FRACTION.fullmatch(whole := bare.strip(" *_`\"'.")):
        return out_of_top(whole, scale)
    opening = _OPENS.match(bare)
    if only.score is None or (opening and not conditional(after(bare, opening.end()))):
        return only
    return concluding_score(bare, scale, about)._replace(rationale="")


def concluding_score(text: str, scale: Scale, about: str = "") -> Stated:
    """Return the score that the reply states, or why none can be read.

    Args:
        text: the reply.
        scale: what a score may be.
        about: the names of what is judged; a score "for style" is none of "fluency".
    """
    found = list(statements(text.replace(BROKEN, " "), about))
    stating = [one for one in found if one.rank >= CLOSING]
    if not stating:
        return Stated(None, sentence("no score is stated"))
    plainest = max(one.rank for one in stating)
    taken = [one for one in stating if one.rank == plainest]
    last = taken[-1]
    if len({_value(one.value) for one in taken}) > 1:
        return Stated(None, sentence("several different scores are stated"))
    if any(one.start > last.end and _value(one.value) != _value(last.value) for one in found):
        return Stated(None, sentence("the score stated and a later one differ"))
    if taken_back(text[last.end :]):
        return Stated(None, sentence("the score stated is taken back later"))
    return _valid(text, last, scale)


def _valid(text: str, stated: Statement, scale: Scale) -> Stated:
    if stated.ranged:
        return Stated(None, sentence("a range is stated, not a score"))
    if stated.top and _value(stated.top) != scale.high:
        return Stated(None, out_of(stated.top, scale))
    value = _value(stated.value)
    reason = sentence("no number") if value is None else scale.reject(value)
    return Stated(None, reason) if reason else Stated(value, rationale=text.strip())


def _value(text: str) -> float | None:
    return SPELT.get(text.lower(), number(text))
