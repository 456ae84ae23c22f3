"""The parts of a prompt, and a project's own texts in their place.

Every section that a protocol declares is a part; so are the system's turn, a second turn, the marks between
which sections stand, and the prompt as a whole. A protocol builds its own prompt and knows nothing of this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judgelab.domain import Message, Task
from judgelab.errors import InvalidInput
from judgelab.protocols.core.call import Call
from judgelab.protocols.core.placeholders import JUDGED, facts, for_criteria, once
from judgelab.protocols.core.prompts import SECTIONS, Laid, Section, broken_up, joined
from judgelab.protocols.core.whole_templates import PLACEHOLDERS, WHOLE, read_mapping, whole_prompt
from judgelab.wording import sentence

SYSTEM, SECOND_TURN, MARKERS = "system", "second_turn", "markers"
# Parts that every prompt has, beside the sections that its protocol declares.
EVERYWHERE = (SYSTEM, MARKERS, WHOLE, PLACEHOLDERS)
PREFIX = "own_"
# Two parts are options of most protocols by another name; judges keep that one.
OPTION_OF = {"task": "instruction", "steps": "steps"}
TEXT = "{text}"
# Own texts of these may leave out what the reply is read by.
REPLYING = frozenset({"output", SECOND_TURN, WHOLE})
# Parts that show what a case is like and say nothing of the reply.
SHOWING = ("steps", "examples", "criterion", "criteria", "evaluators", "panel")
_INNER = re.compile(r"<(?P<name>\w+)>\n(?P<inner>.*?)\n</(?P=name)>", re.DOTALL)


def own_texts(options: Mapping[str, object]) -> dict[str, str]:
    """Return the project's own texts among a judge's options, by part."""
    return {
        name.removeprefix(PREFIX): str(text)
        for name, text in options.items()
        if name.startswith(PREFIX) and str(text).strip()
    }


def ours(messages: Sequence[Message], part: str) -> str:
    """Return what a prompt says in a part; empty where it has none.

    The marks are written as an own text would name them, a line each; those in use now.
    """
    if part == MARKERS:
        return "\n".join(f"{name} = <{name}>\\n{TEXT}\\n</{name}>" for name in _marks_in(messages))
    if part == WHOLE:
        return "\n\n".join(message.content for message in messages)
    if part == SYSTEM:
        return next((message.content for message in messages if message.role == "system"), "")
    if part == SECOND_TURN:
        return messages[-1].content if messages else ""
    return next((one.inner for one in _sections(messages) if one.name == part), "")


def rewritten(
    call: Call,
    task: Task,
    own: Mapping[str, str],
    declared: Sequence[str],
    *,
    about: Sequence[str] = JUDGED,
) -> Call:
    """Return the call with a project's own texts in place of ours.

    Args:
        call: as its protocol builds it.
        task: what it is about; own texts may name it in braces (`fields`).
        own: texts by part.
        declared: the sections that are parts, in their order; one that the prompt lacks is put in there.
        about: fields of which a whole prompt must name one.

    Raises:
        InvalidInput: an own text cannot be used; the sentence says why.
    """
    known = facts(task, call.shown, call.candidates)
    told = {
        part: known.beside({"ours": ours(call.messages, part)}).filled(for_criteria(text, task.criteria))
        for part, text in own.items()
        if part not in (MARKERS, WHOLE, PLACEHOLDERS)
    }
    if call.after:
        return call._replace(messages=[Message("user", told[SECOND_TURN])]) if SECOND_TURN in told else call
    forms = mark_forms(own.get(MARKERS, ""))
    if WHOLE in own:
        said = {part: _plain(ours(call.messages, part), forms) for part in (SYSTEM, *declared)}
        if "criterion" in said:  # as a field this is the criterion's name
            said["criteria"] = said.pop("criterion")
        mapping = read_mapping(own.get(PLACEHOLDERS, ""))
        text = for_criteria(own[WHOLE], task.criteria)
        return call._replace(messages=whole_prompt(text, mapping, known.beside({**said, **told}), about))
    return call._replace(messages=_replaced(call.messages, told, declared, forms))


def _replaced(
    messages: Sequence[Message], told: Mapping[str, str], declared: Sequence[str], forms: Mapping[str, str]
) -> list[Message]:
    found = [one for one in messages if one.role != "system" or SYSTEM not in told]
    system = [Message("system", told[SYSTEM])] if SYSTEM in told else []
    there = {one.name for one in _sections(messages)}
    missing = [part for part in declared if part in told and part not in there]
    last = max((at for at, one in enumerate(found) if isinstance(one.content, Laid)), default=-1)
    return system + [
        Message(one.role, _content(one.content, told, declared, forms, missing if at == last else ()))
        for at, one in enumerate(found)
    ]


def _content(
    content: str,
    told: Mapping[str, str],
    declared: Sequence[str],
    forms: Mapping[str, str],
    missing: Sequence[str],
) -> str:
    if not isinstance(content, Laid):
        return content
    parts: list[str] = []
    names: list[str] = []
    for part in content.parts:
        named = isinstance(part, Section)
        names.append(part.name if isinstance(part, Section) else "")
        if isinstance(part, Section):
            own = told.get(part.name) if part.name in declared else None
            inner = _marked(_disarmed(part.inner, forms), forms) if own is None else own
            parts.append(_between(part.name, inner, forms))
        elif not named:
            parts.append(part)
    for name in missing:
        before = declared[: declared.index(name)]
        at = max((place + 1 for place, one in enumerate(names) if one in before), default=0)
        names.insert(at, name)
        parts.insert(at, _between(name, told[name], forms))
    return joined(parts)


def mark_forms(text: str) -> dict[str, str]:
    r"""Return how sections are marked: by lines `NAME = [Question]\n{text}\n[/Question]`.

    Raises:
        InvalidInput: a line cannot be read; it is named.
    """
    forms = {}
    for line in filter(None, (one.strip() for one in text.splitlines())):
        name, sign, form = (one.strip() for one in line.partition("="))
        if not sign or name not in SECTIONS or form.count(TEXT) != 1:
            raise InvalidInput(
                sentence(
                    "the marks '{line}' cannot be read; write a section's name, = and its marks around "
                    "{field}, for example question = [Question] {field} [/Question]. Sections: {names}.",
                    line=line[:60],
                    field=TEXT,
                    names=", ".join(SECTIONS),
                )
            )
        forms[name] = form.replace("\\n", "\n")
    return forms


def _between(name: str, inner: str, forms: Mapping[str, str]) -> str:
    return once(forms[name], {"text": inner}) if name in forms else Section(name, inner)


def _marked(text: str, forms: Mapping[str, str]) -> str:
    """Return a text with the marks of the sections inside it; texts under judgment hold none of ours."""
    return _INNER.sub(lambda found: str(_between(found["name"], _marked(found["inner"], forms), forms)), text)


def _plain(text: str, forms: Mapping[str, str]) -> str:
    """Return a text whose inner sections are lines with a label, where no own marks are there for them."""
    labels = {name: f"{name.replace('_', ' ').capitalize()}: {TEXT}" for name in SECTIONS}
    return _marked(text, {**labels, "example": TEXT, "references": TEXT, **forms})


def _disarmed(text: str, forms: Mapping[str, str]) -> str:
    """Return a text that cannot close its section where that has marks of its own."""
    marks = [line.strip() for form in forms.values() for line in form.replace(TEXT, "\n").splitlines()]
    return broken_up(text, marks)


def _sections(messages: Sequence[Message]) -> list[Section]:
    return [
        part
        for message in messages
        if isinstance(message.content, Laid)
        for part in message.content.parts
        if isinstance(part, Section)
    ]


def _marks_in(messages: Sequence[Message]) -> list[str]:
    """Return the names of the sections of a prompt, inner ones too, each once."""
    text = "\n".join(_sections(messages))
    return [name for name in SECTIONS if f"<{name}>\n" in text]


def asking(
    built: Sequence[Call], calls: Sequence[Call], own: Mapping[str, str], declared: Sequence[str]
) -> str:
    """Return the words of a prompt that can say how to reply: no case, no examples, no criteria.

    Of a file of others these are all its own words, with our output text where it has a place for it.

    Args:
        built: the calls as their protocol builds them.
        calls: the same calls, rewritten.
        own: texts by part.
        declared: the sections that are parts.
    """
    if WHOLE in own:
        meant = {field for fields in read_mapping(own.get(PLACEHOLDERS, "")).values() for field in fields}
        output = own.get("output") or ours(built[0].messages, "output")
        later = [message.content for call in calls if call.after for message in call.messages]
        return "\n".join([own[WHOLE], output if "output" in meant else "", *later])
    wanted = [part for part in declared if part not in SHOWING]
    turns = [one for call in calls for one in call.messages]
    told = [one.inner for one in _sections(turns) if one.name in wanted]
    return "\n".join([*told, *(one.content for one in turns if not isinstance(one.content, Laid))])
