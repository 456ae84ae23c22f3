"""What people answered in forms and surveys: which answers are ratings, and which of the texts was rated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.fields import recognise, snake_case
from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Result
from judgelab.imports.results.texts import answer_text, item_texts

TRUE, FALSE = "true", "false"
_BETWEEN = re.compile(r"\s*\n-{3,}\n\s*")  # between a question and a response in one text
LONGEST_CHOICE = 60  # characters; a longer answer is a remark
# Texts of a task that people rate, if none is called a response; `answer` may be the reference beside one.
RATED = ("answer", "text", "displayed_text", "content", "body", "sentence")
# What crowd platforms and surveys ask about people themselves.
_ABOUT_PEOPLE = re.compile(
    r"(?:^|_)(?:age|gender|sex|country|nationality|ethnicity|education|occupation|employment|student|income"
    r"|birth|native|consent|email|name|prolific|pid|worker|captcha|browser|ip)(?:_|$)"
)


def is_about_people(name: str) -> bool:
    """Return whether an answer is about the person who gives it, by its name; such answers are no ratings.

    >>> [is_about_people(name) for name in ("Age", "native language", "average quality")]
    [True, True, False]
    """
    return _ABOUT_PEOPLE.search(snake_case(name)) is not None


def is_remark(name: str, values: Iterable[Any]) -> bool:
    """Return whether a question is answered by texts in a person's own words."""
    if recognise(name) == "comment" or snake_case(name).endswith(("_comment", "_comments")):
        return True
    texts = [text_of(value) for value in values if not is_missing(value)]
    return any(len(text) > LONGEST_CHOICE or "\n" in text for text in texts)


def without_response(variables: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Return the response among a task's texts, its system, and the other texts."""
    rest = dict(variables)
    system = next((name for name in rest if recognise(name) == "system"), None)
    named = next((name for name in rest if recognise(name) == "response"), None)
    rated = named or next((name for word in RATED for name in rest if snake_case(name) == word), None)
    response = answer_text(rest.pop(rated)) if rated is not None else ""
    return response, text_of(rest.pop(system)) if system is not None else "", rest


def rated_response(variables: Mapping[str, Any], row: int, own: str = "") -> Result:
    """Return the response that a task shows, without a score.

    Args:
        variables: the task's texts; a text may be "question, line of hyphens, response".
        row: its place in the file.
        own: the tool's id of the task, which names an item without a question.
    """
    response, system, others = without_response(variables)
    parts = _BETWEEN.split(response, maxsplit=1)
    if len(parts) == 2 and not any(recognise(name) == "question" for name in others):
        others["question"], response = parts
    described = any(not is_missing(value) for value in others.values())
    # Without any other text, what is rated is the item itself.
    texts = item_texts(others, item="" if described else own or derived_id("i", response))
    item, question, context, reference, group = texts
    return Result(item, row, response, system, question, context, reference, group)


def chosen(value: Any) -> Any:
    """Return what was chosen: an object of choices with true and false has one that is true, else None.

    >>> chosen({"1": False, "2": True}), chosen({"label": "good"}), chosen("true"), chosen({"on": False})
    ('2', 'good', True, False)
    """
    if isinstance(value, Mapping):
        if set(value) == {"on"}:
            return chosen(value["on"])
        if set(value) == {"label"}:
            return value["label"]
        true = [name for name, one in value.items() if chosen(one) is True]
        return true[0] if len(true) == 1 else None
    word = text_of(value).strip().lower()
    return {TRUE: True, FALSE: False}.get(word, value)
