"""Shared by the protocols that see all responses of an item: the texts of their prompts and the order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Contender, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.core.base import Heard
from judgelab.protocols.core.prompts import clean, section, template_table
from judgelab.protocols.rubric import field_word
from judgelab.wording import mark, sentence

FIRST = "1"  # the version that mentions a source whenever summaries are compared
SEED = Option("seed", "int", 0, help=mark("Seed for the order in which the texts are shown."))


def wording(version: str) -> Mapping[str, Any]:
    """Return the texts of one version of the prompts."""
    return template_table("contests", version)


def task_section(task: Task, chosen: Mapping[str, Any], name: str, version: str) -> str:
    """Return the task section, in the default wording or the user's."""
    summary = task.kind == "summarisation"
    of_source = summary if version == FIRST else not task.question.strip()
    of_case = ("of" if of_source else "for") if summary else ("about" if of_source else "to")
    text: str = chosen["instruction"] or wording(version)[name].strip().replace("{of}", of_case)
    for word, value in (
        ("{texts}", "summaries" if summary else "answers"),
        ("{text}", "summary" if summary else "answer"),
        ("{case}", "source" if of_source else "question"),
    ):
        text = text.replace(word, value)
    return section("task", text.replace("{field}", field_word(str(chosen.get("field", "")))))


def case_sections(task: Task, chosen: Mapping[str, Any], *, references: bool) -> list[str]:
    """Return the question, with the source or context and the references if they are shown."""
    shows_source = task.kind == "summarisation" or chosen["show_context"]
    reference_sections = [section("reference", clean(reference.text)) for reference in task.references]
    return [
        section("source", clean(task.context)) if shows_source else "",
        section("question", clean(task.question)),
        section("references", "\n".join(reference_sections)) if references else "",
    ]


def contenders_of(task: Task) -> Sequence[Contender]:
    """Return the item's responses; raises `InvalidInput` if there are fewer than two."""
    if len(task.contenders) < 2:
        raise InvalidInput(
            sentence(
                "this item has fewer than two responses to compare; choose more systems, or another protocol."
            )
        )
    return task.contenders


def shuffled_order(chosen: Mapping[str, Any], task: Task, texts: Sequence[str]) -> list[int]:
    """Return a random order of the texts' indices, always the same for the same seed, item and texts."""
    places = list(range(len(texts)))
    seed = "\x00".join((str(chosen["seed"]), task.item, *sorted(texts)))
    order = sorted(places, key=lambda place: texts[place])
    random.Random(seed).shuffle(order)
    return order


def group_by_draw(heard: Sequence[Heard]) -> list[list[Heard]]:
    """Return the answers grouped by sample; each sample has every call once."""
    draws: list[list[Heard]] = []
    seen: Counter[str] = Counter()
    for answer in heard:
        draw = seen[answer.call.key]
        seen[answer.call.key] += 1
        draws += [[] for _ in range(draw + 1 - len(draws))]
        draws[draw].append(answer)
    return draws
