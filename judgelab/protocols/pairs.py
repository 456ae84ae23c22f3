"""Compare a response with one other text: the prompt, and the score of the verdict."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Message, Reading, Task
from judgelab.options import Option
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.open_answers import case_parts, task_parts, wording, worked_examples
from judgelab.protocols.reading.bracketed import LETTERS, bracketed_letter
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark

CANDIDATE_FIRST, REFERENCE_FIRST = "candidate_first", "reference_first"
ORDERS = (CANDIDATE_FIRST, REFERENCE_FIRST)
ORDER = Option(
    "order",
    "choice",
    "random",
    ("random", "both", *ORDERS),
    mark("Which text is shown first: drawn by the seed, each once, or always the same."),
)
OUTCOME_WORDS = {1: "win", 0: "tie", -1: "loss"}


def orders_of(chosen: Mapping[str, Any], item: str, place: int) -> list[str]:
    """Return the orders to ask for a reference; a random one is the same for all responses of an item."""
    if chosen["order"] == "both":
        return list(ORDERS)
    if chosen["order"] != "random":
        return [chosen["order"]]
    return [random.Random(f"{chosen['seed']}:{item}:{place}").choice(ORDERS)]


def shown_pair(task: Task, other: str, order: str) -> dict[str, str]:
    """Return the two texts in the order shown."""
    first, second = (task.response, other) if order == CANDIDATE_FIRST else (other, task.response)
    return {"text_1": first, "text_2": second}


def pair_prompt(
    task: Task, other: str, *, order: str, chosen: Mapping[str, Any], version: str
) -> list[Message]:
    """Return the prompt that compares the response with `other` as one user message."""
    texts = list(shown_pair(task, other, order).values())
    name = "summary" if task.kind == "summarisation" else "answer"
    parts = [
        *task_parts(task, chosen, "pairwise", version),
        section("output", wording(version)["output"]["pair"]),
        _examples(chosen["shots"], version),
        *case_parts(task, chosen),
        *_pair_sections(texts, name),
    ]
    return [Message("user", joined(parts))]


def read_pair(text: str, order: str) -> tuple[int | None, Reading]:
    """Return 1 if the response won, 0 for a tie, -1 if it lost, None if no verdict can be read.

    The reading has the text around the verdict as its rationale, and why there is no verdict.
    """
    verdict = bracketed_letter(text)
    if verdict.reason is not None:
        return None, Reading(rationale=verdict.around, reason=verdict.reason)
    first = {"A": 1, "B": -1, "C": 0}[verdict.letter]
    return first if order == CANDIDATE_FIRST else -first, Reading(rationale=verdict.around)


def pair_reading(text: str, order: str, task: Task, detail: Mapping[str, Any]) -> Reading:
    """Return the verdict of one reply as a score of 1, 0 or -1."""
    outcome, reading = read_pair(text, order)
    if outcome is None:
        return Reading(rationale=reading.rationale, reason=reading.reason, detail={**detail, "order": order})
    return Reading(
        {only_criterion(task).key: float(outcome)},
        rationale=reading.rationale,
        detail={**detail, "order": order, "outcome": OUTCOME_WORDS[outcome]},
    )


def pair_replies(order: str) -> Sequence[str]:
    """Return the verdicts from the response's loss to its win."""
    a, b, tie = (f"[[{letter}]]" for letter in LETTERS)
    return [b, tie, a] if order == CANDIDATE_FIRST else [a, tie, b]


def _pair_sections(texts: Sequence[str], name: str) -> list[str]:
    return [
        section(f"{name}_{place}", f"{letter}. {clean(text) or '(empty)'}")
        for place, (letter, text) in enumerate(zip(LETTERS, texts, strict=False), start=1)
    ]


def _examples(shots: int, version: str) -> str:
    blocks = []
    for example in worked_examples(version)[:shots]:
        parts = [
            section("question", clean(example.question)),
            *_pair_sections((example.answer, example.references[example.compared - 1]), "answer"),
            section("score", f"{example.why} [[{example.verdict}]]"),
        ]
        blocks.append(section("example", "\n".join(parts)))
    return section("examples", "\n".join(blocks))
