"""Replace parts of a prompt by a project's custom texts.

Every section that a protocol declares is a part; so are the system message, a second turn, the marks around
sections, and the prompt as a whole. A protocol builds its default prompt and knows nothing of this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judgelab.domain import Message, Task
from judgelab.errors import InvalidInput
from judgelab.protocols.core.call import Call
from judgelab.protocols.core.placeholders import JUDGED_FIELDS, fill_once, task_fields, text_for_criteria
from judgelab.protocols.core.prompts import SECTIONS, PromptText, Section, break_marks, joined
from judgelab.protocols.core.whole_templates import PLACEHOLDERS, WHOLE, fill_template, read_mapping
from judgelab.wording import sentence

SYSTEM, SECOND_TURN, MARKERS = "system", "second_turn", "markers"
# Parts of every prompt, in addition to the sections that its protocol declares.
COMMON_PARTS = (SYSTEM, MARKERS, WHOLE, PLACEHOLDERS)
PREFIX = "own_"
# Two parts are options of most protocols under other names, which saved judges use.
PART_OPTIONS = {"task": "instruction", "steps": "steps"}
TEXT = "{text}"
# Custom texts of these parts may leave out what the reply is read by.
REPLY_PARTS = frozenset({"output", SECOND_TURN, WHOLE})
# Parts that describe the case and say nothing about the reply.
CASE_PARTS = ("steps", "examples", "criterion", "criteria", "evaluators", "panel")
_INNER = re.compile(r"<(?P<name>\w+)>\n(?P<inner>.*?)\n</(?P=name)>", re.DOTALL)


def custom_texts(options: Mapping[str, object]) -> dict[str, str]:
    """Return the project's custom texts among a judge's options, by part."""
    return {
        name.removeprefix(PREFIX): str(text)
        for name, text in options.items()
        if name.startswith(PREFIX) and str(text).strip()
    }


def default_text(messages: Sequence[Message], part: str) -> str:
    """Return the text of a part of a prompt; empty if it has no such part.

    Of the marks, those in use are returned, one per line, in the form of a custom text.
    """
    if part == MARKERS:
        return "\n".join(f"{name} = <{name}>\\n{TEXT}\\n</{name}>" for name in _section_names(messages))
    if part == WHOLE:
        return "\n\n".join(message.content for message in messages)
    if part == SYSTEM:
        return next((message.content for message in messages if message.role == "system"), "")
    if part == SECOND_TURN:
        return messages[-1].content if messages else ""
    return next((section.inner for section in _sections(messages) if section.name == part), "")


def rewrite_call(
    call: Call,
    task: Task,
    custom: Mapping[str, str],
    declared: Sequence[str],
    *,
    about: Sequence[str] = JUDGED_FIELDS,
) -> Call:
    """Return the call with a project's custom texts in place of the default ones.

    Args:
        call: the call as its protocol builds it.
        task: the task of the call; custom texts may use its fields in braces.
        custom: texts by part.
        declared: the sections that are parts, in their order; a section missing from the prompt is added.
        about: fields of which a whole prompt must use at least one.

    Raises:
        InvalidInput: a custom text cannot be used; the message says why.
    """
    fields = task_fields(task, call.placeholder_texts, call.candidates)
    texts = {
        part: fields.with_fields({"ours": default_text(call.messages, part)}).fill(
            text_for_criteria(text, task.criteria)
        )
        for part, text in custom.items()
        if part not in (MARKERS, WHOLE, PLACEHOLDERS)
    }
    if call.after:
        return call._replace(messages=[Message("user", texts[SECOND_TURN])]) if SECOND_TURN in texts else call
    forms = mark_forms(custom.get(MARKERS, ""))
    if WHOLE in custom:
        defaults = {part: _labelled(default_text(call.messages, part), forms) for part in (SYSTEM, *declared)}
        if "criterion" in defaults:  # the field of this name is the criterion's label
            defaults["criteria"] = defaults.pop("criterion")
        mapping = read_mapping(custom.get(PLACEHOLDERS, ""))
        text = text_for_criteria(custom[WHOLE], task.criteria)
        return call._replace(
            messages=fill_template(text, mapping, fields.with_fields({**defaults, **texts}), about)
        )
    return call._replace(messages=_replace_parts(call.messages, texts, declared, forms))


def _replace_parts(
    messages: Sequence[Message], texts: Mapping[str, str], declared: Sequence[str], forms: Mapping[str, str]
) -> list[Message]:
    turns = [message for message in messages if message.role != "system" or SYSTEM not in texts]
    system = [Message("system", texts[SYSTEM])] if SYSTEM in texts else []
    present = {section.name for section in _sections(messages)}
    missing = [part for part in declared if part in texts and part not in present]
    last = max((at for at, turn in enumerate(turns) if isinstance(turn.content, PromptText)), default=-1)
    return system + [
        Message(
            turn.role,
            _replace_in_content(turn.content, texts, declared, forms, missing if at == last else ()),
        )
        for at, turn in enumerate(turns)
    ]


def _replace_in_content(
    content: str,
    texts: Mapping[str, str],
    declared: Sequence[str],
    forms: Mapping[str, str],
    missing: Sequence[str],
) -> str:
    if not isinstance(content, PromptText):
        return content
    parts: list[str] = []
    names: list[str] = []
    for part in content.parts:
        named = isinstance(part, Section)
        names.append(part.name if isinstance(part, Section) else "")
        if isinstance(part, Section):
            custom = texts.get(part.name) if part.name in declared else None
            inner = _mark_sections(_escape_marks(part.inner, forms), forms) if custom is None else custom
            parts.append(_wrap(part.name, inner, forms))
        elif not named:
            parts.append(part)
    for name in missing:
        before = declared[: declared.index(name)]
        at = max((place + 1 for place, other in enumerate(names) if other in before), default=0)
        names.insert(at, name)
        parts.insert(at, _wrap(name, texts[name], forms))
    return joined(parts)


def mark_forms(text: str) -> dict[str, str]:
    r"""Return the marks around sections by name, from lines `NAME = [Question]\n{text}\n[/Question]`.

    Raises:
        InvalidInput: a line cannot be read.
    """
    forms = {}
    for line in filter(None, (piece.strip() for piece in text.splitlines())):
        name, sign, form = (piece.strip() for piece in line.partition("="))
        if not sign or name not in SECTIONS or form.count(TEXT) != 1:
            raise InvalidInput(
                sentence(
                    "can't read the marks '{line}'; write a section's name, = and its marks around "
                    "{field}, for example question = [Question] {field} [/Question]. Sections: {names}.",
                    line=line[:60],
                    field=TEXT,
                    names=", ".join(SECTIONS),
                )
            )
        forms[name] = form.replace("\\n", "\n")
    return forms


def _wrap(name: str, inner: str, forms: Mapping[str, str]) -> str:
    return fill_once(forms[name], {"text": inner}) if name in forms else Section(name, inner)


def _mark_sections(text: str, forms: Mapping[str, str]) -> str:
    """Return a text with the custom marks around its inner sections; texts to be judged have no marks."""
    return _INNER.sub(
        lambda match: str(_wrap(match["name"], _mark_sections(match["inner"], forms), forms)), text
    )


def _labelled(text: str, forms: Mapping[str, str]) -> str:
    """Return a text whose inner sections are lines with a label, unless there are custom marks for them."""
    labels = {name: f"{name.replace('_', ' ').capitalize()}: {TEXT}" for name in SECTIONS}
    return _mark_sections(text, {**labels, "example": TEXT, "references": TEXT, **forms})


def _escape_marks(text: str, forms: Mapping[str, str]) -> str:
    """Return a text that cannot close a section with custom marks."""
    marks = [line.strip() for form in forms.values() for line in form.replace(TEXT, "\n").splitlines()]
    return break_marks(text, marks)


def _sections(messages: Sequence[Message]) -> list[Section]:
    return [
        part
        for message in messages
        if isinstance(message.content, PromptText)
        for part in message.content.parts
        if isinstance(part, Section)
    ]


def _section_names(messages: Sequence[Message]) -> list[str]:
    """Return the names of a prompt's sections, inner ones too, each once."""
    text = "\n".join(_sections(messages))
    return [name for name in SECTIONS if f"<{name}>\n" in text]


def instruction_text(
    built: Sequence[Call], calls: Sequence[Call], custom: Mapping[str, str], declared: Sequence[str]
) -> str:
    """Return the parts of a prompt that can say how to reply, without case, examples and criteria.

    Of a whole custom prompt this is all of its text, with the output part if it has a placeholder for it.

    Args:
        built: the calls as their protocol builds them.
        calls: the same calls with custom texts.
        custom: texts by part.
        declared: the sections that are parts.
    """
    if WHOLE in custom:
        used_fields = {
            field for fields in read_mapping(custom.get(PLACEHOLDERS, "")).values() for field in fields
        }
        output = custom.get("output") or default_text(built[0].messages, "output")
        later = [message.content for call in calls if call.after for message in call.messages]
        return "\n".join([custom[WHOLE], output if "output" in used_fields else "", *later])
    kept = [part for part in declared if part not in CASE_PARTS]
    turns = [message for call in calls for message in call.messages]
    sections = [section.inner for section in _sections(turns) if section.name in kept]
    plain = [turn.content for turn in turns if not isinstance(turn.content, PromptText)]
    return "\n".join([*sections, *plain])
