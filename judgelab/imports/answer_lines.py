"""Read QA-eval's file format: one JSON object per line with question, gold answers and candidate answer."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgelab.domain import Problem
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.wording import mark, sentence

QUESTION = ("question", "query")
GOLD = ("answer", "answers", "gold", "gold_answers", "golden_answers", "references", "reference")
CANDIDATE = ("prediction", "candidate", "candidate_answer", "response", "output")
SYSTEM = ("system", "model")


@dataclass(frozen=True)
class AnswerLine:
    """One line: its number, the question, the gold answers, the candidate and, if given, its system."""

    number: int
    question: str
    gold: tuple[str, ...]
    candidate: str
    system: str = ""

    def to_record(self) -> dict[str, Any]:
        """Return the line as a nested record for the importer: an item with one response."""
        return {
            "item_id": hashlib.sha256(json.dumps([self.question, self.gold]).encode()).hexdigest()[:16],
            "question": self.question,
            "references": list(self.gold),
            "response_id": str(self.number),
            "system": self.system,
            "response": self.candidate,
        }


def read_answer_lines(path: Path) -> list[AnswerLine]:
    """Return the lines of a file, without blank ones.

    An empty candidate is judged like any other answer.

    Raises:
        InvalidInput: the file does not exist or has no line.
        ImportProblems: lists every line that cannot be judged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            sentence("can't read {path}: {error}.", path=str(path), error=error.strerror or str(error))
        ) from None
    lines: list[AnswerLine] = []
    problems: list[Problem] = []
    # Not splitlines, which would also split at unusual line ends within a text.
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        if not line.strip():
            continue
        result = _read(number, line)
        if isinstance(result, Problem):
            problems.append(result)
        else:
            lines.append(result)
    if problems:
        raise ImportProblems(path.name, problems)
    if not lines:
        raise InvalidInput(
            sentence("{path} has no line to judge; write one JSON object per line.", path=path.name)
        )
    return lines


def _read(number: int, line: bytes) -> AnswerLine | Problem:
    try:
        row = json.loads(line.decode())
    except UnicodeDecodeError:
        return Problem(sentence("this is not UTF-8 text; save the file as UTF-8"), row=number)
    except (ValueError, RecursionError):
        return Problem(sentence("this is not a JSON object; write one object per line"), row=number)
    if not isinstance(row, Mapping):
        return Problem(sentence("this is not a JSON object; write one object per line"), row=number)
    values = {str(key).strip().lower(): value for key, value in row.items()}
    question, gold, candidate = (_first(values, names) for names in (QUESTION, GOLD, CANDIDATE))
    if not isinstance(question, str) or not question.strip():
        return _missing_field(number, mark("question"), QUESTION)
    answers = [gold] if isinstance(gold, str | int | float) else gold
    if not isinstance(answers, list) or not answers or not all(_is_text(answer) for answer in answers):
        return _missing_field(number, mark("reference answer"), GOLD)
    if not isinstance(candidate, str | int | float) or isinstance(candidate, bool):
        return _missing_field(number, mark("candidate answer"), CANDIDATE)
    system = _first(values, SYSTEM)
    return AnswerLine(
        number,
        question.strip(),
        tuple(str(answer) for answer in answers),
        str(candidate),
        system.strip() if isinstance(system, str) else "",
    )


def _first(values: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((values[name] for name in names if values.get(name) is not None), None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip() != ""


def _missing_field(number: int, what: str, names: Sequence[str]) -> Problem:
    return Problem(
        sentence(
            "the line has no {what}; add it under one of these names: {names}",
            what=sentence(what),
            names=", ".join(names[:3]),
        ),
        row=number,
    )
