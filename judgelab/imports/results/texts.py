"""Finding an item's texts among the variables of an evaluation, by the names that an import knows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.fields import recognise
from judgelab.imports.core.records import derived_id

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}  # by LangChain's types
_JUDGES = re.compile(r"judge|grader|graded|rubric|(?<![a-z])llm(?![a-z])|g-?eval", re.IGNORECASE)


def is_judge_name(name: str) -> bool:
    """Return whether a scorer or metric is a language model's by its name, if nothing else says so.

    >>> [is_judge_name(name) for name in ("judge_helpfulness", "model_graded_qa", "exact_match")]
    [True, True, False]
    """
    return _JUDGES.search(name) is not None


def message_text(content: Any) -> str:
    """Return the text of a message or of its content: a text, or a list of parts some of which are texts."""
    if isinstance(content, Mapping):
        content = content.get("content") if "content" in content else content.get("text", "")
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [part for part in content if isinstance(part, str) or _is_text(part)]
        return "\n".join(filter(None, map(message_text, parts)))
    return "" if isinstance(content, Mapping) else text_of(content)


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type", "text") in ("text", "input_text", "output_text")


def turns_of(messages: Sequence[Any]) -> list[Mapping[str, Any]]:
    """Return the messages, those of LangChain with roles: it writes types, constructors, and lists in lists.

    >>> turns_of([[{"lc": 1, "kwargs": {"type": "human", "content": "Why?"}}]])
    [{'type': 'human', 'content': 'Why?', 'role': 'user'}]
    """
    listed = messages[0] if len(messages) == 1 and isinstance(messages[0], list) else messages
    turns = []
    for turn in listed:
        if isinstance(turn, Mapping):
            said = turn["kwargs"] if isinstance(turn.get("kwargs"), Mapping) else turn
            role = ROLES.get(text_of(said.get("type")))
            turns.append(said if role is None or said.get("role") else {**said, "role": role})
    return turns


def conversation_text(messages: Sequence[Any]) -> str:
    """Return messages as one text: a single one as it is, several with their roles."""
    turns = [(text_of(turn.get("role")), message_text(turn)) for turn in turns_of(messages)]
    turns = [(role, text) for role, text in turns if text]
    if len(turns) == 1:
        return turns[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in turns)


def last_answer(messages: Sequence[Any]) -> str:
    """Return the text of the assistant's last turn that has one."""
    answers = (message_text(turn) for turn in reversed(turns_of(messages)) if _is_answer(turn))
    return next(filter(None, answers), "")


ANSWERS = ("answer", "output", "text", "content", "result", "message", "value", "generations")
MOST_NESTED = 10  # objects inside objects


def answer_text(output: Any, *, depth: int = 0) -> str:
    r"""Return the text of a response inside what a program gave back; an object without one as its lines.

    >>> answer_text({"answer": "Yes.", "tokens": 3}), answer_text([{"role": "assistant", "content": "No."}])
    ('Yes.', 'No.')
    >>> answer_text({"city": "Rome", "days": 3})
    'city: Rome\ndays: 3'
    """
    if depth > MOST_NESTED:
        return ""
    if isinstance(output, Mapping):
        if isinstance(turns := output.get("messages"), list):
            return last_answer(turns)
        if isinstance(choices := output.get("choices"), list) and choices:
            return answer_text(choices[0], depth=depth + 1)
        keys = [*(key for key in output if recognise(str(key)) == "response"), *ANSWERS]
        found = (answer_text(output[key], depth=depth + 1) for key in keys if key in output)
        if text := next(filter(None, found), ""):
            return text
        parts = {key: answer_text(value, depth=depth + 1) for key, value in output.items()}
        if len(parts) == 1:
            return next(iter(parts.values()))
        return "\n".join(f"{key}: {text}" for key, text in parts.items() if text)
    if isinstance(output, list):
        texts = (answer_text(part, depth=depth + 1) for part in output if isinstance(part, (Mapping, list)))
        return last_answer(output) or message_text(output) or "\n".join(filter(None, texts))
    return text_of(output)


def _is_answer(turn: Any) -> bool:
    return isinstance(turn, Mapping) and turn.get("role") in ("assistant", "ai", "model")


def _shown(value: Any) -> str:
    """Return a text of an item: turns with their roles, the parts of a list or object one below the other."""
    if isinstance(value, Mapping):
        parts = {name: _shown(part) for name, part in value.items()}
        return next(iter(parts.values())) if len(parts) == 1 else "\n".join(map(": ".join, parts.items()))
    if isinstance(value, (list, tuple)):
        turns = any(isinstance(part, Mapping) and "role" in part for part in value)
        return conversation_text(value) if turns else "\n\n".join(map(_shown, value))
    return text_of(value)


class ItemTexts(NamedTuple):
    """An item's id and texts; the id is made from the texts where none is given."""

    item: str
    question: str
    context: str
    reference: Any
    group: str


def item_texts(variables: Mapping[str, Any], *, item: str = "", question: str = "") -> ItemTexts:
    """Return the item that variables describe.

    Args:
        variables: texts by name, such as {"question": …, "reference": …}; others are added to the question.
        item: the item's id, if the file has one of its own; a variable that is an id comes first.
        question: the question, if it is not among the variables.
    """
    found: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in variables.items():
        field = recognise(name)
        if is_missing(value):
            continue
        if field in ("item_id", "question", "context", "reference", "group") and field not in found:
            found[field] = value
        else:
            others[name] = value
    asked = _shown(found.get("question", "")) or question
    if not asked:
        asked = _shown(others)
    context = _shown(found.get("context", ""))
    return ItemTexts(
        text_of(found.get("item_id", "")) or item or derived_id("i", asked, context),
        asked,
        context,
        found.get("reference", ""),
        text_of(found.get("group", "")),
    )
