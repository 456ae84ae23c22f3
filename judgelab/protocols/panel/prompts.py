"""The prompts of a panel of roles: five wordings of the task, the roles, and the two numbered texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from judgelab.domain import Message, PanelRole, Task
from judgelab.protocols.core.placeholders import fill_once
from judgelab.protocols.core.prompts import clean, joined, section, template_table

MAX_VARIANTS = 5
VERSION = "3"
ROLES_BEFORE_OUTPUT = ("1", "2")  # the versions in which they stand there, whatever they share
Part = Literal["panel", "alone", "plain"]


def _wordings(version: str) -> list[dict[str, str]]:
    return list(template_table("panel", version)["variant"])


def text_word(task: Task) -> str:
    """Return the word for the compared texts."""
    return "summary" if task.kind == "summarisation" else "answer"


def panel_prompt(
    task: Task,
    roles: Sequence[PanelRole],
    *,
    texts: tuple[str, str],
    variant: int,
    batch: bool,
    version: str,
    instruction: str = "",
    show_context: bool = False,
) -> list[Message]:
    """Return the prompt in which `roles` compare two texts, as one user message.

    Args:
        task: the source, the question and the kind of text that is compared.
        roles: the roles that vote; without roles, the model makes one plain comparison.
        texts: the two texts in the order shown.
        variant: which of the five wordings, from 0.
        batch: whether all roles answer in one reply; otherwise there is one role.
        version: the version of the template.
        instruction: a custom wording in place of the default one.
        show_context: whether the context of a question is shown; a summary's source always is.
    """
    part: Part = "plain" if not roles else "panel" if batch else "alone"
    word, summary = text_word(task), task.kind == "summarisation"
    wording = _wordings(version)[variant][part]
    words = {
        "text": word,
        "texts": "summaries" if summary else "answers",
        "of_source": " of one article" if summary else " to one question",
        "better": "describes the article better" if summary else "answers the question better",
    }
    extra = template_table("panel_output", version)
    guard = fill_once(extra["guard"], words)
    output = fill_once(extra["panel" if part == "panel" else "alone"], {**words, "n": str(len(roles))})
    parts = {
        "task": section("task", instruction or f"{wording.format(**words)} {guard}"),
        "panel": section("panel", _role_list(roles, numbered=batch)),
        "output": section("output", output),
        "source": section("source", clean(task.context)) if summary or show_context else "",
        "question": section("question", clean(task.question)),
    }
    compared = [
        section(f"{word}_{place}", clean(text) or "(empty)") for place, text in enumerate(texts, start=1)
    ]
    return [Message("user", joined([*(parts[name] for name in _order(version, batch=batch)), *compared]))]


def _order(version: str, *, batch: bool) -> tuple[str, ...]:
    """Return the parts before the two texts in their order: what most prompts share first.

    Section 3.2 of the paper says what the prompt holds and not in which order. A panel is that of its item or
    of all items; a reader who is asked alone is one of several who are asked about the same item.
    """
    if version in ROLES_BEFORE_OUTPUT:
        return ("task", "panel", "output", "source", "question")
    return (
        "task",
        "output",
        *(("panel", "source", "question") if batch else ("source", "question", "panel")),
    )


def _role_list(roles: Sequence[PanelRole], *, numbered: bool) -> str:
    lines = [f"{clean(role.type)}: {clean(role.description)}".rstrip(": ") for role in roles]
    return (
        "\n".join(f"{place}. {line}" for place, line in enumerate(lines, start=1))
        if numbered
        else "\n".join(lines)
    )


@lru_cache(maxsize=4)
def default_static_roles(version: str) -> tuple[PanelRole, ...]:
    """Return the static roles used for every item unless the project has its own."""
    return tuple(PanelRole(**role) for role in template_table("panel", version)["role"])


STATIC_ROLES = default_static_roles(VERSION)


def static_roles(roles: Sequence[PanelRole], options: Mapping[str, Any], version: str) -> list[PanelRole]:
    """Return the static roles for every item: the project's own, or else the default ones."""
    project_roles = [role for role in roles if role.origin == "static"]
    if options["clustering"] == "all" and roles:
        return project_roles if options["static"] else []  # clustering has already chosen among them
    return (project_roles or list(default_static_roles(version))) if options["static"] else []
