"""A prompt of others as one template: their file as it is, and by hand what its placeholders mean."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Message
from judgelab.errors import InvalidInput
from judgelab.protocols.core.placeholders import EVERY, JUDGED, LISTS, Fields
from judgelab.protocols.core.prompts import broken_up
from judgelab.wording import sentence

WHOLE, PLACEHOLDERS = "prompt", "placeholders"
LITERAL = "literal"  # what looks like a placeholder and is text
ROLES = ("system", "user", "assistant")
# How programs write a place to be filled: {{Document}} {question} {#question} {} <<answer>> %(text)s %s
# ${text} $text [QUESTION] <question>. Braces of JSON and [[A]] are none.
KINDS = (
    r"\{\{\s*[A-Za-z_][\w .-]*\}\}",
    r"(?<!\{)\{(?:#?[A-Za-z_][\w.]*|\d*)\}(?!\})",
    r"<<[^<>\n]{1,40}>>",
    r"%\(\w+\)[sd]",
    r"%[sd]\b",
    r"\$\{\w+\}",
    r"\$[A-Za-z_]\w*",
    r"(?<!\[)\[[A-Z][A-Z0-9_ ]+\](?!\])",
)
_PLACE = re.compile("|".join(KINDS))
_MARK = re.compile(r"</?[A-Za-z][^<>\n]{0,60}>|(?<!\[)\[/?[A-Za-z][^\[\]\n]{2,60}\](?!\])")
_TAG = re.compile(r"(?<!<)<([A-Za-z_][\w -]*)>(?!>)")

Mapped = Mapping[str, Sequence[str]]


def read_mapping(text: str) -> dict[str, list[str]]:
    """Return what each placeholder means, from lines `{{Document}} = context`.

    One that is there more than once in the file and means another thing each time (%s) has as many lines.

    Raises:
        InvalidInput: a line cannot be read.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in filter(None, (one.strip() for one in text.splitlines())):
        token, sign, field = (one.strip() for one in line.partition("="))
        if not sign or not token or not field:
            raise InvalidInput(
                sentence(
                    "the placeholder '{line}' cannot be read; write it as the file has it, = and a field, "
                    "for example {example}.",
                    line=line[:60],
                    example="{{Document}}=context",
                )
            )
        found[token].append(field)
    return dict(found)


def written_mapping(mapped: Mapped) -> str:
    """Return the lines that `read_mapping` reads."""
    return "\n".join(f"{token} = {field}" for token, fields in mapped.items() for field in fields)


def placeholders_in(text: str) -> list[str]:
    """Return what looks like a placeholder in a file, each once, in the order of the text."""
    contents = "\n".join(message.content for message in messages_of(text))
    closed = {name.casefold() for name in re.findall(r"</\s*([A-Za-z_][\w -]*)>", contents)}
    tags = [found for found in _TAG.finditer(contents) if found[1].casefold() not in closed]
    found = sorted([*_PLACE.finditer(contents), *tags], key=lambda one: one.start())
    return list(dict.fromkeys(one[0] for one in found))


def places_of(token: str, contents: str) -> int:
    """Return how often a placeholder stands in a text."""
    return len(_either([token]).findall(contents))


def messages_of(text: str) -> list[Message]:
    """Return the turns of a file: those of a JSON list of messages, else the whole as the user's."""
    try:
        data: Any = json.loads(text)
    except ValueError:
        return [Message("user", text.strip())]
    turns = data.get("messages") if isinstance(data, dict) else data
    if not isinstance(turns, list):
        return [Message("user", text.strip())]
    for turn in turns:
        if (
            not isinstance(turn, dict)
            or turn.get("role") not in ROLES
            or not isinstance(turn.get("content"), str)
        ):
            raise InvalidInput(
                sentence(
                    "the prompt is a JSON list, and a part of it is no message; each needs a role ({roles}) "
                    "and a text as content.",
                    roles=", ".join(ROLES),
                )
            )
    if not turns or turns[-1]["role"] != "user":
        raise InvalidInput(sentence("the last message of a prompt must be the user's."))
    return [Message(turn["role"], turn["content"]) for turn in turns]


def checked(text: str, mapped: Mapped, parts: Sequence[str], about: Sequence[str] = JUDGED) -> list[Message]:
    """Return the turns of the file, if its placeholders and the mapping suit one another.

    One of them must mean a field of `about`: the text under judgment, unless the prompt is about another.

    Raises:
        InvalidInput: a placeholder without a meaning, or a meaning without a place or a field.
    """
    turns = messages_of(text)
    contents = "\n".join(turn.content for turn in turns)
    unmapped = [one for one in placeholders_in(text) if one not in mapped and not _within(one, mapped)]
    if unmapped:
        raise InvalidInput(
            sentence(
                "{names} in the prompt stand for nothing yet; say which field each means (on the command "
                'line --placeholder "{first}=FIELD"), or {literal} where it is plain text. Fields: {fields}.',
                names=", ".join(unmapped),
                first=unmapped[0],
                literal=LITERAL,
                fields=", ".join(dict.fromkeys((*EVERY, *parts))),
            )
        )
    for token, fields in mapped.items():
        there = places_of(token, contents)
        if not there or (len(fields) > 1 and there != len(fields)):
            raise InvalidInput(
                sentence(
                    "the placeholder {token} has {given} meanings and stands in the prompt {there} times; "
                    "give one, or one for each place.",
                    token=token,
                    given=len(fields),
                    there=there,
                )
            )
        for field in fields:
            _known(field, parts)
    meant = {_name(field) for fields in mapped.values() for field in fields}
    if not meant & set(about):
        raise InvalidInput(
            sentence(
                "no placeholder of the prompt means the text under judgment; map one to {fields}.",
                fields=", ".join(about),
            )
            if about is JUDGED
            else sentence(
                "no placeholder of the prompt means what it is about; map one to {fields}.",
                fields=", ".join(about),
            )
        )
    return turns


def whole_prompt(text: str, mapped: Mapped, fields: Fields, about: Sequence[str] = JUDGED) -> list[Message]:
    """Return a file's turns with every placeholder filled, in one pass.

    What is put in is never looked at again: a text under judgment that holds a placeholder keeps it.

    Raises:
        InvalidInput: see `checked`; or the protocol has no such field.
    """
    turns = checked(text, mapped, list(fields.single), about)
    marks = _marks("\n".join(turn.content for turn in turns), mapped)
    met: Counter[str] = Counter()

    def put(found: re.Match[str]) -> str:
        token = found[0]
        meant = mapped[token][met[token] % len(mapped[token])]
        met[token] += 1
        if meant == LITERAL:
            return token
        name, _, form = meant.partition(":")
        if name not in fields:
            raise InvalidInput(
                sentence("this protocol's prompt has no field '{name}' ({token}).", name=name, token=token)
            )
        value = fields.text(name, form.strip()) if form else fields.text(name)
        return broken_up(value, marks) if name in EVERY else value

    either = _either(list(mapped))
    return [Message(turn.role, either.sub(put, turn.content)) for turn in turns]


def _either(tokens: Sequence[str]) -> re.Pattern[str]:
    # The longest first: {{text}} is no {text}.
    return re.compile("|".join(re.escape(one) for one in sorted(tokens, key=len, reverse=True)) or r"(?!)")


def _within(token: str, mapped: Mapped) -> bool:
    """Return whether a mapped placeholder holds this one ("INSERT [TEXT] HERE")."""
    return any(token in other for other in mapped)


def _name(field: str) -> str:
    return field.partition(":")[0].strip()


def _known(field: str, parts: Sequence[str]) -> None:
    name, form = _name(field), field.partition(":")[2]
    if name != LITERAL and name not in (*EVERY, *parts):
        raise InvalidInput(
            sentence(
                "there is no field '{name}'; known: {fields}, {literal}.",
                name=name,
                fields=", ".join(dict.fromkeys((*EVERY, *parts))),
                literal=LITERAL,
            )
        )
    if form and name not in LISTS:
        raise InvalidInput(sentence("only {fields} take a form after the colon.", fields=", ".join(LISTS)))


def _marks(contents: str, mapped: Mapped) -> list[str]:
    """Return the tags and marks in the file's own words: no text under judgment may speak with them."""
    own = _either([one for one, fields in mapped.items() if LITERAL not in fields]).sub("\n", contents)
    return list(dict.fromkeys(_MARK.findall(own)))
