"""Reasoning steps for a project's judges: written by a model from task and criteria, then edited, versioned.

G-Eval lets a model write its steps from the instruction and the criterion; the ELECT study did the same once
for its data. Each criterion gets its own steps under a line `[criterion]`; one criterion needs no such line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Criterion, Message
from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import OnProgress, WriterModel, generate_all
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.preparation.generation.report import GenerationReport
from judgelab.protocols import protocols
from judgelab.protocols.core.prompts import joined, section, template
from judgelab.protocols.reading.fences import unfenced
from judgelab.protocols.single_score import criterion_text
from judgelab.runs.plan.judge_config import project_kind
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.worked_examples import SavedSteps, save_steps, steps_saved
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence

PURPOSE = "steps"


@dataclass(frozen=True)
class StepsReport:
    """The result of writing: the steps, the version they were saved as (0: none), and problems."""

    text: str
    version: int
    problems: Mapping[str, str]
    generation: GenerationReport

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        return {
            "version": self.version,
            "text": self.text,
            "problems": dict(self.problems),
            **self.generation.to_json(),
        }


def steps_prompt(project: ProjectInfo, criterion: Criterion) -> list[Message]:
    """Return the prompt that asks for general steps by which one criterion is judged."""
    kind = project_kind(project)
    word = "summary" if kind == "summarisation" else "answer"
    question = (
        "Another judge will be given the task and the criterion below. Write the steps that this judge "
        f"should follow to reach a score for any {word}: first understand what is asked, then analyse the "
        f"{word}, then rate it against the points of the criterion's scale, then conclude. Do not refer to "
        "any particular case."
    )
    return [
        Message(
            "user",
            joined(
                [
                    section("task", question),
                    section("output", "Write four numbered steps and nothing else. Do not state a score."),
                    section("source", template(f"task_{kind}", protocols.get("geval").template_version)),
                    section("criterion", criterion_text(criterion, scale_from_json(criterion.scale))),
                ]
            ),
        )
    ]


def steps_request(project: ProjectInfo, criterion: Criterion) -> TextRequest:
    """Return the request for the steps of one criterion."""
    facts = about("", "", task=project.task, criteria=[criterion])
    return TextRequest(criterion.key, steps_prompt(project, criterion), prompt=PURPOSE, about=facts)


def write_steps(
    store: Store,
    slug: str,
    writer: WriterModel,
    *,
    criteria: Sequence[str] = (),
    progress: OnProgress | None = None,
) -> StepsReport:
    """Write the steps of every criterion with a model and save them as the project's next version.

    Raises:
        UserError: no such project, criterion, endpoint or model; the project has no criterion.
    """
    with store.reading() as session:
        project = find_project(session, slug)
    chosen = [project.criterion(key) for key in criteria] or list(project.criteria)
    if not chosen:
        raise InvalidInput(
            sentence(
                "project '{project}' has no criteria yet; add one or import ratings.", project=project.slug
            )
        )
    requests = [steps_request(project, criterion) for criterion in chosen]
    generated = generate_all(store, project.id, PURPOSE, writer, requests, progress=progress)
    problems = dict(generated.failed)
    parts = {}
    for criterion in chosen:
        reply = generated.texts.get(criterion.key)
        text = unfenced(reply.text) if reply else ""
        if text:
            parts[criterion.key] = text
        elif reply:
            problems[criterion.key] = sentence("the reply is empty")
    if not parts:
        return StepsReport("", 0, problems, generated)
    whole = (
        next(iter(parts.values()))
        if len(project.criteria) == 1
        else "\n\n".join(f"[{key}]\n{text}" for key, text in parts.items())
    )
    with store.writing() as session:
        version = save_steps(session, project.id, whole, draft=whole, origin=writer.model)
    return StepsReport(whole, version, problems, generated)


def saved_steps(store: Store, project_id: int) -> list[SavedSteps]:
    """Return the versions of the project's steps, the newest first."""
    with store.reading() as session:
        return steps_saved(session, project_id)


def edit_steps(store: Store, slug: str, text: str, *, person_id: int | None) -> int:
    """Save the steps as a person changed them, as the next version; returns it.

    Raises:
        InvalidInput: nothing is written.
    """
    if not text.strip():
        raise InvalidInput(sentence("enter the steps; to judge without them, set saved_steps=shipped."))
    with store.writing() as session:
        project_id = find_project(session, slug).id
        last = next(iter(steps_saved(session, project_id)), None)
        return save_steps(
            session, project_id, text.strip(), draft=last.draft if last else "", person_id=person_id
        )


def _sample(session: Session, project: ProjectInfo) -> TextRequest | None:
    return steps_request(project, project.criteria[0]) if project.criteria else None


prompts.register(PURPOSE)(
    PreparationPrompt(
        PURPOSE,
        mark("Evaluation steps"),
        ("task", "output", "criterion"),
        _sample,
        template_version="2",
    )
)
