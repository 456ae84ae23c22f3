"""The output grammars: how a judge is told to state its score, and how it is read.

In a grammar, the instruction, the way a reply is read and the way an example's score is written belong
together. Reading never raises and never guesses: if there is no score, there is a reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols.reading.bracketed import bracket_contents, without_brackets
from judgelab.protocols.reading.conclusions import concluding_score, short_score
from judgelab.protocols.reading.doubts import is_conditional, only_mentioned, sentence_after
from judgelab.protocols.reading.fences import empty_reason, unfenced
from judgelab.protocols.reading.grammar import FIRST, Grammar, nearest_point
from judgelab.protocols.reading.json_replies import json_score
from judgelab.protocols.reading.label_list import LabelList
from judgelab.protocols.reading.likert import Likert
from judgelab.protocols.reading.numbers import StatedScore, on_scale, wrong_top_reason
from judgelab.protocols.reading.schemas import score_schema
from judgelab.protocols.reading.yes_no import YesNo
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

LETTERS = "ABCDEFGHIJKLMNOPQRSTU"


class Digit(Grammar):
    """The bare number; with reasons, the number that concludes them."""

    name = "digit"

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the number stated as the score; without reasons, it must be the reply's only number."""
        return concluding_score(text, scale, about) if explain else short_score(text, scale, about)


class Brackets(Grammar):
    """The number in double square brackets: [[3]]."""

    name = "brackets"

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return the brackets."""
        return (("[[",),)

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score in the double brackets."""
        stated = bracket_contents(text)
        if len(stated) != 1:
            several = sentence(
                "{count} different scores in double square brackets in the reply instead of one",
                count=len(stated),
            )
            none = sentence("no score in double square brackets in the reply")
            return StatedScore(None, several if stated else none)
        return on_scale(stated.pop(), scale)._replace(rationale=without_brackets(text))

    def write(self, score: float, scale: Scale) -> str:
        """Return [[score]]."""
        return f"[[{super().write(score, scale)}]]"


class Json(Grammar):
    """A JSON object with the key "score", after an "explanation" if reasons are asked for."""

    name = "json"

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return the format and the key."""
        return (("JSON", "{"), ("score",))

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score of the JSON object."""
        return json_score(text, scale, about)

    def schema(self, scale: Scale, *, explain: bool) -> dict[str, Any]:
        """Return the schema of the object."""
        return score_schema(scale, explain=explain)

    def write(self, score: float, scale: Scale) -> str:
        """Return the object with only the score."""
        return f'{{"score": {super().write(score, scale)}}}'


class Prometheus(Grammar):
    """Feedback, the marker [RESULT] and the number: the format Prometheus models were trained on."""

    name = "prometheus"
    result = re.compile(
        r"\[RESULT\][\s:=*(\[]*([-+]?\d+(?:\.\d+)?)(?![\w+]|[.,]\d|\s*%)(?:\s*(?:/|out\s+of|of)\s*(\d+))?"
        r"(\s*(?:-|–|—|→|->|=>|\b(?:to|or|and|minus|plus)\b)\s*\d)?"
        r"(?!\s*(?:facts?|errors?|mistakes?|sentences?|words?|points?\s+(?:off|deducted|lost|short))\b)",
        re.IGNORECASE,
    )

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return the marker."""
        return (("[RESULT]",),)

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the number after the marker."""
        stated = [
            match.groups() for match in self.result.finditer(text) if not only_mentioned(text, *match.span())
        ]
        if len(set(stated)) != 1:
            several = sentence(
                "{count} different numbers after [RESULT] in the reply instead of one", count=len(set(stated))
            )
            return StatedScore(None, several if stated else sentence("no number after [RESULT] in the reply"))
        value, top, ranged = stated[0]
        if ranged:
            return StatedScore(None, sentence("a range is stated, not a score"))
        if top and float(top) != scale.high:
            return StatedScore(None, wrong_top_reason(top, scale))
        feedback = self.result.split(text)[0].strip()
        return on_scale(value, scale)._replace(rationale=feedback.removeprefix("Feedback:").strip())

    def write(self, score: float, scale: Scale) -> str:
        """Return the marker with the score."""
        return f"[RESULT] {super().write(score, scale)}"


class Abc(Grammar):
    """One letter per point of the scale, A for the lowest."""

    name = "abc"
    bracketed = re.compile(r"\[\[\s*([A-Za-z])\s*\]\]")
    line = re.compile(
        r"\W*(?:(?:final\s+)?(?:answer|option|choice|rating|score)\W+(?:is\W+)?)?([a-z])[^\w?]*",
        re.ASCII | re.IGNORECASE,
    )
    opening = re.compile(r"\(?([A-Z])[).:](?:\s|$)")

    def fields(self, scale: Scale) -> Mapping[str, str]:
        """Return the list of letters."""
        listed = (
            f"{letter} = {point.value:g}" + (f" ({point.label})" if point.label else "")
            for letter, point in zip(LETTERS, scale.points(), strict=False)
        )
        return {"letters": "; ".join(listed)}

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return words for a letter."""
        return (("letter", "letters", "option", "choice"),)

    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score of the letter alone on the first or last line, or starting the only line."""
        letters = self._letters(text.strip())
        if len(letters) != 1:
            several = sentence("{count} different letters in the reply instead of one", count=len(letters))
            return StatedScore(None, several if letters else sentence("no letter in the reply"))
        place, points = LETTERS.find(letters.pop()), scale.points()
        if not 0 <= place < len(points):
            return StatedScore(
                None, sentence("the letter is not one of A to {last}", last=LETTERS[len(points) - 1])
            )
        return StatedScore(points[place].value, rationale="\n".join(text.strip().splitlines()[:-1]).strip())

    def _letters(self, text: str) -> set[str]:
        if self.bracketed.search(text):
            stated = [
                letter for letter in self.bracketed.finditer(text) if not only_mentioned(text, *letter.span())
            ]
            return {letter[1].upper() for letter in stated}
        lines = text.splitlines() or [""]
        if len(lines) == 1:
            opening = self.opening.match(text)
            if opening and is_conditional(sentence_after(text, opening.end()), anywhere=False):
                opening = None
            matches = [self.line.fullmatch(text) or opening]
        else:  # a letter alone on the first line is just as clear
            matches = [self.line.fullmatch(line) for line in (lines[0], lines[-1])]
        return {match[1].upper() for match in matches if match}

    def write(self, score: float, scale: Scale) -> str:
        """Return the letter of the nearest point."""
        values = [point.value for point in scale.points()]
        return LETTERS[values.index(nearest_point(score, scale))]

    def refusal(self, scale: Scale) -> str | None:
        """Return that the scale has no points, or None."""
        return None if scale.points() else sentence("it needs a scale with points")

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return the points' scores by letter."""
        return {letter: point.value for letter, point in zip(LETTERS, scale.points(), strict=False)}


GRAMMARS: dict[str, Grammar] = {
    grammar.name: grammar
    for grammar in (Digit(), Brackets(), Json(), Prometheus(), YesNo(), Abc(), Likert(), LabelList())
}


def grammar_named(name: str) -> Grammar:
    """Return the grammar; raises `NotFound` with the known names."""
    if name not in GRAMMARS:
        raise NotFound(mark("grammar"), name, GRAMMARS)
    return GRAMMARS[name]


def output_instruction(name: str, scale: Scale, *, explain: bool = False, version: str = FIRST) -> str:
    """Return the section of the prompt that says how to state the score.

    Args:
        name: the grammar.
        scale: the scale of the score.
        explain: whether reasons are asked for.
        version: of the wording; a protocol that names none keeps the first one.

    Raises:
        InvalidInput: the grammar cannot be used with the scale.
    """
    grammar = grammar_named(name)
    refusal = grammar.refusal(scale)
    if refusal:
        raise InvalidInput(
            sentence(
                "grammar '{grammar}' does not suit this criterion: {why}; choose digit.",
                grammar=name,
                why=refusal,
            )
        )
    return grammar.ask(scale, explain=explain, version=version)


def read(name: str, text: str, scale: Scale, *, explain: bool = False, about: str = "") -> StatedScore:
    """Return the score stated in `text` in the given grammar, or why there is none; never raises.

    Args:
        name: the grammar.
        text: the reply.
        scale: the scale of the score.
        explain: whether reasons were asked for.
        about: the names of the criterion, so that a score "for style" is not read as one for fluency.
    """
    grammar = grammar_named(name)
    bare = unfenced(text)
    if not bare:
        return StatedScore(None, empty_reason(text))
    refusal = grammar.refusal(scale)
    return StatedScore(None, refusal) if refusal else grammar.read(bare, scale, explain=explain, about=about)
