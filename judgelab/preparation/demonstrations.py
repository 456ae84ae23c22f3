"""ELECT's worked examples: a model drafts the four-step reasoning of a rated response, a person refines it.

Huang et al. (2025), section 2.2: the drafted steps are refined with more detail (their System 2 step), saved,
and shown by every later judge of the project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.domain import Criterion, Demonstration, Message
from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import OnProgress, WriterModel, generate_all
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.preparation.generation.report import GenerationReport
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.examples.demonstrations import choose_demonstrations
from judgelab.protocols.reading.fences import unfenced
from judgelab.protocols.reading.grammar import nearest_point
from judgelab.protocols.single_score import criterion_text
from judgelab.scales import scale_from_json, why_no_order
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.rated_examples import rated_examples
from judgelab.store.prepared.worked_examples import SavedExample, examples_at, save_example
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence

PURPOSE = "demonstrations"
DEFAULT_SET = "examples"


@dataclass(frozen=True)
class DraftsReport:
    """The result of drafting: the set, its current version, the examples drafted, and problems."""

    name: str
    version: int
    drafted: Sequence[SavedExample]
    problems: Mapping[str, str]
    generation: GenerationReport

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        return {
            "set": self.name,
            "version": self.version,
            "drafted": [
                {"question": draft.question, "score": draft.score, "reasoning": draft.reasoning}
                for draft in self.drafted
            ],
            "problems": dict(self.problems),
            **self.generation.to_json(),
        }


def draft_prompt(example: Demonstration, criterion: Criterion, task: str) -> list[Message]:
    """Return the prompt that asks for the four steps which lead to the score that people gave."""
    scale = scale_from_json(criterion.scale)
    word, source = ("summary", "source") if task == "summarisation" else ("answer", "question")
    question = (
        f"People rated the {word} below by the criterion and agreed on the score given with it. Write down "
        "the reasoning that leads a careful rater to this score, in four numbered steps under these "
        "headings:\n"
        f"1. Understanding the {source}\n2. Analysing the {word}\n3. Rating by the criterion\n4. Conclusion\n"
        f"In step 1, say what a good {word} must provide. In step 2, quote what matters, and say what it "
        "implies and what is missing. In step 3, explain why the neighbouring scores do not fit. "
        f"End step 4 with the words: Rating: {example.score:g}."
    )
    return [
        Message(
            "user",
            joined(
                [
                    section("task", question),
                    section("output", "Write the four steps and nothing else."),
                    section("criterion", criterion_text(criterion, scale)),
                    section("source", clean(example.context)) if task == "summarisation" else "",
                    section("question", clean(example.question)),
                    section(word, clean(example.response) or "(empty)"),
                    section("score", f"{example.score:g}"),
                ]
            ),
        )
    ]


def draft_request(example: Demonstration, criterion: Criterion, task: str, key: str) -> TextRequest:
    """Return the request for the reasoning of one example."""
    facts = about(
        example.question, example.context, task=task, response=example.response, criteria=[criterion]
    )
    return TextRequest(
        key,
        draft_prompt(example, criterion, task),
        prompt=PURPOSE,
        about=facts,
        fields={"score": f"{example.score:g}"},
    )


def rated_responses(store: Store, slug: str, criterion: str) -> list[Demonstration]:
    """Return the rated responses that can become examples, best rated first."""
    with store.reading() as session:
        project = find_project(session, slug)
        project.criterion(criterion)
        return rated_examples(session, project.id, criterion)


def draft_examples(
    store: Store,
    slug: str,
    writer: WriterModel,
    *,
    criterion: str = "",
    name: str = DEFAULT_SET,
    responses: Sequence[int] = (),
    how_many: int = 4,
    progress: OnProgress | None = None,
) -> DraftsReport:
    """Draft the reasoning of rated responses with a model, and save each as an example to refine.

    Args:
        store: the database.
        slug: the project.
        writer: who drafts.
        criterion: whose ratings; may be empty in a project with one criterion.
        name: the set.
        responses: row ids of rated responses; without them `how_many` are chosen, spread over the scores.
        how_many: how many are chosen.
        progress: is told how many calls of how many are done.

    Raises:
        UserError: no such project, criterion or model; too few rated responses; one of them is not rated.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        key = _criterion(project, criterion)
        held = {candidate.response_id for candidate in examples_at(session, project.id, name)}
        rated = rated_examples(session, project.id, key, responses=responses)
    if responses:
        missing = sorted(set(map(str, responses)) - {candidate.response_id for candidate in rated})
        if missing:
            raise InvalidInput(
                sentence(
                    "responses {responses} have no rating under {criterion}; choose rated responses.",
                    responses=", ".join(missing),
                    criterion=key,
                )
            )
        chosen = rated
    else:
        left = [
            candidate
            for candidate in rated
            if candidate.response_id is None or int(candidate.response_id) not in held
        ]
        chosen = list(choose_demonstrations(left, how_many))
    about_it = project.criterion(key)
    scale = scale_from_json(about_it.scale)
    if not scale.ordered:
        raise InvalidInput(why_no_order(about_it.label))
    # A judge states a point of the scale: the reasoning must lead to one, also from a mean of ratings.
    chosen = [replace(candidate, score=nearest_point(candidate.score, scale)) for candidate in chosen]
    requests = [
        draft_request(candidate, about_it, project.task, f"{name} {key} {candidate.response_id}")
        for candidate in chosen
    ]
    generated = generate_all(store, project.id, PURPOSE, writer, requests, progress=progress)
    problems, drafted, version = dict(generated.failed), [], 0
    for candidate, request in zip(chosen, requests, strict=True):
        reply = generated.texts.get(request.key)
        if reply is None:
            continue
        text = unfenced(reply.text)
        if not text:
            problems[request.key] = sentence("the reply is empty")
            continue
        drafted.append(
            example_of(candidate, key, reasoning=text, draft=text, origin=reply.model or reply.asked_model)
        )
    with store.writing() as session:
        for example in drafted:
            version = save_example(session, project.id, name, example)
    return DraftsReport(name, version, drafted, problems, generated)


def example_of(
    demonstration: Demonstration,
    criterion: str,
    *,
    reasoning: str = "",
    draft: str = "",
    origin: str = "person",
) -> SavedExample:
    """Return a rated response as an example of a set."""
    return SavedExample(
        key=f"{criterion}:{demonstration.response_id}",
        criterion=criterion,
        question=demonstration.question,
        response=demonstration.response,
        score=demonstration.score,
        reasoning=reasoning,
        context=demonstration.context,
        response_id=None if demonstration.response_id is None else int(demonstration.response_id),
        draft=draft,
        origin=origin,
    )


def refine_example(
    store: Store,
    slug: str,
    name: str,
    example: SavedExample,
    *,
    reasoning: str,
    score: float,
    person_id: int | None,
) -> int:
    """Save an example as a person changed it, as the next version of its set; returns that version.

    Raises:
        InvalidInput: nothing is written, or the score is not on the scale.
    """
    with store.writing() as session:
        project = find_project(session, slug)
        reject = project.scale(example.criterion).reject_mean(score)
        if reject:
            raise InvalidInput(sentence("invalid score: {reason}.", reason=reject))
        if not reasoning.strip():
            raise InvalidInput(sentence("enter the reasoning, or remove the example."))
        changed = replace(example, reasoning=reasoning.strip(), score=score, removed=False)
        return save_example(session, project.id, name, changed, person_id=person_id)


def remove_example(
    store: Store, slug: str, name: str, example: SavedExample, *, person_id: int | None
) -> int:
    """Take an example out of its set; earlier versions keep it."""
    with store.writing() as session:
        project = find_project(session, slug)
        return save_example(session, project.id, name, replace(example, removed=True), person_id=person_id)


def _criterion(project: ProjectInfo, given: str) -> str:
    if given:
        return project.criterion(given).key
    if len(project.criteria) != 1:
        raise InvalidInput(
            sentence(
                "name the criterion with --option criterion=NAME. Criteria: {criteria}.",
                criteria=", ".join(c.key for c in project.criteria) or sentence("none"),
            )
        )
    return project.criteria[0].key


def _sample(session: Session, project: ProjectInfo) -> TextRequest | None:
    for criterion in project.criteria:
        for example in rated_examples(session, project.id, criterion.key)[:1]:
            return draft_request(example, criterion, project.task, criterion.key)
    return None


prompts.register(PURPOSE)(
    PreparationPrompt(
        PURPOSE,
        mark("Reasoning for worked examples"),
        ("task", "output", "criterion"),
        _sample,
        ("score",),
        template_version="2",
    )
)
