"""Recognise sentences that mention a score without giving it: "not a 5", "a 4 if it named the date".

The text before a possible verdict, in its sentence and in its clause, and the text after it are checked.
In doubt, the sentence states no verdict.
"""

from __future__ import annotations

import re

WINDOW = 400  # characters of a sentence that are checked on either side
_BREAK = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s)|\n|\A")
_ENDS = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s|\Z)|\n|\Z")
_CLAUSE = re.compile(
    r"[,;:()–—]|\s-\s|\b(?:but|so|therefore|thus|hence|because|since|and|yet|however|while|whereas)\b",
    re.IGNORECASE,
)
# The sentence is hypothetical.
_SUPPOSED = re.compile(
    r"(?:\A|[,;:(–—\d]|\s-\s|\b(?:but|and|so|or|even|only|that|think|because|as)\b)[\s\"'“*_>#-]*(?:if|unless|otherwise|suppose"
    r"|supposing|imagine|assuming|in\s+case|(?:had|were|should|did)\s+(?:it|the|this|there|they))\b"
    r"|\A[\s>#*_\"'“(-]*(?:with|without|once|when|whenever|until|but\s+for|under|even|add"
    r"|fix|name|mention|include|correct|remove|cite|one\s+more|(?:some|a\s+(?:bit|little))\s+more|more)\b",
    re.IGNORECASE,
)
_IF = re.compile(rf"{_SUPPOSED.pattern}|\b(?:if|unless)\b", re.IGNORECASE)
# It is about another text, judge or criterion.
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
# Within the clause, the score is denied, asked for or only possible, or one above or below it is meant.
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|hardly|barely|scarcely|without|than|miss\w*|lack\w*|short|far|shy|unlike"
    r"|instead|against|den(?:y|ies|ied)|prevent\w*|keep\w*|kept|almost|nearly|consider\w*|tempt\w*|hesita\w*|doubt\w*"
    r"|refus\w*|reject\w*|avoid\w*|fail\w*|below|above|under|over|beyond|between|at\s+(?:most|least|best|worst)"
    r"|up\s+to|close\s+to|would|could|might|may|perhaps|maybe|possibly|should|whether|rather|too|higher|lower"
    r"|(?:need|require|take|want|ask|expect|demand|call|use)(?:s|ed|n|ing)?"
    r"|to\s+(?:reach|get|earn|deserve|merit|obtain|achieve|receive|gain|be))\b|n['’]t\b|['’]d\b",
    re.IGNORECASE,
)
# The same for verdicts in double brackets, where "it would be placed at [[2]]" does state a verdict.
_SPOKEN_OF = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|than|miss\w*|short\s+of|instead\s+of|against|prevent\w*|(?:would|could|might)"
    r"\s+have|could\s+be|might\s+be|to\s+(?:reach|get|earn|deserve|merit|obtain|achieve))\b|n['’]t\b",
    re.IGNORECASE,
)
# The sentence is about the answer that the top of the scale is for, not about this one.
_BEST_CASE = re.compile(
    r"\A[\s>*_\"'“(-]*(?:only\s+)?(?:an?|any|every)\s+(?:[\w-]+\s+)?(?:ideal|perfect|flawless|model)\s+(?:[\w-]+\s+)?"
    r"(?:answer|response|summary|reply|one)\b[^,;:]*\Z",
    re.IGNORECASE,
)
# What is stated is the end of the scale, or the score of the references.
_OF_OTHERS = re.compile(
    r"\b(?:maximum|minimum|highest|lowest|top)(?:\s+(?:possible\s+)?(?:score|rating|grade|value))?\s*(?:is|=|:)\s*\Z"
    r"|\bthe\s+references?(?:\s+(?:answer|summary|response)s?)?\s+"
    r"(?:is|are|gets?|deserves?|scores?|earns?|receives?|would)\b[^,;:]*\Z",
    re.IGNORECASE,
)
# After it, the sentence continues with a condition or is a question.
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


def sentence_before(text: str, at: int) -> str:
    """Return the part of the sentence before position `at`."""
    part = text[max(0, at - WINDOW) : at]
    return part[max(match.end() for match in _BREAK.finditer(part)) :]


def sentence_after(text: str, at: int) -> str:
    """Return the part of the sentence after position `at`."""
    part = text[at : at + WINDOW]
    end = _ENDS.search(part)
    return part[: end.end() if end else len(part)]


def last_clause(sentence: str) -> str:
    """Return the last clause of the beginning of a sentence."""
    return sentence[max((match.end() for match in _CLAUSE.finditer(sentence)), default=0) :]


def is_hypothetical(text: str, *, anywhere: bool = False) -> bool:
    """Return whether the beginning of a sentence is hypothetical or about another text or judge.

    "It shows what happens if they lose, earning a 3" is not; with `anywhere`, any "if" makes it hypothetical.
    """
    return bool((_IF if anywhere else _SUPPOSED).search(text) or _ELSEWHERE.search(text))


def is_denied(text: str) -> bool:
    """Return whether the clause that `text` ends with denies or only weighs what comes next."""
    return bool(_DENIED.search(last_clause(text)))


def is_conditional(text: str, *, anywhere: bool = True) -> bool:
    """Return whether the rest of a sentence puts a condition on what it began with."""
    return bool((_IF_LATER if anywhere else _CONDITIONAL).search(text))


def only_mentioned(text: str, start: int, end: int) -> bool:
    """Return whether the verdict at `start` is only mentioned, not given: "not [[5]]", "[[5]] if ...".

    >>> only_mentioned("It would have been a [[5]] with a date.", 21, 26)
    True
    >>> only_mentioned("It would stand above the second: [[2]]", 33, 38)
    False
    >>> only_mentioned("A perfect answer gets [[10]].", 22, 28)
    True
    """
    lead = sentence_before(text, start)
    mentioned = _SUPPOSED.search(lead) or _SPOKEN_OF.search(last_clause(lead)) or _BEST_CASE.match(lead)
    mentioned = mentioned or _OF_OTHERS.search(lead)
    return bool(mentioned or _WITH_IF.match(sentence_after(text, end)))
