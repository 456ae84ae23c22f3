"""Chatbot Arena: battles of two models, each with both conversations and the vote about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.imports.core.cells import text_of
from judgelab.imports.core.rater_names import is_like_a_model, is_like_a_person
from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Choice, Example, Notes, Result, ResultFile, ResultTool, result_tools
from judgelab.imports.results.texts import message_text
from judgelab.wording import mark, sentence

KEYS = ('"model_a"', '"model_b"', '"winner"', '"conversation_a"', '"conversation_b"', '"anony"')
WINNER, BOTH_BAD = "winner", "tie (bothbad)"
SIDES = {"model_a": "a", "model_b": "b", "tie": "tie", BOTH_BAD: "tie"}
BETWEEN_ANSWERS = "\n\n---\n\n"


@result_tools.register("arena")
class Arena(ResultTool):
    """Reads each vote as a choice; battles about the same questions are one item, whatever their ids."""

    title = "Chatbot Arena"
    summary = mark("Votes of people between two models' conversations; equal questions are one item.")
    version = "2023"
    examples = (
        Example(
            {
                "battles.json": """[{"question_id": "q1", "model_a": "red", "model_b": "blue",
"winner": "model_a", "judge": "arena_user_1", "anony": true, "turn": 1, "language": "English",
"conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Rain."}],
"conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Sun."}]},
{"question_id": "q2", "model_a": "red", "model_b": "blue", "winner": "tie (bothbad)",
"judge": "arena_user_2", "anony": true, "turn": 1, "language": "English",
"conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Rain."}],
"conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Sun."}]}]"""
            },
            items=1,
            responses=2,
            human=0,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this is a list or lines of battles that say whether the models were anonymous."""
        return file.mentions(*KEYS) and file.head.lstrip()[:1] in (b"[", b"{")

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a choice for each battle."""
        for file in files:
            for number, battle in file.objects(notes.problems):
                asked, first = _exchange(battle.get("conversation_a"))
                also_asked, second = _exchange(battle.get("conversation_b"))
                value = SIDES.get(text_of(battle.get("winner")))
                if value is None:
                    notes.leave_out(sentence("choices without a winner"))
                elif asked != also_asked or not (asked and first and second):
                    notes.leave_out(sentence("battles about different or empty conversations"))
                else:
                    yield _result(battle, number, (asked, first, second), value, notes)


def _result(
    battle: Mapping[str, Any], number: int, texts: tuple[str, str, str], value: str, notes: Notes
) -> Result:
    asked, first, second = texts
    rater = text_of(battle.get("judge")) or "human"
    if is_like_a_model(rater) or "judge" in rater.casefold():
        kind = notes.raters or "judge"
    else:
        kind = notes.raters or ("human" if is_like_a_person(rater) else notes.kind_of(rater))
    said = BOTH_BAD if battle["winner"] == BOTH_BAD else ""
    system, other = text_of(battle.get("model_a")), text_of(battle.get("model_b"))
    choice = Choice(rater, kind, WINNER, value, other, second, comment=said, at=battle.get("tstamp"))
    group = text_of(battle.get("language"))
    return Result(derived_id("i", asked, ""), number, first, system, asked, group=group, choice=choice)


def _exchange(messages: Any) -> tuple[str, str]:
    """Return what was asked, and the answers, of all turns."""
    asked, answers = list[str](), list[str]()
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, Mapping):
            of = answers if message.get("role") == "assistant" else asked
            of.append(message_text(message))
    return "\n\n".join(asked), BETWEEN_ANSWERS.join(answers)
