"""Rated examples for a prompt: from the project's rated items, or built-in ones for product questions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from judgelab.domain import Criterion, Demonstration, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.core.base import Refusal
from judgelab.protocols.core.prompts import template_table
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import counted, mark, sentence

FIRST = "1"  # the first version of the built-in examples
SHOTS = Option(
    "shots",
    "int",
    1,
    choices=(1, 2, 3, 4),
    help=mark("How many rated examples the prompt shows before the case."),
)
SHIPPED = "shipped"
SAVED = Option(
    "demonstrations",
    "text",
    "",
    help=mark(
        "A saved set of the project's worked examples, as NAME or NAME@VERSION; leave empty for the "
        "newest, 'shipped' for none."
    ),
)


def choose_demonstrations(
    rated: Sequence[Demonstration], shots: int, *, seed: int = 0, reasoned: bool = False
) -> tuple[Demonstration, ...]:
    """Return `shots` rated examples spread over the scores, the best one first.

    One shot is the best-rated example, two are the best and the worst, further ones are spread evenly between
    them. `seed` alone breaks ties, whatever the order of `rated`. A question is repeated only if no other is
    left.

    Args:
        rated: the candidates, without the responses to be judged.
        shots: how many examples.
        seed: the seed for breaking ties.
        reasoned: whether to use only examples with worked reasoning.

    Raises:
        InvalidInput: there are fewer candidates than `shots`.
    """
    left = [example for example in rated if example.reasoning.strip() or not reasoned]
    if len(left) < shots:
        words = {"shots": shots, "there": len(left)}
        raise InvalidInput(
            sentence(
                "rated examples with worked reasoning needed: {shots}, available: {there}; rate or choose "
                "more items.",
                **words,
            )
            if reasoned
            else sentence(
                "rated examples needed: {shots}, available: {there}; rate or choose more items.", **words
            )
        )
    left.sort(key=lambda example: (example.question, example.response, example.score))
    random.Random(seed).shuffle(left)
    chosen: list[Demonstration] = []
    for target in _targets([example.score for example in left], shots):
        seen = {example.question for example in chosen}
        best = min(left, key=lambda example: (example.question in seen, abs(example.score - target)))
        left.remove(best)
        chosen.append(best)
    return tuple(chosen)


def _targets(scores: Sequence[float], shots: int) -> list[float]:
    """Return the highest and the lowest score, then evenly spaced scores between them."""
    if not scores:
        return []
    high, low = max(scores), min(scores)
    between = [high - (high - low) * step / (shots - 1) for step in range(1, shots - 1)] if shots > 2 else []
    return [high, low, *between][:shots]


def demonstrations_for(
    task: Task, scale: Scale, *, shots: int, reasoned: bool = False, version: str = FIRST
) -> tuple[Demonstration, ...]:
    """Return the first `shots` examples that may be shown with this task, never the case itself.

    These are the task's own; the built-in ones, in the wording of a version, are used only for questions
    rated from 0 to 3.

    Raises:
        InvalidInput: there are not enough, or they lack the reasoning to be shown.
    """
    given = [
        example
        for example in task.demonstrations
        if (example.question, example.response) != (task.question, task.response)
    ]
    if not given and all(_suits_built_in(criterion, scale, task.kind) for criterion in task.criteria):
        return built_in_examples(version)[:shots]
    reason = _missing_reason(given, shots=shots, reasoned=reasoned)
    if reason:
        raise InvalidInput(
            sentence("the prompt cannot be built: {why}; choose other examples or 'direct'.", why=reason)
        )
    return tuple(given[:shots])


def demonstration_refusal(
    criterion: Criterion,
    given: Sequence[Demonstration],
    *,
    kind: Literal["qa", "summarisation"],
    shots: int,
    reasoned: bool = False,
) -> Refusal | None:
    """Return why no prompt with examples can be built for the criterion, or None."""
    if not given and _suits_built_in(criterion, scale_from_json(criterion.scale), kind):
        return None
    reason = _missing_reason(given, shots=shots, reasoned=reasoned)
    return (
        Refusal(
            sentence(
                "{why}, and the built-in ones are only for questions rated from 0 to 3, where 3 is best",
                why=reason,
            )
        )
        if reason
        else None
    )


def _missing_reason(given: Sequence[Demonstration], *, shots: int, reasoned: bool) -> str:
    """Return what the examples lack, as a clause; empty if they are sufficient."""
    if reasoned and not (given and all(example.reasoning.strip() for example in given[:shots])):
        return sentence(
            "it needs rated examples with worked reasoning, and this project's rated responses have none"
        )
    if len(given) >= shots:
        return ""
    if not given:
        return counted(
            "it needs {n} rated example, and this project has none that can be shown",
            "it needs {n} rated examples, and this project has none that can be shown",
            shots,
        )
    return counted(
        "it needs {n} rated example, and this project has only {there} that can be shown",
        "it needs {n} rated examples, and this project has only {there} that can be shown",
        shots,
        there=len(given),
    )


def _suits_built_in(criterion: Criterion, scale: Scale, kind: str) -> bool:
    rising = criterion.higher_is_better
    return kind == "qa" and rising and [point.value for point in scale.points()] == [0, 1, 2, 3]


@lru_cache(maxsize=4)
def built_in_examples(version: str = FIRST) -> tuple[Demonstration, ...]:
    """Return the built-in rated answers to product questions (scale 0 to 3), in the order shown."""
    data = template_table("demonstrations_rpqa", version)
    return tuple(Demonstration(**fields) for fields in data["demonstration"])
