"""The grammar in which a judge states a word of the scale: "good", "partly correct"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judgelab.protocols.reading.doubts import (
    is_conditional,
    is_denied,
    is_hypothetical,
    sentence_after,
    sentence_before,
)
from judgelab.protocols.reading.grammar import Grammar, nearest_point
from judgelab.protocols.reading.numbers import StatedScore, clipped
from judgelab.scales import Scale
from judgelab.wording import sentence

# On a scale with "good", neither "not good" nor "fairly good" is one of its words.
_TURNED = re.compile(
    r"(?:\b(?:not|no|never|nor|neither|hardly|barely|scarcely|without|less|more|very|fairly|quite|rather"
    r"|somewhat|almost|nearly|extremely|too|than|from|cannot)|n['’]t)(?:\s+(?:be|a|an|the|as|so|really|all|that"
    r"|called|rated|considered))*\W*$",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"\A\W*(?:(?:the|my|final|overall)\s+)*(?:answer|verdict|judge?ment|score|rating|label|category)\b"
    r"(?:\s+is)?\W*",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\?[\s*_\"'”’)\]]*\Z")
# The text before a word of the scale that describes the response: "The answer is good", "I rate it good".
_SAID_OF_IT = re.compile(
    r"(?:\A|[,;:(–—-]\s*|\b(?:(?:it|this|(?:the|this)\s+(?:answer|summary|response|text|reply|candidate|score|rating"
    r"|grade|verdict|label|category|judge?ment))(?:\s+(?:is|was)|['’]s)|(?:it|this|response|answer|summary)\s+as"
    r"|(?:rate|call|grade|judge|label|give|score|mark|say|overall|therefore|thus|hence|so)"
    r"(?:\s+(?:(?:the|this)\s+(?:answer|summary|response|text|reply)|it|this))?"
    r"|(?:score|rating|grade|verdict|label|category)\s+of))\s*(?:an?\s+)?[\s\"'“”‘*_`(\[]*\Z",
    re.IGNORECASE,
)
# It describes something else: "Confidence: good", "The style of this answer is good", "The user thinks".
_OF_ANOTHER = re.compile(
    r"\b(?:confidence|certainty|maximum|reference)\b[^:.]*:\W*\Z"
    r"|\b(?P<part>style|grammar|tone|length|spelling|wording|structure|format|layout|fluency|title)\s+of\s+(?:this|the)\s"
    r"|\b(?:user|author|reader|people|others|some)\s+(?:thinks?|says?|believes?|claims?)\b",
    re.IGNORECASE,
)
_I_WOULD = re.compile(
    r"\b(?:I|we)(?:\s+would|['’]d)\s+(?:(?!not\b|never\b)\w+\s+)?(?:rate|call|grade|judge|label|give|score|mark|say)\b",
    re.IGNORECASE,
)
_END = re.compile(
    r"[\"'”’*_`)\]]*\s*(?:\Z|\n|[.,;!:)(–—-]|(?:because|since|as|for|due|given|overall|here|and|but|so)\b)",
    re.IGNORECASE,
)


class Likert(Grammar):
    """The label of one of the scale's points."""

    name = "likert"

    def fields(self, scale: Scale) -> Mapping[str, str]:
        """Return the words in the order of the scale."""
        return {"labels": ", ".join(f'"{label}"' for label in self.labels(scale))}

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score whose label is alone on a line or, failing that, is stated in a sentence."""
        labels = {_folded(label): value for label, value in self.labels(scale).items()}
        lines = text.strip().splitlines() or [""]
        alone = ["" if _ASKED.search(line) else _folded(_OPENED.sub("", line, count=1)) for line in lines]
        stated = {word for word in alone if word in labels}
        rest = "\n".join(line for line, word in zip(lines, alone, strict=True) if word not in labels)
        if not stated and _lists_parts(lines, labels):
            return StatedScore(None, sentence("the words of the scale are of parts, not of the whole"))
        if not stated:
            return _in_words(lines[-1] if explain else text, labels, text, about)
        later = "" if alone[-1] in labels else rest
        others = {word for word, meant in _mentions(later, labels, about) if meant} | stated
        if len(others) > 1:
            return StatedScore(
                None,
                sentence(
                    "{count} different words of the scale in the reply instead of one", count=len(others)
                ),
            )
        return StatedScore(labels[stated.pop()], rationale=rest.strip())

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return every word of the scale."""
        return [(label,) for label in self.labels(scale)]

    def write(self, score: float, scale: Scale) -> str:
        """Return the label of the nearest point."""
        nearest = nearest_point(score, scale)
        return next(label for label, value in self.labels(scale).items() if value == nearest)

    def refusal(self, scale: Scale) -> str | None:
        """Return that the scale's points do not all have different labels, or None."""
        words = [_folded(point.label) for point in scale.points()]
        if not words or not all(words) or len(set(words)) < len(words):
            return sentence("it needs a scale with a different word for every point")
        return None

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return the points' scores by label."""
        return {point.label: point.value for point in scale.points()}


def _lists_parts(lines: Sequence[str], labels: Mapping[str, float]) -> bool:
    """Return whether several lines give a word each after a label: "Grammar: good", "Facts: bad"."""
    listed = [line.rpartition(":") for line in lines if ":" in line]
    words = [_folded(word) for label, _, word in listed if _folded(label)]
    return len({word for word in words if word in labels}) > 1


def _in_words(passage: str, labels: dict[str, float], text: str, about: str) -> StatedScore:
    """Return the score of the only label in `passage`, if a sentence states it about the response."""
    mentions = _mentions(passage, labels, about)
    words = {word for word, _ in mentions}
    turned = next((word for word, _ in mentions if word not in labels), "")
    if turned:
        return StatedScore(None, sentence("'{words}' is not one of the scale's words", words=clipped(turned)))
    if len(words) > 1:
        return StatedScore(
            None,
            sentence("{count} different words of the scale in the reply instead of one", count=len(words)),
        )
    if not any(meant for _, meant in mentions):
        return StatedScore(None, sentence("none of the scale's words is stated"))
    return StatedScore(labels[words.pop()], rationale=text.strip())


def _mentions(text: str, labels: dict[str, float], about: str) -> list[tuple[str, bool]]:
    """Return the labels that occur in the text as whole words, each with whether it is stated as the score.

    A negated or qualified label is returned with the words that change it ("not good").
    """
    # Longest first, so that "very good" is not read as "good".
    either = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    folded = "\n".join(_spaced(line) for line in text.splitlines())
    mentions = []
    for match in re.finditer(rf"(?<![\w-])(?:{either})(?![\w-])", folded):
        lead, rest = sentence_before(folded, match.start()), sentence_after(folded, match.end())
        turned = _TURNED.search(lead)
        word = lead[turned.start() :] + match[0] if turned else match[0]
        polite = _I_WOULD.search(lead)
        left = lead[: polite.start()] if polite else lead
        stated = _SAID_OF_IT.search(lead) and _END.match(rest) and not _is_of_another(lead, about)
        meant = bool(stated) and not (
            turned or is_hypothetical(lead) or is_denied(left) or is_conditional(rest)
        )
        mentions.append((word, meant))
    return mentions


def _is_of_another(lead: str, about: str) -> bool:
    other = _OF_ANOTHER.search(lead)
    if other is None:
        return False
    return not (other["part"] and other["part"][:5].casefold() in about.casefold())


def _folded(text: str) -> str:
    return _spaced(text).strip(" .,;:!?*_\"'`()[]“”")


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())
