"""The words of the scale itself: "good", "partly correct"."""

from __future__ import annotations

import re

from judgelab.protocols.grammar import NOTHING_ELSE, REASON_FIRST, Grammar, nearest_point
from judgelab.protocols.numbers import Stated, clipped
from judgelab.scales import Scale
from judgelab.wording import sentence

# "not good" is none of the words of a scale that has "good", and neither is "fairly good".
_TURNED = re.compile(
    r"(?:\b(?:not|no|never|nor|neither|hardly|barely|scarcely|without|less|more|very|fairly|quite|rather"
    r"|somewhat|almost|nearly|extremely|too|than|from|cannot)|n['’]t)(?:\s+(?:be|a|an|the|as|so|really|all|that"
    r"|called|rated|considered))*\W*$",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"\W*(?:(?:the|my|final|overall)\s+)*(?:answer|verdict|judge?ment|score|rating|label|category)\b"
    r"(?:\s+(?:is|would be))?\W*",
    re.IGNORECASE,
)


class Likert(Grammar):
    """The label of a point, as the scale has it."""

    name = "likert"

    def ask(self, scale: Scale, *, explain: bool) -> str:
        """Return the output instruction with the words in the order of the scale."""
        words = ", ".join(f'"{label}"' for label in self.labels(scale))
        if explain:
            return f"{REASON_FIRST} write a new last line with nothing but one of: {words}."
        return f"Reply with one of: {words}. {NOTHING_ELSE}"

    def read(self, text: str, scale: Scale, *, explain: bool) -> Stated:
        """Return the point whose label stands alone at the end or, without reasons, alone in the reply."""
        labels = {_folded(label): value for label, value in self.labels(scale).items()}
        lines = text.strip().splitlines() or [""]
        closing = _folded(_OPENED.sub("", lines[-1], count=1))
        if closing in labels:
            return Stated(labels[closing], rationale="\n".join(lines[:-1]).strip())
        where = lines[-1] if explain else text
        found, turned = _named(_spaced(where), labels)
        if turned:
            return Stated(None, sentence("'{words}' is none of the scale's words", words=clipped(turned)))
        if len(found) > 1:
            return Stated(
                None, sentence("{count} different words of the scale in the reply, not one", count=len(found))
            )
        if not found:
            return Stated(None, sentence("none of the scale's words is stated"))
        return Stated(labels[found.pop()], rationale=text.strip())

    def write(self, score: float, scale: Scale) -> str:
        """Return the label of the nearest point."""
        nearest = nearest_point(score, scale)
        return next(label for label, value in self.labels(scale).items() if value == nearest)

    def refusal(self, scale: Scale) -> str | None:
        """Return why a scale whose points have no labels of their own is refused."""
        words = [_folded(point.label) for point in scale.points()]
        if not words or not all(words) or len(set(words)) < len(words):
            return sentence("it needs a scale with a word of its own for every point")
        return None

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return the label of each point."""
        return {point.label: point.value for point in scale.points()}


def _named(text: str, labels: dict[str, float]) -> tuple[set[str], str]:
    """Return the labels that stand in the text as whole words, and the first that is turned round."""
    # The longest first: "very good" is no "good".
    either = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    found: set[str] = set()
    for match in re.finditer(rf"(?<![\w-])(?:{either})(?![\w-])", text):
        before = _TURNED.search(text[: match.start()])
        if before:
            return found, text[before.start() : match.end()]
        found.add(match[0])
    return found, ""


def _folded(text: str) -> str:
    return _spaced(text).strip(" .,;:!?*_\"'`()[]“”")


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())
