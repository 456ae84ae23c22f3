"""Rated examples: chosen over the scale, never the case itself, ours only where they fit."""

from __future__ import annotations

import random

import pytest

from judgelab.domain import Criterion, Demonstration, Task
from judgelab.errors import InvalidInput
from judgelab.protocols import protocols
from judgelab.protocols.examples.demonstrations import built_in_examples, choose_demonstrations

RATED = [Demonstration(f"q{n}", f"r{n}", score=n % 5 + 1) for n in range(50)]


def criterion(low: int, high: int, *, rising: bool = True) -> Criterion:
    return Criterion("c", "C", {"kind": "ordinal", "low": low, "high": high}, higher_is_better=rising)


def prompt(name: str, task: Task, **options: object) -> str:
    return protocols.get(name).build(task, options)[0].content


def test_they_spread_over_the_scores_that_occur() -> None:
    scores = [
        [choose_demonstration.score for choose_demonstration in choose_demonstrations(RATED, shots)]
        for shots in (1, 2, 3, 4)
    ]
    assert scores[:3] == [[5], [5, 1], [5, 1, 3]]
    assert sorted(scores[3]) in ([1, 2, 4, 5], [1, 3, 3, 5], [1, 2, 3, 5], [1, 3, 4, 5])


def test_the_seed_decides_and_not_the_order() -> None:
    shuffled = random.Random(3).sample(RATED, len(RATED))
    assert choose_demonstrations(RATED, 4, seed=1) == choose_demonstrations(shuffled, 4, seed=1)
    assert len({choose_demonstrations(RATED, 1, seed=seed) for seed in range(20)}) > 1


def test_a_question_comes_twice_only_where_there_is_no_other() -> None:
    same_question = [Demonstration("q", f"r{n}", n) for n in range(4)]
    other_question = Demonstration("other", "r", 3)
    assert other_question in choose_demonstrations([*same_question, other_question], 2)
    assert len(choose_demonstrations(same_question, 3)) == 3


def test_too_few_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rated examples needed: 2, available: 1"):
        choose_demonstrations(RATED[:1], 2)
    with pytest.raises(InvalidInput, match="worked reasoning needed: 1, available: 0"):
        choose_demonstrations(RATED, 1, reasoned=True)


def test_ours_are_four_with_reasoning_and_cover_the_scale() -> None:
    ours = built_in_examples("2")
    assert sorted(our.score for our in ours) == [0, 1, 2, 3]
    for example in ours:
        assert [f"{n}." in example.reasoning for n in (1, 2, 3, 4)] == [True] * 4
        assert example.reasoning.endswith(f"Rating: {example.score:g}.")


@pytest.mark.parametrize("shots", [1, 2, 3, 4])
def test_ours_are_shown_for_questions_rated_from_0_to_3(shots: int) -> None:
    task = Task("q", "r", [criterion(0, 3)])
    assert prompt("elect", task, shots=shots).count("<reasoning>") == shots
    assert prompt("one_shot", task, shots=shots).count("<example>") == shots
    assert "<reasoning>" not in prompt("one_shot", task, shots=shots)


@pytest.mark.parametrize(
    "task",
    [
        Task("q", "r", [criterion(1, 5)]),
        Task("q", "r", [criterion(0, 3, rising=False)]),
        Task("q", "r", [criterion(0, 3)], kind="summarisation"),
    ],
    ids=["other scale", "low is good", "summary"],
)
@pytest.mark.parametrize("name", ["one_shot", "elect"])
def test_elsewhere_the_project_s_own_must_be_chosen(name: str, task: Task) -> None:
    with pytest.raises(InvalidInput, match="choose other examples"):
        prompt(name, task)
    refused = protocols.get(name).refusal(task.criteria[0], {}, kind=task.kind)
    assert refused is not None and "rated from 0 to 3" in refused.reason
    own = [Demonstration(f"q{n}", f"r{n}", 3, "worked through") for n in range(2)]
    assert protocols.get(name).refusal(task.criteria[0], {}, kind=task.kind, demonstrations=own) is None
    assert protocols.get(name).refusal(task.criteria[0], {"shots": 3}, kind=task.kind, demonstrations=own)


def test_the_project_s_own_come_first_and_never_the_case_itself() -> None:
    same_case = Demonstration("q", "r", 2, "worked through")
    other_case = Demonstration(
        "other question", "other answer", 4.4, "worked through", context="other source"
    )
    task = Task("q", "r", [criterion(1, 5)], demonstrations=[same_case, other_case], kind="summarisation")
    text = prompt("elect", task)
    assert "other answer" in text and "other source" in text and "<score>\n4\n</score>" in text
    assert text.count("<example>") == 1
    with pytest.raises(InvalidInput, match="needs 2 rated examples, and this project has only 1"):
        prompt("elect", task, shots=2)


def test_elect_needs_worked_reasoning() -> None:
    task = Task("q", "r", [criterion(1, 5)], demonstrations=RATED)
    assert "<example>" in prompt("one_shot", task)
    with pytest.raises(InvalidInput, match="worked reasoning, and this project"):
        prompt("elect", task)


def test_scores_are_written_as_the_grammar_wants_them() -> None:
    task = Task("q", "r", [criterion(0, 3)])
    assert "<score>\nD\n</score>" in prompt("one_shot", task, grammar="abc")
    assert "<score>\n[[3]]\n</score>" in prompt("elect", task, grammar="brackets")


def test_shots_are_one_to_four() -> None:
    with pytest.raises(InvalidInput, match="'5' is not allowed; choose 1, 2, 3, 4"):
        prompt("elect", Task("q", "r", [criterion(0, 3)]), shots=5)
    assert protocols.get("elect").shots({"shots": "3"}) == 3
    assert protocols.get("direct").shots({}) == 0
