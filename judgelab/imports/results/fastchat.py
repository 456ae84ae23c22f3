"""FastChat's MT-bench: questions, models' answers, and judgments of people and judges in one folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from judgelab.imports.core.cells import text_of
from judgelab.imports.results.base import (
    Choice,
    Example,
    Notes,
    Result,
    ResultFile,
    ResultTool,
    Score,
    result_tools,
)
from judgelab.imports.results.texts import message_text
from judgelab.wording import mark, sentence

QUESTION, ANSWER = (
    frozenset({"question_id", "turns", "category"}),
    frozenset({"question_id", "model_id", "choices"}),
)
SINGLE = frozenset({"question_id", "model", "judge", "score"})
PAIR = frozenset({"question_id", "model_1", "model_2", "g1_winner", "g2_winner"})
BATTLE = frozenset({"question_id", "model_a", "model_b", "winner"})
JUDGMENTS, PEOPLE = "model_judgment", "human_judgments"
ERROR, FAILED = "error", -1
BETWEEN_ANSWERS = "\n\n---\n\n"
SCORE, WINNER = "score", "winner"


class _Texts(NamedTuple):
    """The turns of each question, its reference answers and category; the turns of each answer by model."""

    questions: dict[str, Mapping[str, Any]]
    answers: dict[tuple[str, str], list[str]]


@result_tools.register("fastchat")
class FastChat(ResultTool):
    """Reads each turn as an item that includes the turns before it, as files of comparisons are read."""

    title = "MT-bench"
    summary = mark(
        "Questions and answers with judges' scores and judges' and people's choices, as one folder."
    )
    version = "2023"
    examples = (
        Example(
            {
                "question.jsonl": """{"question_id": 1, "category": "c", "turns": ["Why?"], \
"reference": ["Rain."]}""",
                "model_answer/red.jsonl": """{"question_id": 1, "answer_id": "x", "model_id": "red", \
"choices": [{"index": 0, "turns": ["It rains."]}]}""",
                "model_answer/blue.jsonl": """{"question_id": 1, "answer_id": "y", "model_id": "blue", \
"choices": [{"index": 0, "turns": ["Sun."]}]}""",
                "model_judgment/owl_single.jsonl": """\
{"question_id": 1, "model": "red", "judge": ["owl", "single-v1"], "judgment": "9", "score": 9, "turn": 1}
{"question_id": 1, "model": "blue", "judge": ["owl", "single-v1"], "judgment": "", "score": -1, "turn": 1}""",
                "human_judgments.jsonl": """{"question_id": 1, "model_a": "blue", "model_b": "red", \
"winner": "model_b", "judge": "expert_1", "turn": 1}""",
            },
            items=1,
            responses=2,
            human=0,
            judged=2,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the first line is a question with its turns, or a model's answer to one."""
        return any(file.first_object.keys() >= keys for keys in (QUESTION, ANSWER))

    def belongs(self, name: str, files: Sequence[ResultFile]) -> bool:
        """Return whether a file has judgments, by its place beside the answers."""
        path = PurePath(name)
        return path.suffix == ".jsonl" and (path.parent.name == JUDGMENTS or path.stem.startswith(PEOPLE))

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each answer, and each judgment of an answer or of two."""
        texts, judged = _Texts({}, {}), []
        for file in files:
            for number, line in file.lines(notes.problems):
                question = text_of(line.get("question_id"))
                if line.keys() >= QUESTION:
                    texts.questions[question] = line
                elif line.keys() >= ANSWER:
                    texts.answers[question, text_of(line["model_id"])] = _turns(line)
                else:
                    judged.append((number, line))
        for number, line in judged:
            yield from _judgment(line, number, texts, notes)
        for (question, model), turns in texts.answers.items():
            for turn in range(1, len(turns) + 1):
                yield _response(question, turn, model, 1, texts)


def _turns(answer: Mapping[str, Any]) -> list[str]:
    choices = [one for one in answer["choices"] if isinstance(one, Mapping)]
    return [message_text(turn) for turn in choices[0].get("turns") or ()] if choices else []


def _response(question: str, turn: int, model: str, row: int, texts: _Texts) -> Result:
    asked = texts.questions.get(question, {})
    references = [message_text(one) for one in asked.get("reference") or ()]
    return Result(
        f"{question}-{turn}",
        row,
        _answer(question, turn, model, texts),
        model,
        "\n\n".join(message_text(one) for one in (asked.get("turns") or ())[:turn]),
        reference=references[turn - 1] if turn <= len(references) else "",
        group=text_of(asked.get("category")),
    )


def _answer(question: str, turn: int, model: str, texts: _Texts) -> str:
    return BETWEEN_ANSWERS.join(texts.answers.get((question, model), [])[:turn])


def _judgment(line: Mapping[str, Any], number: int, texts: _Texts, notes: Notes) -> Iterator[Result]:
    question, turn, at = text_of(line.get("question_id")), int(line.get("turn") or 1), line.get("tstamp")
    judge = line.get("judge")
    rater = text_of(judge[0] if isinstance(judge, list) and judge else judge)
    if line.keys() >= SINGLE:
        value = None if line["score"] == FAILED else line["score"]
        score = Score(rater, "judge", SCORE, value, text_of(line.get("judgment")), at)
        yield _response(question, turn, text_of(line["model"]), number, texts)._replace(score=score)
        return
    if line.keys() >= PAIR:
        sides = text_of(line["model_1"]), text_of(line["model_2"])
        orders = [("g1_winner", "a", "g1_judgment"), ("g2_winner", "b", "g2_judgment")]
        kind, words = "judge", {"model_1": "a", "model_2": "b", "tie": "tie"}
    elif line.keys() >= BATTLE:
        sides = text_of(line["model_a"]), text_of(line["model_b"])
        orders = [("winner", "", "")]
        # A list names a judge and its prompt; people have a name alone.
        kind = "judge" if isinstance(judge, list) else "human"
        words = {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "tie"}
    else:
        notes.leave_out(sentence("lines of an unknown kind"))
        return
    first, second = sides
    for column, shown, reason in orders:
        value = words.get(text_of(line[column]))
        if value is None and kind == "human":
            notes.leave_out(sentence("choices without a winner"))
            continue
        choice = Choice(
            rater,
            "human" if kind == "human" else "judge",
            WINNER,
            value,
            second,
            _answer(question, turn, second, texts),
            shown,
            text_of(line.get(reason)) or ("" if value else text_of(line[column])),
            at,
        )
        yield _response(question, turn, first, number, texts)._replace(choice=choice)
