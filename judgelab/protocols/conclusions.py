"""The score with which a free-text reply concludes: "... resulting in a score of 2." is 2.

Three kinds of statement count, the surest first: a number with a label ("Score: 3", "earning a score of 4"),
a fraction whose lower part is the top of the scale ("4/5"), a number that stands alone at the end.
Where statements of one kind differ, the one that ends the reply is the conclusion; where none ends it, or a
range is stated ("3 or 4"), there is no score. The first number that happens to stand there is never taken.
"""

from __future__ import annotations

import re

from judgelab.protocols.numbers import Stated, number, out_of
from judgelab.scales import Scale
from judgelab.wording import sentence

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
SPELT = {word: float(value) for value, word in enumerate(WORDS)}
NUMBER = rf"(?:[-−+]?\d+(?:,\d{{3}})*(?:\.\d+)?(?![\w%]|[.,]\d)|(?:{'|'.join(WORDS)})\b)"
GAP = r"(?:-\s|[\s:=*_(\[\"'`])"
FILLER = (
    r"(?:of|is|it|its|as|a|an|the|this|that|would|will|be|at|to|with|given|assigned|overall|only|just"
    r"|summary|answer|response)\b"
)
CRITERION = r"for\s+[^\W\d]+(?:\s+[^\W\d]+)?\s*(?:\bis\b|:|=)"
# Not "scored": in the texts that are judged, footballers do that.
LABEL = (
    r"\b(?:scor(?:e|es|ing)|rat(?:e|es|ed|ing)|grad(?:e|es|ed|ing)"
    r"|give(?:s|n)?\s+(?:it|this)|(?:gets|earns|receives|deserves)\s+an?)\b"
)
TAIL = (
    rf"(?P<value>{NUMBER})"
    rf"(?P<range>\s*(?:-|–|—|\bto\b|\bor\b)\s*\d)?"
    rf"(?:\s*(?:/|\bout\s+of\b|\bof\b)\s*(?P<top>{NUMBER}))?"
)
# "scores 2 goals" states no score: after the number comes a stop or a word that leads on.
END = r"(?=[ \t]*(?:$|[^\w \t]|_|(?:for|because|since|as|due|on|given|based|and|but|so|points?|stars?)\b))"
LABELLED = re.compile(rf"{LABEL}{GAP}*(?:(?:{FILLER}|{CRITERION}){GAP}*){{0,5}}{TAIL}{END}", re.IGNORECASE)
FRACTION = re.compile(
    rf"(?<![\w./-])(?P<value>{NUMBER})(?P<range>(?!))?\s*(?:/|\bout\s+of\b)\s*(?P<top>{NUMBER}){END}",
    re.IGNORECASE,
)
ALONE = re.compile(
    rf"(?:^|[.!?;]\s|[:\n(\[*])\s*[*_]*(?P<value>{NUMBER})(?P<range>(?!))?(?P<top>(?!))?[\s*_)\].!\"'`]*$",
    re.IGNORECASE,
)
LONGEST_TAIL = 80  # "... out of 5 for perfect consistency." still ends with its score


def concluding_score(text: str, scale: Scale) -> Stated:
    """Return the score that the reply states at its end, or why none can be read."""
    labelled = list(LABELLED.finditer(text))
    fractions = [match for match in FRACTION.finditer(text) if _value(match["top"]) == scale.high]
    alone = ALONE.search(text, max(0, len(text) - LONGEST_TAIL))
    if alone and _value((labelled or fractions or [alone])[-1]["value"]) != _value(alone["value"]):
        return Stated(None, sentence("the score stated and the number at the end differ"))
    for statements in (labelled, fractions, [alone] if alone else []):
        if statements:
            return _concluded(text, statements, scale)
    return Stated(None, sentence("no score is stated"))


def _concluded(text: str, statements: list[re.Match[str]], scale: Scale) -> Stated:
    last = statements[-1]
    if len({_value(match["value"]) for match in statements}) > 1 and not _ends(text, last):
        return Stated(None, sentence("several scores are stated and none of them ends the reply"))
    if last["range"]:
        return Stated(None, sentence("a range is stated, not a score"))
    if last["top"] and _value(last["top"]) != scale.high:
        return Stated(None, out_of(last["top"], scale))
    value = _value(last["value"])
    reason = sentence("no number") if value is None else scale.reject(value)
    return Stated(None, reason) if reason else Stated(value, rationale=text.strip())


def _ends(text: str, match: re.Match[str]) -> bool:
    rest = text[match.end() :]
    return len(rest) <= LONGEST_TAIL and not re.search(r"\d", rest)


def _value(text: str | None) -> float | None:
    if text is None:
        return None
    return SPELT.get(text.lower(), number(text))
