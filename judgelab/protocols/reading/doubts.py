"""Sentences that name a score, a word or a letter without giving it: "not a 5", "a 4 if it named the date".

A sentence is looked at where a verdict seems to be stated in it: what stands before within the sentence and
within its clause, and what follows. In doubt it states nothing.
"""

from __future__ import annotations

import re

WINDOW = 400  # characters of a sentence that are looked at on either side
_BREAK = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s)|\n|\A")
_ENDS = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s|\Z)|\n|\Z")
_CLAUSE = re.compile(
    r"[,;:()–—]|\s-\s|\b(?:but|so|therefore|thus|hence|because|since|and|yet|however|while|whereas)\b",
    re.IGNORECASE,
)
# The sentence supposes what is not so.
_SUPPOSED = re.compile(
    r"(?:\A|[,;:(–—\d]|\s-\s|\b(?:but|and|so|or|even|only|that|think|because|as)\b)[\s\"'“*_>#-]*(?:if|unless|otherwise|suppose"
    r"|supposing|imagine|assuming|in\s+case|(?:had|were|should|did)\s+(?:it|the|this|there|they))\b"
    r"|\A[\s>#*_\"'“(-]*(?:with|without|once|when|whenever|until|but\s+for|under|even|add"
    r"|fix|name|mention|include|correct|remove|cite|one\s+more|(?:some|a\s+(?:bit|little))\s+more|more)\b",
    re.IGNORECASE,
)
_IF = re.compile(rf"{_SUPPOSED.pattern}|\b(?:if|unless)\b", re.IGNORECASE)
# It is about another text, judge or criterion than the one in question.
_ELSEWHERE = re.compile(
    r"\b(?:(?:an)?other|first|second|third|last|previous|earlier|reference|gold|human|expert|rival|competing"
    r"|alternative|average|typical|fuller|longer|shorter|better|worse|ideal|perfect|next|each|every|any"
    r"|most|some|few)\s+(?:[\w-]+\s+)?"
    r"(?:answers?|responses?|summar(?:y|ies)|judges?|raters?|systems?|criteri(?:on|a)|models?|versions?|candidates?"
    r"|annotators?|graders?|reviewers?|one)\b"
    r"|\b(?:the\s+others|peers|raters|annotators|graders|reviewers|the\s+references?)\b"
    r"|\b(?:answer|response|summary|system|model|candidate|judge|rater)\s+(?:[B-Z]\b|[12]\b)",
    re.IGNORECASE,
)
# Within the clause: it is denied, asked for or only possible, or something short of it or beyond it is meant.
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|hardly|barely|scarcely|without|than|miss\w*|lack\w*|short|far|shy|unlike"
    r"|instead|against|den(?:y|ies|ied)|prevent\w*|keep\w*|kept|almost|nearly|consider\w*|tempt\w*|hesita\w*|doubt\w*"
    r"|refus\w*|reject\w*|avoid\w*|fail\w*|below|above|under|over|beyond|between|at\s+(?:most|least|best|worst)"
    r"|up\s+to|close\s+to|would|could|might|may|perhaps|maybe|possibly|should|whether|rather|too|higher|lower"
    r"|(?:need|require|take|want|ask|expect|demand|call|use)(?:s|ed|n|ing)?"
    r"|to\s+(?:reach|get|earn|deserve|merit|obtain|achieve|receive|gain|be))\b|n['’]t\b|['’]d\b",
    re.IGNORECASE,
)
# The same of a verdict in marks used for nothing else: "it would be placed at [[2]]" places it there.
_SPOKEN_OF = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|than|miss\w*|short\s+of|instead\s+of|against|prevent\w*|(?:would|could|might)"
    r"\s+have|could\s+be|might\s+be|to\s+(?:reach|get|earn|deserve|merit|obtain|achieve))\b|n['’]t\b",
    re.IGNORECASE,
)
# After it the sentence goes on with a condition, or asks.
_GOES_ON = (
    r"\A[\s*_`\"'”’)\],;–—-]*(?:(?:but\s+)?only\s+|even\s+|and\s+)?(?:if|unless|had|were|with|once|provided|assuming|or|when|until"
    r"|at\s+(?:most|best|least)|rather|than|should|would|could|might|minus|plus)\b|\A[^\w.!;,]*\?"
)
_WITH_IF = re.compile(
    r"[\s*_`\"'”’)\],;–—-]*(?:(?:but\s+)?only\s+|even\s+)?(?:if|unless|had|were|once|provided|would|could|should)\b"
    r"|[^\w.!;,]*\?",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(_GOES_ON, re.IGNORECASE)
_IF_LATER = re.compile(rf"{_GOES_ON}|\b(?:if|unless|provided|when|once|as\s+long\s+as)\b", re.IGNORECASE)


def before(text: str, at: int) -> str:
    """Return what stands before `at` in its sentence."""
    part = text[max(0, at - WINDOW) : at]
    return part[max(match.end() for match in _BREAK.finditer(part)) :]


def after(text: str, at: int) -> str:
    """Return what stands after `at` in its sentence."""
    part = text[at : at + WINDOW]
    end = _ENDS.search(part)
    return part[: end.end() if end else len(part)]


def clause(sentence: str) -> str:
    """Return the last clause of what was written of a sentence so far."""
    return sentence[max((match.end() for match in _CLAUSE.finditer(sentence)), default=0) :]


def supposed(said: str, *, anywhere: bool = False) -> bool:
    """Return whether the beginning of a sentence supposes something, or speaks of another text or judge.

    "It shows what happens if they lose, earning a 3" supposes nothing; with `anywhere` such an "if" counts.
    """
    return bool((_IF if anywhere else _SUPPOSED).search(said) or _ELSEWHERE.search(said))


def denied(said: str) -> bool:
    """Return whether the clause that `said` ends with denies or only weighs what comes next."""
    return bool(_DENIED.search(clause(said)))


def conditional(said: str, *, anywhere: bool = True) -> bool:
    """Return whether the rest of a sentence puts a condition on what it began with."""
    return bool((_IF_LATER if anywhere else _CONDITIONAL).search(said))


def unmeant(text: str, start: int, end: int) -> bool:
    """Return whether what is marked as a verdict at `start` is only spoken of: "not [[5]]", "[[5]] if ...".

    >>> unmeant("It would have been a [[5]] with a date.", 21, 26)
    True
    >>> unmeant("It would stand above the second: [[2]]", 33, 38)
    False
    """
    said = before(text, start)
    spoken = _SUPPOSED.search(said) or _SPOKEN_OF.search(clause(said))
    return bool(spoken or _WITH_IF.match(after(text, end)))
