"""LINKAGE and what it is compared with: the case of the paper's figures 3 and 10, orders, weights."""

from __future__ import annotations

import pytest

from judgelab.domain import Criterion, Reference, Task
from judgelab.errors import InvalidInput
from judgelab.protocols import Heard, protocols

QUALITY = Criterion("quality", "Quality", {"kind": "ordinal", "low": 0, "high": 3})
GRADES = (3.0, 2.0, 1.0, 0.0)


def task(references: int = 4, **changes: object) -> Task:
    listed = [Reference(f"Text of grade {grade:g}.", grade) for grade in GRADES[:references]]
    values = {"item": "q1", "reference_list": listed, "response": "The candidate.", **changes}
    return Task("What is wifi?", criteria=[QUALITY], **values)  # type: ignore[arg-type]


def judged(name: str, options: dict, says, *, draws: int = 1, on: Task | None = None):  # type: ignore[no-untyped-def]
    """Return what comes of asking every call of so many draws; `says(call, draw)` replies."""
    protocol, on = protocols.get(name), on or task()
    heard = [
        Heard(call, protocol.hear_call(call, says(call, draw), (), on, options))
        for draw in range(draws)
        for call in protocol.calls(on, options)
    ]
    return protocol.combine(heard, on, options, "mean")


def verdict(call, wins: set[int]) -> str:  # type: ignore[no-untyped-def]
    first = call.data["order"] == "candidate_first"
    return "[[A]]" if (call.data["reference"] in wins) == first else "[[B]]"


def test_the_case_of_the_paper_has_the_scores_of_the_paper() -> None:
    """Figure 3, on 0 to 10: candidate 1 has 2.5 by pairs and 0 by place 5, candidate 2 has 10 by place 1."""
    pairs = judged("pairwise_refs", {}, lambda call, _: verdict(call, {4}))
    assert (pairs.scores["quality"] + 4) / 8 * 10 == 2.5
    assert [comparison["outcome"] for comparison in pairs.detail["comparisons"]] == [
        "loss",
        "loss",
        "loss",
        "win",
    ]
    assert judged("linkage", {}, lambda *_: "[[5]]").scores["quality"] / 4 * 10 == 0
    assert judged("linkage", {}, lambda *_: "[[1]]").scores["quality"] / 4 * 10 == 10


def test_the_prompts_hold_the_list_best_first_and_the_candidate_last() -> None:
    for name in ("linkage", "pointwise_refs"):
        (call,) = protocols.get(name).calls(task(), {"shots": 3})
        text = call.messages[0].content
        positions = [text.index(f"Text of grade {grade:g}.") for grade in GRADES]
        assert positions == sorted(positions) and text.rindex("The candidate.") > positions[-1]
        assert text.count("<example>") == 3
        assert "What counts" not in text
    assert "its place is 5" in protocols.get("linkage").calls(task(), {})[0].messages[0].content
    assert "Text of grade" not in protocols.get("pointwise").calls(task(), {})[0].messages[0].content


def test_the_order_of_a_pair_is_drawn_once_for_all_responses_of_an_item() -> None:
    protocol = protocols.get("pairwise_refs")
    orders = {
        seed: [
            tuple(call.data["order"] for call in protocol.calls(task(response=text), {"seed": seed}))
            for text in ("One.", "Two.")
        ]
        for seed in range(6)
    }
    assert all(first == second for first, second in orders.values())
    assert len({first for first, _ in orders.values()}) > 1
    assert [c.messages for c in protocol.calls(task(), {})] == [
        c.messages for c in protocol.calls(task(), {})
    ]


def test_wins_are_weighed_by_grade_and_a_pair_that_changes_with_its_order_is_a_tie() -> None:
    weighed = judged("pairwise_refs", {"weights": "3=1, 2=0.5,0=0.25"}, lambda call, _: verdict(call, {2, 4}))
    assert weighed.scores["quality"] == -1 + 0.5 - 1 + 0.25
    both_orders = judged("pairwise_refs", {"order": "both"}, lambda call, _: "[[A]]")
    assert both_orders.scores["quality"] == 0 and both_orders.detail["inconsistent"] == 4
    with pytest.raises(InvalidInput, match="can't read the weight '3:1'"):
        protocols.get("pairwise_refs").calls(task(), {"weights": "3:1"})


def test_a_draw_with_an_unreadable_comparison_drops_out_and_alone_leaves_no_score() -> None:
    def says(call, draw: int) -> str:  # type: ignore[no-untyped-def]
        return "I cannot say." if draw == 0 and call.data["reference"] == 3 else verdict(call, {1, 2, 3, 4})

    assert judged("pairwise_refs", {}, says, draws=2).scores["quality"] == 4
    single_draw = judged("pairwise_refs", {}, says)
    assert not single_draw.scores and "double square brackets" in single_draw.reason


def test_several_places_are_averaged_and_an_unreadable_one_is_never_the_second_best() -> None:
    averaged = judged("linkage", {}, lambda _, draw: ("[[1]]", "[[4]]", "somewhere")[draw], draws=3)
    assert averaged.scores["quality"] == (4 + 1) / 2 and averaged.detail == {"places": 5, "ranks": [1, 4]}
    assert not judged("linkage", {}, lambda *_: "somewhere").scores


def test_with_one_reference_it_is_a_pairwise_comparison() -> None:
    single_reference = task(references=1)
    (call,) = protocols.get("linkage").calls(single_reference, {})
    assert "[[C]]" in call.messages[0].content and call.key == "pair"
    first = call.data["order"] == "candidate_first"
    win, loss = ("[[A]]", "[[B]]") if first else ("[[B]]", "[[A]]")
    scores = [
        judged("linkage", {}, lambda *_, reply=reply: reply, on=single_reference).scores.get("quality")
        for reply in (win, "[[C]]", loss, "[[1]]")
    ]
    assert scores == [1, 0.5, 0, None]


def test_what_lacks_a_list_or_ranks_low_scores_best_is_refused() -> None:
    with pytest.raises(InvalidInput, match="judgelab prepare PROJECT references"):
        protocols.get("linkage").calls(task(references=0), {})
    worse = Criterion("errors", "Errors", QUALITY.scale, higher_is_better=False)
    refusal = protocols.get("linkage").refusal(worse, {}, kind="qa")
    assert refusal is not None and "lower score is better" in refusal.reason
