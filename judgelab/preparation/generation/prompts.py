"""The prompts of the preparation steps, each with the parts that a project may customise.

    prompts.register("steps")(PreparationPrompt("steps", mark("Steps"), ("task", "output"), sample=...))

Custom texts are stored, tried, versioned and inserted like those of a judge's prompt
(`runs.template_editing`, `protocols.core.prompt_parts`); a `TextRequest` names the prompt it is built from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from judgelab.domain import Criterion, Message, Reference, Task
from judgelab.errors import NotFound
from judgelab.protocols import Call, protocols
from judgelab.protocols.core.prompt_parts import (
    COMMON_PARTS,
    PREFIX,
    custom_texts,
    instruction_text,
    rewrite_call,
)
from judgelab.protocols.core.signs import missing_signs
from judgelab.registry import Registry
from judgelab.runs.template_editing import JudgeSubject, ShownPrompt, TemplateSubject
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.templates import templates
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark

# What such a prompt is made of: an own prompt without any of it would ask about nothing.
ABOUT = ("question", "context", "response", "references", "reference", "criterion", "definition")


class TextRequest(NamedTuple):
    """One text that is wanted: its name among all of a purpose, the prompt, and the item it belongs to.

    Attributes:
        prompt: which of `prompts` it is built after; empty where a project cannot reword it.
        about: what own texts may name in braces.
        fields: further fields by name, as {score}.
        own_texts: texts by part that are given for this request alone, before those that the project keeps.
    """

    key: str
    messages: Sequence[Message]
    item_id: int | None = None
    prompt: str = ""
    about: Task = Task("", "", ())
    fields: Mapping[str, str] = {}
    own_texts: Mapping[str, str] = {}


Sample = Callable[[Session, ProjectInfo], TextRequest | None]


@dataclass(frozen=True)
class PreparationPrompt:
    """A prompt for a model to write something before judges run.

    Attributes:
        name: the word on the command line.
        title: the name people read.
        parts: the sections that a project may say in its own words, in their order.
        sample: builds the prompt of a project's first case; None where it has none.
        further: fields beside those of every prompt.
        signs: what the prompt must ask for so that a reply can be read, as `Protocol.signs`.
        template_version: changes whenever the wording does.
    """

    name: str
    title: str
    parts: tuple[str, ...]
    sample: Sample
    further: tuple[str, ...] = ()
    signs: Sequence[Sequence[str]] = field(default=())
    template_version: str = "1"
    about: ClassVar[Sequence[str]] = ABOUT

    def part_options(self) -> dict[str, str]:
        """Return the word by which an own text of each part is carried, in the order of the prompt."""
        system, *others = COMMON_PARTS
        return {part: f"{PREFIX}{part}" for part in (system, *self.parts, *others)}

    def fields(self) -> list[str]:
        """Return the fields that a whole prompt may name beside those of every case."""
        names = ("criteria" if part == "criterion" else part for part in (COMMON_PARTS[0], *self.parts))
        return list(dict.fromkeys((*names, *self.further)))

    def preview(
        self, store: Store, slug: str, options: Mapping[str, str], *, all_responses: Any = None
    ) -> ShownPrompt:
        """Return the prompt of the project's first case with these own texts.

        Raises:
            NotFound: the project has nothing that it could be about.
        """
        with store.reading() as session:
            request = self.sample(session, find_project(session, slug))
        if request is None:
            raise NotFound(mark("item"), slug)
        built, custom = call_of(request), custom_texts(options)
        sent = self.rewritten(request, custom)
        instruction = instruction_text([built], [sent], custom, self.parts) if custom else ""
        return ShownPrompt(
            [sent], missing_signs(instruction, self.signs) if custom.keys() & {"output", "prompt"} else []
        )

    def rewritten(self, request: TextRequest, custom: Mapping[str, str]) -> Call:
        """Return the call of a request with own texts in place of ours."""
        call = call_of(request)
        return rewrite_call(call, request.about, custom, self.parts, about=self.about) if custom else call


prompts: Registry[PreparationPrompt] = Registry(mark("preparation prompt"), "judgelab.preparation.steps")


def call_of(request: TextRequest) -> Call:
    """Return a request as a call."""
    return Call(request.messages, request.key, placeholder_texts=request.fields)


def subject(name: str) -> TemplateSubject:
    """Return the judge's or preparation's prompt of that name; raises `NotFound` with all names."""
    if name in protocols.names():
        return JudgeSubject(protocols.get(name))
    if name not in prompts.names():
        raise NotFound(mark("prompt"), name, [*protocols.names(), *prompts.names()])
    return prompts.get(name)


def in_own_words(
    session: Session, project_id: int, requests: Sequence[TextRequest]
) -> tuple[list[TextRequest], dict[str, str]]:
    """Return the requests as they are sent, and by their prompt's name the versions of the wording.

    A wording is named as a judge's: "1, task 2" is our first with the project's second text of the task.

    Raises:
        InvalidInput: an own text cannot be used; the sentence says why.
    """
    in_force: dict[str, dict[str, str]] = {}
    named: dict[str, str] = {}
    for name in dict.fromkeys(entry.prompt for entry in requests if entry.prompt):
        used = [entry for entry in templates(session, project_id, protocol=name) if entry.in_force]
        in_force[name] = {entry.part: entry.text for entry in reversed(used)}
        versions = [f"{entry.part} {entry.version}" for entry in reversed(used)]
        named[name] = ", ".join([prompts.get(name).template_version, *versions])
    sent = []
    for entry in requests:
        custom = {**in_force.get(entry.prompt, {}), **entry.own_texts}
        messages = prompts.get(entry.prompt).rewritten(entry, custom).messages if custom else entry.messages
        sent.append(entry._replace(messages=messages))
    return sent, named


def about(
    question: str,
    context: str,
    *,
    task: str,
    response: str = "",
    references: Sequence[str] = (),
    criteria: Sequence[Criterion] = (),
) -> Task:
    """Return what own texts of a preparation's prompt may name."""
    kind: Literal["qa", "summarisation"] = "summarisation" if task == "summarisation" else "qa"
    known_references = [Reference(text) for text in references]
    return Task(question, response, criteria, context, known_references, kind=kind)
