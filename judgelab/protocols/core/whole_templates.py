"""A whole custom prompt: a file from elsewhere, with a mapping from its placeholders to fields."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Message
from judgelab.errors import InvalidInput
from judgelab.protocols.core.placeholders import ALL_FIELDS, JUDGED_FIELDS, LIST_FIELDS, Fields
from judgelab.protocols.core.prompts import break_marks
from judgelab.wording import counted, sentence

WHOLE, PLACEHOLDERS = "prompt", "placeholders"
LITERAL = "literal"  # looks like a placeholder but is plain text
ROLES = ("system", "user", "assistant")
# How programs write placeholders: {{Document}} {question} {#question} {} <<answer>> %(text)s %s ${text}
# $text [QUESTION] <question>. Braces of JSON and [[A]] are not placeholders.
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
    """Return the fields of each placeholder, from lines `{{Document}} = context`.

    A placeholder that occurs several times with different meanings (%s) has one line for each occurrence.

    Raises:
        InvalidInput: a line cannot be read.
    """
    mapping: defaultdict[str, list[str]] = defaultdict(list)
    for line in filter(None, (piece.strip() for piece in text.splitlines())):
        token, sign, field = (piece.strip() for piece in line.partition("="))
        if not sign or not token or not field:
            raise InvalidInput(
                sentence(
                    "can't read the placeholder '{line}'; write it as in the file, = and a field, for "
                    "example {example}.",
                    line=line[:60],
                    example="{{Document}}=context",
                )
            )
        mapping[token].append(field)
    return dict(mapping)


def format_mapping(mapped: Mapped) -> str:
    """Return the lines that `read_mapping` reads."""
    return "\n".join(f"{token} = {field}" for token, fields in mapped.items() for field in fields)


def placeholders_in(text: str) -> list[str]:
    """Return everything in a file that looks like a placeholder, each once, in the order of the text."""
    contents = "\n".join(message.content for message in messages_of(text))
    closed = {name.casefold() for name in re.findall(r"</\s*([A-Za-z_][\w -]*)>", contents)}
    tags = [tag for tag in _TAG.finditer(contents) if tag[1].casefold() not in closed]
    matches = sorted([*_PLACE.finditer(contents), *tags], key=lambda match: match.start())
    return list(dict.fromkeys(match[0] for match in matches))


def count_placeholder(token: str, contents: str) -> int:
    """Return how often a placeholder occurs in a text."""
    return len(_any_of([token]).findall(contents))


def messages_of(text: str) -> list[Message]:
    """Return the messages of a file: a JSON list of messages, or the whole text as one user message."""
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
                    "the prompt is a JSON list, but one of its entries is not a message; each needs a "
                    "role ({roles}) and a text as content.",
                    roles=", ".join(ROLES),
                )
            )
    if not turns or turns[-1]["role"] != "user":
        raise InvalidInput(sentence("the last message of a prompt must have the role user."))
    return [Message(turn["role"], turn["content"]) for turn in turns]


def check_template(
    text: str, mapped: Mapped, parts: Sequence[str], about: Sequence[str] = JUDGED_FIELDS
) -> list[Message]:
    """Return the messages of the file after checking its placeholders against the mapping.

    At least one must stand for a field in `about`: by default, the text to be judged.

    Raises:
        InvalidInput: a placeholder is not mapped, or the mapping names an unknown placeholder or field.
    """
    turns = messages_of(text)
    contents = "\n".join(turn.content for turn in turns)
    unmapped = [
        placeholder
        for placeholder in placeholders_in(text)
        if placeholder not in mapped and not _is_part_of_other(placeholder, mapped)
    ]
    if unmapped:
        raise InvalidInput(
            counted(
                "{names} in the prompt has no meaning yet; choose a field for it (on the command line "
                '--placeholder "{first}=FIELD"), or {literal} for plain text. Fields: {fields}.',
                "{names} in the prompt have no meaning yet; choose a field for each (on the command line "
                '--placeholder "{first}=FIELD"), or {literal} for plain text. Fields: {fields}.',
                len(unmapped),
                names=", ".join(unmapped),
                first=unmapped[0],
                literal=LITERAL,
                fields=", ".join(dict.fromkeys((*ALL_FIELDS, *parts))),
            )
        )
    for token, fields in mapped.items():
        count = count_placeholder(token, contents)
        if not count:
            raise InvalidInput(
                sentence(
                    "the placeholder {token} has a meaning but does not occur in the prompt; check how it is "
                    "written, or leave out its meaning.",
                    token=token,
                )
            )
        if len(fields) > 1 and count != len(fields):
            raise InvalidInput(
                counted(
                    "the placeholder {token} has {given} meanings but occurs only once in the prompt; give "
                    "one meaning.",
                    "the placeholder {token} has {given} meanings but occurs {n} times in the prompt; give "
                    "one meaning, or one for each occurrence.",
                    count,
                    token=token,
                    given=len(fields),
                )
            )
        for field in fields:
            _check_field(field, parts)
    used_fields = {_name(field) for fields in mapped.values() for field in fields}
    if not used_fields & set(about):
        raise InvalidInput(
            sentence(
                "no placeholder in the prompt stands for the text to be judged; map one to one of these "
                "fields: {fields}.",
                fields=", ".join(about),
            )
            if about is JUDGED_FIELDS
            else sentence(
                "no placeholder in the prompt stands for a required text; map one to one of these fields: "
                "{fields}.",
                fields=", ".join(about),
            )
        )
    return turns


def fill_template(
    text: str, mapped: Mapped, fields: Fields, about: Sequence[str] = JUDGED_FIELDS
) -> list[Message]:
    """Return the messages of a file with every placeholder filled, in one pass.

    Filled-in values are not searched again: a placeholder in a text to be judged remains as it is.

    Raises:
        InvalidInput: see `check_template`; or the protocol has no such field.
    """
    turns = check_template(text, mapped, list(fields.single), about)
    marks = _marks("\n".join(turn.content for turn in turns), mapped)
    seen: Counter[str] = Counter()

    def put(match: re.Match[str]) -> str:
        token = match[0]
        meaning = mapped[token][seen[token] % len(mapped[token])]
        seen[token] += 1
        if meaning == LITERAL:
            return token
        name, _, form = meaning.partition(":")
        if name not in fields:
            raise InvalidInput(
                sentence("this protocol's prompt has no field '{name}' ({token}).", name=name, token=token)
            )
        value = fields.text(name, form.strip()) if form else fields.text(name)
        return break_marks(value, marks) if name in ALL_FIELDS else value

    either = _any_of(list(mapped))
    return [Message(turn.role, either.sub(put, turn.content)) for turn in turns]


def _any_of(tokens: Sequence[str]) -> re.Pattern[str]:
    # Longest first, so that {{text}} is not read as {text}.
    return re.compile(
        "|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True)) or r"(?!)"
    )


def _is_part_of_other(token: str, mapped: Mapped) -> bool:
    """Return whether this placeholder is part of a mapped one ("INSERT [TEXT] HERE")."""
    return any(token in other for other in mapped)


def _name(field: str) -> str:
    return field.partition(":")[0].strip()


def _check_field(field: str, parts: Sequence[str]) -> None:
    name, form = _name(field), field.partition(":")[2]
    if name != LITERAL and name not in (*ALL_FIELDS, *parts):
        raise InvalidInput(
            sentence(
                "there is no field '{name}'; known: {fields}, {literal}.",
                name=name,
                fields=", ".join(dict.fromkeys((*ALL_FIELDS, *parts))),
                literal=LITERAL,
            )
        )
    if form and name not in LIST_FIELDS:
        raise InvalidInput(
            sentence("only {fields} can have a format after the colon.", fields=", ".join(LIST_FIELDS))
        )


def _marks(contents: str, mapped: Mapped) -> list[str]:
    """Return the tags and marks in the file's text outside its placeholders; texts must not imitate them."""
    own_words = _any_of([token for token, fields in mapped.items() if LITERAL not in fields]).sub(
        "\n", contents
    )
    return list(dict.fromkeys(_MARK.findall(own_words)))
