"""Read yes or no: alone on a line, or at the beginning of the reply if it is not taken back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judgelab.protocols.reading.doubts import (
    WINDOW,
    is_denied,
    is_hypothetical,
    sentence_after,
    sentence_before,
)
from judgelab.protocols.reading.grammar import Grammar, nearest_point
from judgelab.protocols.reading.numbers import StatedScore
from judgelab.protocols.reading.score_forms import TAKEN_BACK
from judgelab.scales import Scale
from judgelab.wording import sentence

# "No. 5", "No doubt" and "Yes would be generous" are not verdicts.
OPENING = re.compile(r"\W*(yes|no)\b[*_\"'”’)\]]*\s*(?:[,;:!–—-]|\.(?!\s*\d)|\n|$)", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:would|could|might|may\s+be|if|unless|provided|were\s+(?:it|the|this)|had\s+(?:it|the|this)|or\s+(?:yes|no))\b",
    re.IGNORECASE,
)
_WHAT = (
    r"\b(?:it|this|that|candidate|answer|response|prediction)(?:\s+(?:answer|response))?"
    r"(?:\s+(?:is|was)|['’]s)\s+"
)
_ALSO = r"(?:(?:also|actually|in\s+fact|indeed|still|technically|therefore|thus|really|clearly|probably)\s+)*"
_RIGHT = r"(?:correct|right|true|accurate|acceptable|equivalent)\b"
_WRONG = (
    r"(?:(?:not|n['’]t)\s+(?:\w+\s+)?(?:correct|right|true|accurate|acceptable)|incorrect|wrong|false"
    r"|inaccurate|mistaken)\b"
)
_GOLD = r"\s+(?:with\s+|to\s+)?(?:the\s+|a\s+|any\s+)?(?:\w+\s+)?(?:gold|reference|correct|expected)\b"
# Phrases that contradict each word.
_AGAINST = {
    "yes": re.compile(
        rf"\b(?:apart|aside)\s+from\b.*\b{_WRONG}|\b(?:gives|names|states|has|gets|uses|with)\s+(?:the\s+|an?\s+)?(?:wrong|incorrect)\b"
        rf"|(?:{_WHAT}|\b(?:candidate|answer)\s+is){_ALSO}{_WRONG}|\bisn['’]t\s+(?:correct|right)"
        rf"|\b(?:contradicts|(?:does\s+not|doesn['’]t)\s+(?:match|agree|correspond)){_GOLD}"
        r"|\b(?:it|candidate|answer|response)\s+(?:does\s+not|doesn['’]t)\s+(?:match|agree)[\s*_]*(?:[.!]|\Z)",
        re.IGNORECASE,
    ),
    "no": re.compile(
        rf"{_WHAT}{_ALSO}(?:{_RIGHT}|(?:not|n['’]t)\s+(?:incorrect|wrong|false)\b)"
        rf"|\b(?:it|candidate|answer|response)\s+(?:\w+ly\s+)?(?:matches|agrees|corresponds){_GOLD}",
        re.IGNORECASE,
    ),
}
# Labels that ask for faults of the candidate: in "Contains errors: no", the "no" is not the verdict.
_OF_FAULTS = re.compile(
    r"\b(?:errors?|mistakes?|faults?|problems?|issues?|contradict\w*|conflicts?|incorrect\w*|wrong|false|inaccura\w*"
    r"|missing|slips?|flaws?|defects?|discrepanc\w*|omissions?|deviat\w*|hallucinat\w*|unsupported|mismatch\w*|differences?|doubts?|uncertain\w*|irrelevant)\b",
    re.IGNORECASE,
)
# "Gold: yes" and "Candidate answer: yes" repeat an answer.
_ANSWER_OF = re.compile(
    r"\W*(?:the\s+)?(?:gold|reference|expected|candidate|predicted|model|student|system|question)(?:['’]s)?"
    r"(?:\s+(?:answer|response|output|prediction))?\W*:\W*",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\W*(?:is|are|does|do|did|has|have|contains?|any|whether|there)\b", re.IGNORECASE)
MAX_LABEL_WORDS = 4  # a longer one is a sentence about the candidate


class YesNo(Grammar):
    """Yes or no, alone on a line at the end."""

    name = "yes_no"
    # A label may precede it, "... fine. Answer based on explanation: Yes", but without a yes or no in it.
    line = re.compile(
        r"\W*(?:(?:.*[.!?][\"')]*\s)?(?:(?!\b(?:yes|no)\b)[^:.\n]){1,60}:\W*"
        r"|(?:final\s+)?(?:answer|verdict|judge?ment|score)\W+)?(yes|no)[^\w?]*",
        re.IGNORECASE,
    )
    word = re.compile(r"\b(yes|no)\b", re.IGNORECASE)

    def fields(self, scale: Scale) -> Mapping[str, str]:
        """Return what both words mean on the scale."""
        no, yes = (point.label for point in scale.points())
        return {"no": no, "yes": yes}

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return both words."""
        return (("yes",), ("no",))

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score of the last line's yes or no; without reasons, also of one at the beginning."""
        lines = text.strip().splitlines() or [""]
        opened, closing = (self._plain(line) for line in (lines[0], lines[-1]))
        if opened and closing and opened[1].lower() != closing[1].lower():
            return StatedScore(None, sentence("the first and the last line give different verdicts"))
        if closing and not _is_doubted(closing.string, closing.start(1)):
            return StatedScore(self._score(closing[1], scale), rationale="\n".join(lines[:-1]).strip())
        opening = None if explain else OPENING.match(text)
        if opening is None or len({word.lower() for word in self.word.findall(text)}) > 1:
            return StatedScore(None, sentence("no plain yes or no on the last line"))
        if _taken_back(text, opening):
            return StatedScore(
                None, sentence("the {word} at the beginning is taken back or hedged", word=opening[1])
            )
        return StatedScore(self._score(opening[1], scale), rationale=text.strip())

    def write(self, score: float, scale: Scale) -> str:
        """Return Yes or No."""
        return "Yes" if nearest_point(score, scale) == scale.high else "No"

    def refusal(self, scale: Scale) -> str | None:
        """Return that the scale does not have two points, or None."""
        return None if len(scale.points()) == 2 else sentence("it needs a scale with two points")

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return the scores by word."""
        return {"Yes": scale.high, "No": scale.low}

    def _plain(self, line: str) -> re.Match[str] | None:
        # A label and its verdict are short; anything before them in a long line is irrelevant.
        end = line[-WINDOW:]
        return self.line.fullmatch(end) if self.word.search(end) else None

    @staticmethod
    def _score(word: str, scale: Scale) -> float:
        return scale.high if word.lower() == "yes" else scale.low


def _is_doubted(line: str, at: int) -> bool:
    lead = sentence_before(line, at)
    return (
        is_hypothetical(lead)
        or is_denied(lead.rstrip(" :*_\"'"))
        or _asks_for_faults(lead)
        or bool(_ANSWER_OF.fullmatch(lead))
    )


def _asks_for_faults(label: str) -> bool:
    short = len(label.split()) <= MAX_LABEL_WORDS or _ASKS.match(label)
    return bool(short and _OF_FAULTS.search(label))


def _taken_back(text: str, opening: re.Match[str]) -> bool:
    """Return whether the opening word is hedged in its sentence or contradicted later."""
    return bool(
        _HEDGED.search(sentence_after(text, opening.end(1)))
        or TAKEN_BACK.search(text, opening.end())
        or _AGAINST[opening[1].lower()].search(text, opening.end())
    )
