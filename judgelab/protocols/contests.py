"""What protocols share that see all responses of an item: the words of their prompts, and their order."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from judgelab.domain import Contender, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.core.base import Heard
from judgelab.protocols.core.prompts import TEMPLATES, clean, section
from judgelab.protocols.rubric import about
from judgelab.wording import mark, sentence

FIRST = "1"  # the wording that speaks of a source wherever summaries are compared
SEED = Option("seed", "int", 0, help=mark("Of the order in which the texts are shown."))


@lru_cache(maxsize=4)
def wording(version: str) -> Mapping[str, Any]:
    """Return the texts of one version of the prompts."""
    return tomllib.loads((TEMPLATES / f"contests.v{version}.toml").read_text(encoding="utf-8"))


def instruction(task: Task, chosen: Mapping[str, Any], name: str, version: str) -> str:
    """Return the task in our words or the user's."""
    summary = task.kind == "summarisation"
    of_source = summary if version == FIRST else not task.question.strip()
    told: str = chosen["instruction"] or wording(version)[name].strip()
    for word, value in (
        ("{texts}", "summaries" if summary else "answers"),
        ("{text}", "summary" if summary else "answer"),
        ("{case}", "source" if of_source else "question"),
    ):
        told = told.replace(word, value)
    return section("task", told.replace("{field}", about(str(chosen.get("field", "")))))


def shown_case(task: Task, chosen: Mapping[str, Any], *, references: bool) -> list[str]:
    """Return source or context where it is shown, the question, and the known answers where they are."""
    shows_source = task.kind == "summarisation" or chosen["show_context"]
    known = [section("reference", clean(one.text)) for one in task.references]
    return [
        section("source", clean(task.context)) if shows_source else "",
        section("question", clean(task.question)),
        section("references", "\n".join(known)) if references else "",
    ]


def contenders_of(task: Task) -> Sequence[Contender]:
    """Return the item's responses; raises `InvalidInput` where there are not two."""
    if len(task.contenders) < 2:
        raise InvalidInput(
            sentence("this item has no two responses to compare; choose more systems, or another protocol.")
        )
    return task.contenders


def drawn(chosen: Mapping[str, Any], task: Task, texts: Sequence[str]) -> list[int]:
    """Return an order of the texts by their places, drawn from seed, item and texts: always the same one."""
    places = list(range(len(texts)))
    seed = "\x00".join((str(chosen["seed"]), task.item, *sorted(texts)))
    order = sorted(places, key=lambda place: texts[place])
    random.Random(seed).shuffle(order)
    return order


def by_draw(heard: Sequence[Heard]) -> list[list[Heard]]:
    """Return what was heard by draws: each of them asks every call once."""
    draws: list[list[Heard]] = []
    seen: Counter[str] = Counter()
    for one in heard:
        draw = seen[one.call.key]
        seen[one.call.key] += 1
        draws += [[] for _ in range(draw + 1 - len(draws))]
        draws[draw].append(one)
    return draws
