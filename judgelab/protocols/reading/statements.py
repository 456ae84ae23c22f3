"""Find statements of a score in free text: a label or sentence, a value, and a proper end.

"Score: 3" and ", so I give it a 3." are statements. "It misses a rating of 4", "I would have given it a 4",
"a higher score of 5 is not deserved", "Confidence: 5" and "4 of 5 facts" are not. Only known forms count, so
that no number is taken from a sentence about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from judgelab.protocols.reading import score_forms as forms
from judgelab.protocols.reading.doubts import (
    WINDOW,
    is_conditional,
    is_denied,
    is_hypothetical,
    sentence_after,
    sentence_before,
)

FINAL, LABEL, SENTENCE, CLOSING, CONTRARY = 3, 2, 1, 0, -1
_MARKS = " \t*_`\"'“‘(["
_NOTHING = re.compile(r"[\s*_`\"'“”‘’()\[\].!#>|•-]*")
_ABBREVIATED = re.compile(
    r"\b(?:no|nr|vs|p|pp|vol|fig|ch|ca|approx|e\.g|i\.e|st|mr|dr)\.\s*\Z", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QUOTES = re.compile(r"\w[:：]\s*[\"“«‘']\s*\Z")  # "It says: "Score: 5""
_WORD = re.compile(r"[^\W\d_]+")


class Statement(NamedTuple):
    """A stated value with its position, and how clearly it is stated: FINAL, LABEL, SENTENCE or CLOSING.

    A CONTRARY statement gives no score by itself ("Revised: 2") but casts doubt on one before it.
    """

    value: str
    top: str | None
    ranged: bool
    start: int
    end: int
    rank: int


def statements(text: str, about: str = "") -> Iterator[Statement]:
    """Yield the statements of a score in the text, in order.

    Args:
        text: the reply.
        about: the names of the criterion ("fluency"); a score for something else is not the score.
    """
    stems = [
        word[:5] for word in _WORD.findall(about.casefold()) if len(word) > 3 and word not in forms.PLAIN
    ]
    for match in forms.VALUE.finditer(text):
        rank, top = _rank(text, match, stems)
        if rank is not None and not _is_for_another_part(text, match, stems):
            yield Statement(
                match["value"], match["top"] or top, bool(match["range"]), match.start(), match.end(), rank
            )


def taken_back(text: str) -> bool:
    """Return whether the text replaces or withdraws a score that was stated before it."""
    return bool(forms.TAKEN_BACK.search(text))


def _rank(text: str, match: re.Match[str], stems: Sequence[str]) -> tuple[int | None, str | None]:
    lead, rest = sentence_before(text, match.start()), sentence_after(text, match.end())
    bare = lead.rstrip(_MARKS)
    if is_conditional(rest, anywhere=False):
        return None, None
    if _NOTHING.fullmatch(lead):  # the number begins a line or a sentence
        rank, top = _label_rank(_line_above(text, match.start() - len(lead)), stems, last=False)
        return (rank, top) if rank is not None and rank >= LABEL else (_alone_rank(text, match), None)
    rank, top = _label_rank(bare, stems, last=_ends_reply(text, match))
    if match["range"] and lead.rstrip().endswith(("(", "[")):
        return None, None  # the "(1-5)" of a label
    if rank is not None:
        return rank, top
    return _sentence_rank(text, match, bare, rest, stems), None


def _line_above(text: str, at: int) -> str:
    """Return the last line with words before the line that begins at `at`: "## Score" above a number."""
    above = text[max(0, at - WINDOW) : at]
    return above.rstrip().rsplit("\n", 1)[-1].rstrip(_MARKS) if above.endswith("\n") else ""


def _label_rank(lead: str, stems: Sequence[str], *, last: bool) -> tuple[int | None, str | None]:
    """Return how clearly the label at the end of `lead` announces a score, and the highest score it names."""
    label = forms.LABEL.search(lead)
    if not label:
        return None, None
    left = lead[: label.start("label")]
    words, aside = _WORD.findall(label["label"].casefold()), label["aside"] or ""
    named = [word for word in words if forms.NOUNS.fullmatch(word)]
    own_words = [word for word in words if any(stem in word for stem in stems)]
    known = forms.PLAIN.union(named, own_words, {"s"})
    foreign = [word for word in _WORD.findall(aside.casefold()) if word not in known | forms.OF_SCALE]
    if not known.issuperset(words) or any(not any(stem in word for stem in stems) for word in foreign):
        return _unknown_label_rank(label, named, last=last, blind=not stems), None
    if is_hypothetical(left) or is_denied(left) or _QUOTES.search(left):
        return None, None
    if label["by"] in (":", "=", "：") and forms.HIGHEST.intersection(words):
        return None, None  # "Full score: 5" says what is possible
    tops = _NUMBER.findall(aside)  # "Score (1-5): 3"
    top = tops[-1] if tops else None
    if named and (label["by"] or forms.NOUNS.fullmatch(words[-1])):
        return (FINAL if forms.FINAL_WORDS.intersection(words) else LABEL), top
    if label["by"] and own_words:
        return SENTENCE, top
    return (CLOSING, top) if last and label["by"] and label["by"] != "is" else (None, None)


def _unknown_label_rank(label: re.Match[str], named: Sequence[str], *, last: bool, blind: bool) -> int | None:
    """Return the rank of a number after a label with unexpected words."""
    quoted = re.search(r"[\"“‘”]", label["label"])
    doubted = (
        quoted
        or forms.OTHER_FIGURES.search(label["label"])
        or is_hypothetical(label[0])
        or is_denied(label[0])
    )
    if doubted or not (named if label["by"] == "is" else last and label["by"] in (":", "=", "：")):
        return CONTRARY if forms.REVISED.search(label["label"]) else None
    # If the criterion is not known, a "fluency score" at the end can only be the requested one.
    return CLOSING if blind and named and last else CONTRARY


def _alone_rank(text: str, match: re.Match[str]) -> int | None:
    """Return CLOSING for a number that is the whole first or last line, or ends the reply."""
    if _ends_reply(text, match):
        return None if _ABBREVIATED.search(text[max(0, match.start() - 10) : match.start()]) else CLOSING
    first = _NOTHING.fullmatch(text, 0, match.start())
    line_end = text.find("\n", match.end())
    whole = _NOTHING.fullmatch(text, match.end(), line_end if line_end >= 0 else len(text))
    return CLOSING if first and (whole or match["top"]) else None


def _sentence_rank(text: str, match: re.Match[str], lead: str, rest: str, stems: Sequence[str]) -> int | None:
    given = forms.GIVEN.search(lead + " ")
    if given:
        left = lead[: given.start("form")]
        modal = bool(re.search(r"\bwould\b|['’]d\b", given["form"], re.IGNORECASE))
        if is_hypothetical(left, anywhere=modal) or is_denied(left) or is_conditional(rest):
            return None
        if _names_another_part(left, stems):
            return None if stems else CONTRARY
        if forms.YET_ANOTHER.search(rest):
            return CONTRARY
        if given["part"] and not any(stem in given["part"].casefold() for stem in stems):
            blind = not stems and _ends_reply(text, match) and not forms.OTHER_FIGURES.search(given["part"])
            return CLOSING if blind else None
        return SENTENCE if given["sure"] or match["top"] or forms.NAMED.search(given["amount"]) else None
    if is_hypothetical(lead) or is_denied(lead):
        return None
    verbless = forms.VERBLESS.search(lead + " ")
    if verbless and forms.FITS.match(rest) and not is_conditional(rest):
        return SENTENCE
    if not _ends_reply(text, match):
        return None
    closes = verbless or forms.SUMMED_UP.search(lead + " ") or (match["top"] and lead[-1:] in ";,–—-")
    return CLOSING if closes or _bracketed(text, match) else None


def _names_another_part(left: str, stems: Sequence[str]) -> bool:
    """Return whether the words before a statement name a part of the score: "Regarding style, I give it"."""
    part = forms.PART_AHEAD.search(left)
    if not part or part["of"].casefold() in forms.PLAIN:
        return False
    return not any(stem in part["of"].casefold() for stem in stems)


def _bracketed(text: str, match: re.Match[str]) -> bool:
    """Return whether the number is in brackets at the end, and is the only one or names the highest score."""
    within = text[: match.start()].rstrip(" *_").endswith(("(", "["))
    return within and (bool(match["top"]) or len(re.findall(forms.NUMBER, text, re.IGNORECASE)) == 1)


def _ends_reply(text: str, match: re.Match[str]) -> bool:
    return bool(_NOTHING.fullmatch(text, match.end()))


def _is_for_another_part(text: str, match: re.Match[str], stems: Sequence[str]) -> bool:
    """Return whether the value is for something else: "4 for style" when fluency is judged."""
    part = forms.OF_PART.match(text, match.end())
    if not part or part["of"].casefold() in forms.PLAIN:
        return False
    if stems:
        return not any(stem in part["of"].casefold() for stem in stems)
    return bool(text[part.end() :].strip(" \n*_`\"'”’)].!"))
