"""What a project saved for its judges, worked examples and reasoning steps, named with its version.

A judge keeps the version that it was given, never "the newest": what a run showed stays known for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Demonstration
from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols import Protocol
from judgelab.protocols.examples.demonstrations import SHIPPED, choose_demonstrations
from judgelab.protocols.examples.example_options import EXAMPLES_OPTION, SAVED_SET
from judgelab.runs.plan.prompt_templates import stored_as
from judgelab.store.db.engine import Session
from judgelab.store.judging.templates import texts_in_force
from judgelab.store.prepared.worked_examples import SavedExample, example_sets, examples_at, steps_saved
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark, sentence

EXAMPLES, STEPS, STEPS_TEXT = "demonstrations", "saved_steps", "steps"


def with_versions(
    session: Session, project: ProjectInfo, protocol: Protocol, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options with the version of what the project saved; others are left as they are.

    Raises:
        NotFound: no set, no version of that name.
        InvalidInput: a version that is no number.
    """
    option_names = {option.name for option in protocol.options}
    settled: dict[str, Any] = {**_texts(session, project, protocol, options), **options}
    if EXAMPLES in option_names and (
        EXAMPLES_OPTION not in option_names or settled.get(EXAMPLES_OPTION) == SAVED_SET
    ):
        settled[EXAMPLES] = _set(session, project, str(settled.get(EXAMPLES, "")).strip())
    if STEPS in option_names and not str(settled.get(STEPS_TEXT, "")).strip():
        version, text = _steps(session, project, str(settled.get(STEPS, "")).strip())
        settled |= {STEPS: version, STEPS_TEXT: text}
    return settled


def _texts(
    session: Session, project: ProjectInfo, protocol: Protocol, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the project's own texts of the prompt that are in force, by the option that carries them."""
    used = texts_in_force(session, project.id, protocol.name)
    if str(options.get(STEPS, "")).strip():  # a version of the steps was asked for
        used.pop(STEPS_TEXT, None)
    carriers = {stored_as(option): option for option in protocol.part_options().values()}
    return {carriers[part]: text for part, text in used.items() if part in carriers}


def saved_examples(
    session: Session,
    project: ProjectInfo,
    options: Mapping[str, Any],
    key: str,
    *,
    shots: int,
    reasoned: bool,
) -> tuple[Demonstration, ...] | None:
    """Return the examples of the chosen set under a criterion; None where no set is chosen.

    With more than are shown, they are spread over the scores; with fewer, all there are come, and the
    protocol says that they are too few.
    """
    name, _, version = str(options.get(EXAMPLES, "")).rpartition("@")
    if not name:
        return None
    held: Sequence[SavedExample] = examples_at(session, project.id, name, int(version))
    shown = [example.shown() for example in held if example.criterion == key]
    fit = [example for example in shown if example.reasoning.strip() or not reasoned]
    return choose_demonstrations(fit, shots) if len(fit) >= shots else tuple(fit)


def _set(session: Session, project: ProjectInfo, given: str) -> str:
    if given == SHIPPED:
        return SHIPPED
    sets = {example_set.name: example_set for example_set in example_sets(session, project.id)}
    if not given:
        newest = next((example_set for example_set in sets.values() if example_set.examples), None)
        return f"{newest.name}@{newest.version}" if newest else ""
    name, at, version = given.rpartition("@")
    if not at or given in sets:
        name, version = given, ""
    if name not in sets:
        raise NotFound(mark("set of worked examples"), name, sets)
    return f"{name}@{_number(version, sets[name].version)}"


def _steps(session: Session, project: ProjectInfo, given: str) -> tuple[str, str]:
    if given == SHIPPED:
        return SHIPPED, ""
    saved = {steps.version: steps for steps in steps_saved(session, project.id)}
    if not saved:
        if given:
            raise InvalidInput(
                sentence(
                    "this project has no steps of its own; save some on *Preparation*, or leave "
                    "saved_steps empty."
                )
            )
        return "", ""
    version = _number(given, max(saved))
    return str(version), saved[version].text


def _number(given: str, newest: int) -> int:
    if not given:
        return newest
    if not given.isdigit() or not 1 <= int(given) <= newest:
        raise InvalidInput(
            sentence("there is no version '{given}'; the newest is {newest}.", given=given, newest=newest)
        )
    return int(given)
