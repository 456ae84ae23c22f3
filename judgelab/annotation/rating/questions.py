"""Questions that a project asks raters about each unit beside the criteria; they have answers, not scores."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.scales import scale_from_json
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark, sentence

KINDS = {
    "text": mark("free text"),
    "number": mark("number"),
    "choice": mark("one option"),
    "choices": mark("several options"),
}
OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
CONDITION = re.compile(rf"\s*(\S.*?)\s*({'|'.join(OPERATORS)})\s*(\S.*?)\s*")
LONGEST_KEY = 40
KEY = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_KEY - 1}}}")
MOST_QUESTIONS, MOST_OPTIONS, LONGEST_ANSWER, LONGEST_WORDING = 20, 50, 5_000, 500


@dataclass(frozen=True)
class Condition:
    """When a question is asked: a criterion's score or another question's answer, compared with a value.

    `in_set`: the score is a set of labels, and the value one of them.
    """

    of: str
    operator: str
    value: float | str
    in_set: bool = False

    def holds(self, given: Any) -> bool:
        """Return whether it holds for a score or answer; never for a missing one.

        Several options or labels hold "=" if the value is one of them.
        """
        if given is None or given == "":
            return False
        if isinstance(given, list):
            return (self.value in given) == (self.operator == "=")
        if self.in_set:
            return bool(int(given) & int(self.value)) == (self.operator == "=")
        if isinstance(given, str) != isinstance(self.value, str):
            return False
        return OPERATORS[self.operator](given, self.value)


@dataclass(frozen=True)
class Question:
    """One question on the rating screen.

    Attributes:
        key: its name in answers and exports.
        text: the question as raters read it.
        kind: one of `KINDS`.
        options: what can be chosen.
        required: whether a unit is only done with an answer.
        when: when it is asked; always if empty.
    """

    key: str
    text: str
    kind: str = "text"
    options: tuple[str, ...] = ()
    required: bool = False
    when: Condition | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the question for the rating screen."""
        return asdict(self)


def project_questions(project: ProjectInfo) -> tuple[Question, ...]:
    """Return what a project asks raters beside its criteria."""
    return read_questions(project.settings.get("questions") or [], project.criteria)


def check_conditions(questions: Sequence[Question], criteria: Sequence[Criterion], *, form: str) -> None:
    """Raise `InvalidInput` if a question depends on a score that the form of rating does not ask for."""
    keys = {criterion.key for criterion in criteria}
    for question in questions:
        if form != "pointwise" and question.when is not None and question.when.of in keys:
            raise InvalidInput(
                sentence(
                    "the question '{key}' depends on a score, which works only if raters score single "
                    "responses; remove its condition.",
                    key=question.key,
                )
            )


def read_questions(rows: object, criteria: Sequence[Criterion]) -> tuple[Question, ...]:
    """Return the questions of a project's settings, as `questions` stores them.

    Args:
        rows: one object a question: key, text, kind, options, required, when (such as "relevance < 3").
        criteria: the project's criteria, which `when` can name.

    Raises:
        InvalidInput: a question cannot be asked; the message names its number.
    """
    found: list[Question] = []
    for number, row in enumerate(list_of_rows(rows), 1):
        try:
            found.append(_question(row, found, criteria))
        except InvalidInput as error:
            raise InvalidInput(sentence("question {n}: {why}", n=number, why=str(error))) from None
    return tuple(found)


def list_of_rows(rows: object) -> list[Mapping[str, Any]]:
    """Return what is a list with one object per question; raises `InvalidInput` for anything else."""
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidInput(sentence("write the questions as a list with one object per question."))
    if len(rows) > MOST_QUESTIONS:
        raise InvalidInput(sentence("there can be at most {n} questions.", n=MOST_QUESTIONS))
    return rows


def asked(
    questions: Sequence[Question], scores: Mapping[str, Any], answers: Mapping[str, Any]
) -> Iterator[Question]:
    """Yield the questions whose condition holds; one that depends on a question not asked is not asked."""
    open_keys: set[str] = set()
    keys = {question.key for question in questions}
    for question in questions:
        when = question.when
        if when is not None:
            if when.of in keys and when.of not in open_keys:
                continue
            if not when.holds(answers.get(when.of) if when.of in keys else scores.get(when.of)):
                continue
        open_keys.add(question.key)
        yield question


def checked_answers(
    questions: Sequence[Question], scores: Mapping[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the answers to the questions that are asked; empty ones and those not asked are left out.

    Raises:
        InvalidInput: an answer does not fit its question.
    """
    known = {question.key: question for question in questions}
    fitting = {key: _fitting(known[key], value) for key, value in answers.items() if key in known}
    given = {key: value for key, value in fitting.items() if value not in (None, "", [])}
    return {
        question.key: given[question.key]
        for question in asked(questions, scores, given)
        if question.key in given
    }


def unanswered(
    questions: Sequence[Question], scores: Mapping[str, Any], answers: Mapping[str, Any]
) -> list[Question]:
    """Return the required questions that are asked and have no answer."""
    return [
        question
        for question in asked(questions, scores, answers)
        if question.required and question.key not in answers
    ]


def answer_in_words(answer: Any) -> str:
    """Return an answer as text; several options are separated by semicolons, no answer is empty."""
    if isinstance(answer, list):
        return "; ".join(answer)
    if isinstance(answer, float):
        return f"{answer:.15g}"  # 2, not 2.0
    return "" if answer is None else str(answer)


def _question(
    row: Mapping[str, Any],
    before: Sequence[Question],
    criteria: Sequence[Criterion],
) -> Question:
    key, text, kind = (str(row.get(name) or "").strip() for name in ("key", "text", "kind"))
    kind = kind or "text"
    taken = {question.key for question in before} | {criterion.key for criterion in criteria}
    if not KEY.fullmatch(key):
        raise InvalidInput(
            sentence(
                "'{key}' is not a valid key; use lowercase letters, digits and _, and start with a letter.",
                key=key[:60],
            )
        )
    if key in taken:
        raise InvalidInput(
            sentence(
                "the key '{key}' is already used by a criterion or another question; choose another.", key=key
            )
        )
    if not 0 < len(text) <= LONGEST_WORDING:
        raise InvalidInput(sentence("enter a text of at most {most} characters.", most=LONGEST_WORDING))
    if kind not in KINDS:
        raise InvalidInput(sentence("its kind must be one of {kinds}.", kinds=", ".join(KINDS)))
    written = row.get("options") or []
    options = written.split("|") if isinstance(written, str) else list(map(str, written))
    options = [option.strip() for option in options if option.strip()]
    if kind in ("choice", "choices") and not 2 <= len(set(options)) == len(options) <= MOST_OPTIONS:
        raise InvalidInput(
            sentence("enter 2 to {most} different options, separated by |.", most=MOST_OPTIONS)
        )
    when = str(row.get("when") or "").strip()
    condition = _condition(when, before, criteria) if when else None
    asks_options = kind in ("choice", "choices")
    return Question(
        key, text, kind, tuple(options) if asks_options else (), bool(row.get("required")), condition
    )


def _condition(text: str, before: Sequence[Question], criteria: Sequence[Criterion]) -> Condition:
    match = CONDITION.fullmatch(text)
    if match is None:
        raise InvalidInput(
            sentence("'{when}' is not a condition; write one like relevance < 3.", when=text[:80])
        )
    of, sign, value = match.groups()
    for question in before:
        if question.key == of:
            return Condition(of, sign, _number_of(value) if question.kind == "number" else value)
    for criterion in criteria:
        if criterion.key == of:
            scale, label = scale_from_json(criterion.scale), value.casefold()
            labelled = {point.label.casefold(): point.value for point in scale.points() if point.label}
            compared = labelled[label] if label in labelled else _number_of(value)
            return Condition(of, sign, compared, in_set=scale.several and compared > 0)
    names = [*(criterion.key for criterion in criteria), *(question.key for question in before)]
    raise InvalidInput(
        sentence(
            "there is no criterion or earlier question '{name}'; the condition can use: {known}.",
            name=of[:60],
            known=", ".join(names) or "–",
        )
    )


def _number_of(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(
            sentence(
                "'{value}' in the condition is neither a number nor a label of the scale.", value=text[:60]
            )
        )
    return value


def _fitting(question: Question, value: Any) -> Any:
    if value is None:
        return None
    fits = {
        "text": isinstance(value, str) and len(value) <= LONGEST_ANSWER,
        "number": isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
        "choice": isinstance(value, str) and (value == "" or value in question.options),
        "choices": isinstance(value, list)
        and all(isinstance(one, str) and one in question.options for one in value),
    }[question.kind]
    if not fits:
        raise InvalidInput(
            sentence("the answer to “{question}” is not valid; change it.", question=question.text)
        )
    if question.kind == "text":
        return value.strip()
    return [option for option in question.options if option in value] if question.kind == "choices" else value
