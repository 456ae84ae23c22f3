"""What tools that trace programs have in common: inputs, outputs, metadata, scores sent by programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from judgelab import literals
from judgelab.domain import RaterKind
from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.problems import listing
from judgelab.imports.results.base import Result
from judgelab.imports.results.texts import (
    answer_text,
    conversation_text,
    is_judge_name,
    item_texts,
    message_text,
)
from judgelab.wording import counted, sentence

HUMAN, JUDGE = "human", "judge"  # the names of raters that a file does not name
FOR_ITEMS = ("item_id", "context", "reference", "group", "question")
MOST_NAME = 60  # characters of a system's name; a longer text is a prompt
_PEOPLE = re.compile(
    r"(?<![a-z])(human|user|people|person|annotator|expert|thumbs?)(?![a-z])|feedback", re.IGNORECASE
)
_COMPUTED = re.compile(
    r"exact|match|(?<![a-z])f1(?![0-9])|bleu|rouge|meteor|bertscore|chrf|embedding|distance|similarity|latency"
    r"|length|tokens?(?![a-z])|regex|valid_json|is_json",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\n|[.!?]\s*$")
ELSEWHERE = ("source", "title")  # in metadata, these are about the program and not texts of the item
_NAN = re.compile(r"(?<=[\[(:, ])nan(?=[,)\]}])")


def result_of(
    asked: Any, answer: Any, about: Any, number: int, *, item: str = "", system: str = "", reference: Any = ""
) -> Result:
    """Return the response in a trace.

    Args:
        asked: the input of the program: a text, variables by name, or messages.
        answer: what it gave back.
        about: metadata; an id, reference or context among them belongs to the item.
        number: the place in the file.
        item: the item's id, if neither input nor metadata has one.
        system: the system's name, if neither has one.
        reference: the reference, if it is not among the variables.
    """
    variables: dict[str, Any] = {}
    named = ""
    if isinstance(asked, Mapping):
        if isinstance(turns := asked.get("messages"), list):
            variables["question"] = conversation_text(turns)
        for key, value in asked.items():
            if recognise(str(key)) == "system" and _is_name(value):
                named = value
            elif key != "messages" or not isinstance(value, list):
                variables[str(key)] = _plain(value)
    else:
        variables["question"] = _plain(asked)
    if isinstance(about, Mapping):
        own = {
            str(key): value
            for key, value in about.items()
            if recognise(str(key)) in FOR_ITEMS and key not in ELSEWHERE
        }
        variables = {**own, **variables}
        models = (text_of(value) for key, value in about.items() if recognise(str(key)) == "system")
        named = next(filter(None, models), "") or named
    texts = item_texts(variables, item=item)
    return Result(
        texts.item,
        number,
        answer_text(answer),
        named or system,
        texts.question,
        texts.context,
        reference if is_missing(texts.reference) else texts.reference,
        texts.group,
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_NAME and not _SENTENCE.search(value)


def _plain(value: Any) -> Any:
    """Return a part of an input as text: messages as a conversation, and the text inside an object."""
    if isinstance(value, list) and any(isinstance(one, Mapping) and "role" in one for one in value):
        return conversation_text(value)
    return message_text(value) or value if isinstance(value, Mapping) else value


def inside(cell: Any) -> Any:
    """Return the object, list or text that is written into a cell as JSON or Python; other cells as they are.

    >>> inside("{'a': 1}"), inside('{"a": null}'), inside("It's {a}")
    ({'a': 1}, {'a': None}, "It's {a}")
    """
    text = cell.strip() if isinstance(cell, str) else ""
    if not text or text[0] + text[-1] not in ("{}", "[]", '""'):
        return cell
    for read in (json.loads, literals.literal_value, _value_with_nan):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return cell


def _value_with_nan(text: str) -> Any:
    return literals.literal_value(_NAN.sub("None", text))


def number_of(cell: Any) -> Any:
    """Return the number in a cell of a table, so that it equals that of a JSON file; other cells as they are.

    >>> number_of("4"), number_of("curt"), number_of(True)
    (4.0, 'curt', True)
    """
    if not isinstance(cell, str):
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


def kind_by_name(name: str) -> RaterKind | None:
    """Return who gave a score that a program sent, or None if its name does not say so.

    >>> [kind_by_name(name) for name in ("user_rating", "judge_tone", "length", "tone")]
    ['human', 'judge', 'metric', None]
    """
    if is_judge_name(name):
        return "judge"
    if _PEOPLE.search(name):
        return "human"
    return "metric" if _COMPUTED.search(name) else None


class Judges:
    """The models of judges by what they score, for the judgments whose file does not name the model."""

    def __init__(self) -> None:
        self._models: dict[str, set[str]] = {}

    def add(self, criterion: str, model: str) -> None:
        """Remember the model of a judgment."""
        if model:
            self._models.setdefault(criterion, set()).add(model)

    def score(self, criterion: str) -> bool:
        """Return whether a judge scores this."""
        return criterion in self._models

    def name(self, criterion: str) -> str:
        """Return the only model that scores this; if there is none or are several, what is scored."""
        models = self._models.get(criterion, set())
        return next(iter(models)) if len(models) == 1 else criterion


class Sent:
    """The scores that a program sent, which do not say who gave them."""

    def __init__(self) -> None:
        self._names: dict[RaterKind, list[str]] = {"human": [], "judge": [], "metric": []}

    def kind_of(self, name: str, usual: RaterKind) -> RaterKind:
        """Return who gave the scores of this name; it is said for each name."""
        kind = kind_by_name(name) or usual
        if name not in self._names[kind]:
            self._names[kind].append(name)
        return kind

    def sentences(self) -> Iterator[str]:
        """Yield how such scores were read."""
        if names := self._names["human"]:
            yield sentence(
                "scores that a program sent, read as a person's by their names: {names}", names=listing(names)
            )
        if names := self._names["judge"]:
            yield sentence("scores that a program sent, read as a judge's: {names}", names=listing(names))
        if names := self._names["metric"]:
            yield sentence("scores that a program sent, read as a metric's: {names}", names=listing(names))


def reason(value: Any) -> str:
    """Return why a judge's score without any comment has no value; "" if it has one."""
    return sentence("the file has no value") if value is None else ""


def without_texts(n: int) -> str:
    """Return the notice about scores whose traces are in none of the files."""
    return counted(
        "{n} trace has scores, but its texts are in none of the files; it is named by its id. Import the "
        "file with the traces together with the scores",
        "{n} traces have scores, but their texts are in none of the files; they are named by their ids. "
        "Import the file with the traces together with the scores",
        n,
    )


def latest_of_people(results: Iterator[Result]) -> Iterator[Result]:
    """Yield the results; of a person's scores of a response by one criterion, the last one counts."""
    kept: dict[Any, Result] = {}
    for number, result in enumerate(results):
        score = result.score
        if score is None or score.kind != "human":
            kept[number] = result
            continue
        key = (result.item, result.system, result.response_id, result.response, score.rater, score.criterion)
        before = kept.get(key)
        if before is None or before.score is None or text_of(score.at) >= text_of(before.score.at):
            kept[key] = result
    yield from kept.values()
