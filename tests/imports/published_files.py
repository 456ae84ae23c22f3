"""Small files in the layouts of published comparisons; all texts are our own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

TURNS = ("Name a lake in the valley.", "Which one is deeper?")


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def long_answers(signs: Sequence[Any] = (-1, 1, 0, 1), **more: Any) -> str:
    """Two answers to a question with their kinds, and a signed preference; by nobody named."""
    kinds = ("human", "model", "human")
    return lines(
        {
            "question": f"Why does bell {n} ring?",
            "answer_a": f"The wind moves bell {n}.",
            "answer_b": f"A boy pulls the rope of bell {n}.",
            "answer_a_type": kinds[n % 2],
            "answer_b_type": kinds[n % 2 + 1],
            "overall_preference": sign,
            "justification": "It names the cause.",
            **more,
        }
        for n, sign in enumerate(signs)
    )


def instructions(preferences: Sequence[Any], **more: Any) -> str:
    """Instructions with two systems' outputs and a preference between them."""
    return lines(
        {
            "instruction": f"Describe hill {n}.",
            "output_1": f"Hill {n} is steep.",
            "generator_1": "aster",
            "output_2": f"Hill {n} has a tower on it.",
            "generator_2": "briar",
            "preference": preference,
            **more,
        }
        for n, preference in enumerate(preferences)
    )


def conversations(judgments: Iterable[tuple[str, str, int]], **more: Any) -> str:
    """Two models' conversations of two turns, with (judge, winner, turn) of each row."""
    answers = {"aster": ("The Mirrow.", "The Mirrow, by far."), "briar": ("The Tarn Pool.", "Neither is.")}

    def conversation(model: str) -> list[dict[str, str]]:
        return [
            {"content": content, "role": role}
            for asked, answered in zip(TURNS, answers[model], strict=True)
            for content, role in ((asked, "user"), (answered, "assistant"))
        ]

    return lines(
        {
            "question_id": 81,
            "model_a": "aster",
            "model_b": "briar",
            "winner": winner,
            "judge": judge,
            "conversation_a": conversation("aster"),
            "conversation_b": conversation("briar"),
            "turn": turn,
            **more,
        }
        for judge, winner, turn in judgments
    )


def panel(inputs: Sequence[str] = ("The cat sat.", "", "A dog ran.")) -> str:
    """Instructions with an input each, and three annotators' choices: 1, 2 or 0 for a tie."""
    rows = [
        {
            "idx": n,
            "cmp_key": "aster_briar",
            "instruction": "Make the sentence longer.",
            "input": added,
            "response1": f"Longer, {n}.",
            "response2": f"Much longer, {n}.",
            **{f"annotator{k}": (n + k) % 3 for k in (1, 2, 3)},
        }
        for n, added in enumerate(inputs)
    ]
    return json.dumps(rows)


def verdicts(
    winners: Sequence[tuple[str, str]] = (("1", "1"), ("2", "1"), ("None", "2")), *, rounds: int = 0
) -> str:
    """Two outputs with a gold label and a judge's verdicts in both orders, the last of several rounds."""
    rows = []
    for n, (plain, swapped) in enumerate(winners):
        verdict = {
            order: {"completion": ["So it is.", "stop"], "winner": winner}
            for order, winner in (("swap = False", plain), ("swap = True", swapped))
        }
        other = {order: {**said, "winner": "2"} for order, said in verdict.items()}
        row = {
            "input": f"Name moor {n}.",
            "output_1": f"Moor {n}.",
            "output_2": f"No moor {n}.",
            "label": 1 + n % 2,
        }
        results = {"results": [*[other] * (rounds - 1), verdict]}
        rows.append(row | (results if rounds else {**verdict, "swap_equal": plain == swapped}))
    return json.dumps(rows)


def gold_labels() -> str:
    """Two outputs with a label: 1 or 2 for the better one."""
    return json.dumps(
        [
            {key: row[key] for key in ("input", "output_1", "output_2", "label")}
            for row in json.loads(verdicts())
        ]
    )
