"""The questions of a recruitment link's forms: the background form and the exit questionnaire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

KINDS = ("text", "paragraph", "number", "choice", "choices")  # `text` is one line; `choices` allow several
WITH_OPTIONS = ("choice", "choices")
MOST_QUESTIONS, MOST_OPTIONS, LONGEST_LABEL = 30, 100, 300
LONGEST_ANSWER = {"text": 2000, "paragraph": 5000}


@dataclass(frozen=True)
class FormQuestion:
    """One question of a form; the answer is stored under `label`."""

    label: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    required: bool = True


class IncompleteAnswers(InvalidInput):
    """A form is incomplete; `errors` are by the question's position."""

    def __init__(self, errors: Mapping[int, str]) -> None:
        super().__init__(sentence("some answers are missing or not valid."))
        self.errors = errors


def questions_from_json(rows: Sequence[Mapping[str, Any]]) -> tuple[FormQuestion, ...]:
    """Return questions from their stored form."""
    return tuple(FormQuestion(**{**row, "choices": tuple(row["choices"])}) for row in rows)


def read_question(written: str) -> FormQuestion:
    """Return the question described by `Age: number`, `Job: text, optional` or `Hand: choice=left|right`."""
    label, colon, rest = written.rpartition(":")
    parts = [part.strip() for part in rest.rsplit(",", 1)]
    optional = len(parts) == 2 and parts[1] == "optional"
    kind, _, listed = (parts[0] if optional else rest.strip()).partition("=")
    if not colon or (not listed and len(parts) == 2 and not optional):
        raise InvalidInput(
            sentence(
                "'{written}' is not a valid question; write 'Age: number', 'Job: text, optional' or "
                "'Hand: choice=left|right'.",
                written=written,
            )
        )
    choices = tuple(choice.strip() for choice in listed.split("|") if choice.strip())
    return FormQuestion(label.strip(), kind.strip(), choices, not optional)


def written_question(question: FormQuestion) -> str:
    """Return the line that `read_question` reads as this question."""
    kind = f"{question.kind}={'|'.join(question.choices)}" if question.choices else question.kind
    return f"{question.label}: {kind}{'' if question.required else ', optional'}"


def check_questions(questions: Sequence[FormQuestion]) -> None:
    """Raise `InvalidInput` if the questions cannot be asked together on one form."""
    if len(questions) > MOST_QUESTIONS:
        raise InvalidInput(sentence("a form can have at most {n} questions.", n=MOST_QUESTIONS))
    if len({question.label for question in questions}) < len(questions):
        raise InvalidInput(sentence("two questions of a form are the same; change one."))
    for question in questions:
        _check_question(question)


def read_answers(questions: Sequence[FormQuestion], submitted: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    """Return the answers by question; raises `IncompleteAnswers` if one is missing or not valid.

    Args:
        questions: the questions of the form.
        submitted: the submitted values by the question's position.
    """
    answers: dict[str, Any] = {}
    errors: dict[int, str] = {}
    for position, question in enumerate(questions):
        given = [text for text in map(_storable, submitted.get(position, ())) if text]
        try:
            value = _answer(question, given)
        except InvalidInput as error:
            errors[position] = error.args[0]
            continue
        if value is not None:
            answers[question.label] = value
    if errors:
        raise IncompleteAnswers(errors)
    return answers


def _check_question(question: FormQuestion) -> None:
    label = question.label
    if not _storable(label):
        raise InvalidInput(sentence("a question has no text; write it before the colon."))
    if len(label) > LONGEST_LABEL:
        raise InvalidInput(
            sentence(
                "{what} has {n} characters; at most {most} are allowed.",
                what=sentence("a question"),
                n=len(label),
                most=LONGEST_LABEL,
            )
        )
    if question.kind not in KINDS:
        raise InvalidInput(
            sentence("'{label}': after the colon, write one of {known}.", label=label, known=", ".join(KINDS))
        )
    if (question.kind in WITH_OPTIONS) != bool(question.choices):
        raise InvalidInput(
            sentence(
                "'{label}': list options for choice and choices; the other kinds have none.", label=label
            )
        )
    if len(question.choices) > MOST_OPTIONS or len(set(question.choices)) < len(question.choices):
        raise InvalidInput(
            sentence("'{label}': list at most {n} options, each only once.", label=label, n=MOST_OPTIONS)
        )


def _answer(question: FormQuestion, given: Sequence[str]) -> Any:
    if not given:
        if question.required:
            raise InvalidInput(sentence("This field is required."))
        return None
    if question.kind in WITH_OPTIONS:
        if not set(given) <= set(question.choices):
            raise InvalidInput(sentence("Choose one of the listed answers."))
        chosen = [choice for choice in question.choices if choice in given]
        return chosen if question.kind == "choices" else chosen[0]
    if question.kind == "number":
        return _number(given[0])
    longest = LONGEST_ANSWER[question.kind]
    if len(given[0]) > longest:
        raise InvalidInput(sentence("Use at most {n} characters.", n=longest))
    return given[0]


def _number(text: str) -> float | int:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e15:
        raise InvalidInput(sentence("Enter a number."))
    return int(value) if value == int(value) else value


def _storable(text: str) -> str:
    """Return the text trimmed, without null characters and halves of surrogate pairs, not storable."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode().strip()
