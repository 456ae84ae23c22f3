"""A project's own texts of a prompt: tried on its first response, kept as versions, used by new judges."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgelab.errors import NotFound, UserError
from judgelab.protocols import Call, Protocol, protocols
from judgelab.protocols.core.placeholders import JUDGED_FIELDS
from judgelab.protocols.core.prompt_parts import MARKERS, SYSTEM, default_text, mark_forms
from judgelab.protocols.core.whole_templates import PLACEHOLDERS, WHOLE, check_template, read_mapping
from judgelab.runs import service
from judgelab.runs.plan import prompt_templates
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.service import PromptPreview
from judgelab.store.db.audit import record
from judgelab.store.db.engine import Store
from judgelab.store.judging.runs import CandidateResponse
from judgelab.store.judging.templates import TemplateInfo, save_template, set_in_force
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark

EXAMPLE_TEXT = 20  # units among which one that has a prompt is looked for


@dataclass(frozen=True)
class TemplatePart:
    """A part of a protocol's prompt.

    Attributes:
        name: "task", "output" …
        option: the judge's option that carries an own text.
        built_in_text: what the prompt of the project's first response says in it; empty where it has none.
        versions: the own texts, newest first.
    """

    name: str
    option: str
    built_in_text: str
    versions: Sequence[TemplateInfo] = ()

    @property
    def used(self) -> TemplateInfo | None:
        """Return the own text that new judges use; None for ours."""
        return next((version for version in self.versions if version.in_force), None)


class ShownPrompt(NamedTuple):
    """The calls of a project's first case, and what own texts forget to ask for that replies are read by."""

    calls: Sequence[Call]
    forgotten: Sequence[str]


class TemplateSubject(typing.Protocol):
    """A prompt whose parts a project may say in its own words: a judge's, or a preparation's."""

    @property
    def name(self) -> str:
        """Return the word on the command line."""

    @property
    def about(self) -> Sequence[str]:
        """Return the fields of which a whole prompt must contain at least one."""

    def part_options(self) -> dict[str, str]:
        """Return the word that carries an own text of each part, in the order of the prompt."""

    def fields(self) -> list[str]:
        """Return the fields that a whole prompt may name beside those of every case."""

    def preview(
        self, store: Store, slug: str, options: Mapping[str, str], *, all_responses: Any = None
    ) -> ShownPrompt:
        """Return the prompt of the project's first case with these own texts; raises `UserError`."""


@dataclass(frozen=True)
class JudgeSubject:
    """The prompt of a protocol."""

    protocol: Protocol

    @property
    def name(self) -> str:
        """Return the protocol's name."""
        return self.protocol.name

    @property
    def about(self) -> Sequence[str]:
        """Return the fields that contain the text to be judged."""
        return JUDGED_FIELDS

    def part_options(self) -> dict[str, str]:
        """Return the judge's option that carries an own text of each part."""
        return self.protocol.part_options()

    def fields(self) -> list[str]:
        """Return the fields that are parts of the protocol's prompt."""
        names = ("criteria" if part == "criterion" else part for part in (SYSTEM, *self.protocol.parts))
        return list(dict.fromkeys(names))

    def preview(
        self, store: Store, slug: str, options: Mapping[str, str], *, all_responses: Any = None
    ) -> ShownPrompt:
        """Return the prompt of the project's first response with these own texts."""
        shown = _shown_prompt(store, slug, self.protocol, options, all_responses=all_responses)
        return ShownPrompt(shown.calls, forgotten_placeholders(shown))


class SavedTexts(NamedTuple):
    """The saved versions, and what they no longer ask for although parsing replies depends on it."""

    versions: Sequence[TemplateInfo]
    forgotten: Sequence[str]


def template_parts(store: Store, slug: str, of: str | TemplateSubject) -> list[TemplatePart]:
    """Return the parts of a protocol's (or another) prompt in a project; raises `NotFound`."""
    subject = _subject(of)
    versions = prompt_templates.known_versions(store, slug, subject.name)
    try:
        built_in = built_in_texts(store, slug, subject)
    except UserError:  # it lacks what the prompt shows, examples perhaps, or has no data yet
        built_in = {}
    return [
        TemplatePart(
            name,
            option,
            built_in.get(name, ""),
            [version for version in versions if version.part == prompt_templates.stored_as(option)],
        )
        for name, option in subject.part_options().items()
    ]


def built_in_texts(
    store: Store, slug: str, of: str | TemplateSubject, *, all_responses: Any = None
) -> dict[str, str]:
    """Return what the prompt of the project's first response, or item, says in each part.

    `all_responses` may be what `responses_to_judge` returned.

    Raises:
        UserError: the project has no prompt to show yet.
    """
    subject = _subject(of)
    options = subject.part_options()
    calls = subject.preview(
        store, slug, dict.fromkeys(options.values(), ""), all_responses=all_responses
    ).calls
    texts = {
        part: next(filter(None, (default_text(call.messages, part) for call in _calls(calls, part))), "")
        for part in options
    }
    return {part: text for part, text in texts.items() if text}


def save(
    store: Store,
    slug: str,
    of: str | TemplateSubject,
    texts: Mapping[str, str],
    *,
    note: str = "",
    person_id: int | None = None,
) -> SavedTexts:
    """Keep own texts of a prompt, by part, and use them from now on; the same text is the version it was.

    Raises:
        UserError: no such project, protocol or part; or a prompt cannot be made of a text. Nothing is kept.
    """
    subject = _subject(of)
    given = {part: text.strip() for part, text in texts.items() if text.strip()}
    options = {part: _option(subject, part) for part in given}
    forgotten = _try_texts(store, slug, subject, {options[part]: text for part, text in given.items()})
    saved = []
    with store.writing() as session:
        project = find_project(session, slug)
        for part, text in given.items():
            name = prompt_templates.stored_as(options[part])
            note_text = " ".join(note.split())
            version = save_template(
                session, project.id, subject.name, name, text, note=note_text, person_id=person_id
            )
            set_in_force(session, project.id, subject.name, name, version.version)
            detail = {"protocol": subject.name, "part": name, "version": version.version}
            record(session, "saved_template", project_id=project.id, person_id=person_id, detail=detail)
            saved.append(version)
    return SavedTexts(saved, forgotten)


def reset(
    store: Store,
    slug: str,
    of: str | TemplateSubject,
    parts: Sequence[str] = (),
    *,
    person_id: int | None = None,
) -> list[str]:
    """Use JudgeLab's own texts again from now on; return the parts where that changes anything.

    Kept versions stay. Without `parts` all of them.
    """
    subject = _subject(of)
    names = {
        part: prompt_templates.stored_as(_option(subject, part)) for part in parts or subject.part_options()
    }
    with store.writing() as session:
        project = find_project(session, slug)
        back = [
            part
            for part, name in names.items()
            if set_in_force(session, project.id, subject.name, name, None)
        ]
        for part in back:
            detail = {"protocol": subject.name, "part": names[part]}
            record(session, "reset_template", project_id=project.id, person_id=person_id, detail=detail)
    return back


def forgotten_placeholders(seen: PromptPreview) -> list[str]:
    """Return what a judge's custom texts no longer ask for although parsing its replies depends on it."""
    return seen.judge_config.protocol.missing_signs(seen.task, seen.judge_config.judge.options)


def texts_in_use(store: Store, slug: str, subject: TemplateSubject) -> dict[str, str]:
    """Return the project's own texts that are used from now on, by the word that carries each."""
    used = {
        version.part: version.text
        for version in prompt_templates.known_versions(store, slug, subject.name)
        if version.in_force
    }
    carriers = subject.part_options().values()
    return {o: used[prompt_templates.stored_as(o)] for o in carriers if prompt_templates.stored_as(o) in used}


def _subject(of: str | TemplateSubject) -> TemplateSubject:
    return JudgeSubject(protocols.get(of)) if isinstance(of, str) else of


def _try_texts(
    store: Store, slug: str, subject: TemplateSubject, options: Mapping[str, str]
) -> Sequence[str]:
    """Build a prompt with the texts; return what they forget to ask for.

    Raises:
        UserError: none can be built because of them.
    """
    mark_forms(options.get(f"own_{MARKERS}", ""))
    used = {
        option: text for option, text in texts_in_use(store, slug, subject).items() if option not in options
    }
    merged = {**used, **options}
    if f"own_{WHOLE}" in merged:
        mapping = read_mapping(merged.get(f"own_{PLACEHOLDERS}", ""))
        check_template(merged[f"own_{WHOLE}"], mapping, subject.fields(), subject.about)
    try:
        built_in_texts(store, slug, subject)
    except UserError:  # without a prompt of ours there is none to try the texts in
        return []
    return subject.preview(store, slug, merged).forgotten


def _shown_prompt(
    store: Store,
    slug: str,
    protocol: Protocol,
    options: Mapping[str, str],
    *,
    all_responses: Sequence[CandidateResponse] | None = None,
) -> PromptPreview:
    spec = JudgeSpec(protocol.name, "rule", backend="scripted", options=dict(options))
    draft = service.build_draft(store, slug, spec, all_responses=all_responses)
    refused: UserError | None = None
    for unit in draft.units[:EXAMPLE_TEXT]:
        try:
            return service.preview_prompt(store, slug, spec, unit.response_id, draft=draft)
        except UserError as error:  # not every item has what the prompt shows: a list, roles, a score
            refused = refused or error
    raise refused or NotFound(mark("response"), slug)


def _calls(calls: Sequence[Call], part: str) -> Sequence[Call]:
    later = part == "second_turn"
    return [call for call in calls if bool(call.after) == later]


def _option(subject: TemplateSubject, part: str) -> str:
    options = subject.part_options()
    name = next((name for name, option in options.items() if part in (name, option)), None)
    if name is None:
        raise NotFound(mark("part of the prompt"), part, options)
    return options[name]
