"""What states a score in free text: a label, a value, and an end of what is said about it.

"Score: 3" and ", so I give it a 3." state one. "It misses a rating of 4", "I would have given it a 4", "a
higher score of 5 is not deserved", "Confidence: 5" and "4 of 5 facts" state none. What has none of the forms
of a statement is none, so that no number is taken out of a sentence about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from judgelab.protocols.reading import score_forms as forms
from judgelab.protocols.reading.doubts import WINDOW, after, before, conditional, denied, supposed

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
    """A stated value with its place, and how plainly it is stated: FINAL, LABEL, SENTENCE or CLOSING.

    A CONTRARY one states no score by itself ("Revised: 2") but makes one before it doubtful.
    """

    value: str
    top: str | None
    ranged: bool
    start: int
    end: int
    rank: int


def statements(text: str, about: str = "") -> Iterator[Statement]:
    """Yield what states a score in the text, in order.

    Args:
        text: the reply.
        about: the names of what is judged, "fluency": a score of another part of it is not the score.
    """
    stems = [
        word[:5] for word in _WORD.findall(about.casefold()) if len(word) > 3 and word not in forms.PLAIN
    ]
    for match in forms.VALUE.finditer(text):
        rank, top = _rank(text, match, stems)
        if rank is not None and not _of_part(text, match, stems):
            yield Statement(
                match["value"], match["top"] or top, bool(match["range"]), match.start(), match.end(), rank
            )


def taken_back(text: str) -> bool:
    """Return whether the text replaces or withdraws a score that was stated before it."""
    return bool(forms.TAKEN_BACK.search(text))


def _rank(text: str, match: re.Match[str], stems: Sequence[str]) -> tuple[int | None, str | None]:
    said, rest = before(text, match.start()), after(text, match.end())
    bare = said.rstrip(_MARKS)
    if conditional(rest, anywhere=False):
        return None, None
    if _NOTHING.fullmatch(said):  # the number opens a line or a sentence
        rank, top = _label(_line_above(text, match.start() - len(said)), stems, last=False)
        return (rank, top) if rank is not None and rank >= LABEL else (_alone(text, match), None)
    rank, top = _label(bare, stems, last=_ends(text, match))
    if match["range"] and said.rstrip().endswith(("(", "[")):
        return None, None  # the "(1-5)" of a label
    if rank is not None:
        return rank, top
    return _in_sentence(text, match, bare, rest, stems), None


def _line_above(text: str, at: int) -> str:
    """Return the last line with words before the one that begins at `at`: "## Score" above a number."""
    above = text[max(0, at - WINDOW) : at]
    return above.rstrip().rsplit("\n", 1)[-1].rstrip(_MARKS) if above.endswith("\n") else ""


def _label(said: str, stems: Sequence[str], *, last: bool) -> tuple[int | None, str | None]:
    """Return how plainly the label that `said` ends with announces a score, and the top it names."""
    found = forms.LABEL.search(said)
    if not found:
        return None, None
    left = said[: found.start("label")]
    words, aside = _WORD.findall(found["label"].casefold()), found["aside"] or ""
    named = [word for word in words if forms.NOUNS.fullmatch(word)]
    own = [word for word in words if any(stem in word for stem in stems)]
    known = forms.PLAIN.union(named, own, {"s"})
    foreign = [word for word in _WORD.findall(aside.casefold()) if word not in known | forms.OF_SCALE]
    if not known.issuperset(words) or any(not any(stem in word for stem in stems) for word in foreign):
        return _unknown(found, named, last=last, blind=not stems), None
    if supposed(left) or denied(left) or _QUOTES.search(left):
        return None, None
    tops = _NUMBER.findall(aside)  # "Score (1-5): 3"
    top = tops[-1] if tops else None
    if named and (found["by"] or forms.NOUNS.fullmatch(words[-1])):
        return (FINAL if forms.FINAL_WORDS.intersection(words) else LABEL), top
    if found["by"] and own:
        return SENTENCE, top
    return (CLOSING, top) if last and found["by"] and found["by"] != "is" else (None, None)


def _unknown(found: re.Match[str], named: Sequence[str], *, last: bool, blind: bool) -> int | None:
    """Return what a label with words that belong to no score's label makes of its number."""
    quoted = re.search(r"[\"“‘”]", found["label"])
    doubted = quoted or forms.OTHER_FIGURES.search(found["label"]) or supposed(found[0]) or denied(found[0])
    if doubted or not (named if found["by"] == "is" else last and found["by"] in (":", "=", "：")):
        return CONTRARY if forms.REVISED.search(found["label"]) else None
    # Where it is not known what is judged, a "fluency score" at the end can only be the one asked for.
    return CLOSING if blind and named and last else CONTRARY


def _alone(text: str, match: re.Match[str]) -> int | None:
    """Return CLOSING for a number that is the whole of the first or last line, or closes the reply."""
    if _ends(text, match):
        return None if _ABBREVIATED.search(text[max(0, match.start() - 10) : match.start()]) else CLOSING
    first = _NOTHING.fullmatch(text, 0, match.start())
    line_end = text.find("\n", match.end())
    whole = _NOTHING.fullmatch(text, match.end(), line_end if line_end >= 0 else len(text))
    return CLOSING if first and (whole or match["top"]) else None


def _in_sentence(text: str, match: re.Match[str], said: str, rest: str, stems: Sequence[str]) -> int | None:
    found = forms.GIVEN.search(said + " ")
    if found:
        left = said[: found.start("form")]
        modal = bool(re.search(r"\bwould\b|['’]d\b", found["form"], re.IGNORECASE))
        if supposed(left, anywhere=modal) or denied(left) or conditional(rest):
            return None
        if forms.YET_ANOTHER.search(rest):
            return CONTRARY
        if found["part"] and not any(stem in found["part"].casefold() for stem in stems):
            blind = not stems and _ends(text, match) and not forms.OTHER_FIGURES.search(found["part"])
            return CLOSING if blind else None
        return SENTENCE if found["sure"] or match["top"] or forms.NAMED.search(found["amount"]) else None
    if supposed(said) or denied(said):
        return None
    verbless = forms.VERBLESS.search(said + " ")
    if verbless and forms.FITS.match(rest) and not conditional(rest):
        return SENTENCE
    if not _ends(text, match):
        return None
    closes = verbless or forms.SUMMED_UP.search(said + " ") or (match["top"] and said[-1:] in ";,–—-")
    return CLOSING if closes or _bracketed(text, match) else None


def _bracketed(text: str, match: re.Match[str]) -> bool:
    """Return whether the number stands in brackets at the end, and is the only one or has its top."""
    within = text[: match.start()].rstrip(" *_").endswith(("(", "["))
    return within and (bool(match["top"]) or len(re.findall(forms.NUMBER, text, re.IGNORECASE)) == 1)


def _ends(text: str, match: re.Match[str]) -> bool:
    return bool(_NOTHING.fullmatch(text, match.end()))


def _of_part(text: str, match: re.Match[str], stems: Sequence[str]) -> bool:
    """Return whether the value is said to be for a part: "4 for style" where fluency is judged."""
    found = forms.OF_PART.match(text, match.end())
    if not found or found["of"].casefold() in forms.PLAIN:
        return False
    if stems:
        return not any(stem in found["of"].casefold() for stem in stems)
    return bool(text[found.end() :].strip(" \n*_`\"'”’)].!"))
