"""Judges that list all labels which apply."""

from __future__ import annotations

import pytest

from judgelab.domain import Criterion, Reading, Task
from judgelab.protocols import protocols
from judgelab.protocols.core.aggregation import aggregate

SCALE = {"kind": "categorical", "labels": ["vague", "wrong", "rude"], "several": True}
FAULTS = Criterion("faults", "Faults", SCALE)
TASK = Task(question="Is it so?", response="Yes.", criteria=[FAULTS])


@pytest.mark.parametrize(
    ("reply", "explain", "score"),
    [
        ("vague, rude", False, 5),
        ("Wrong.", False, 2),
        ("none of these", False, 0),
        ('["vague", "wrong"]', False, 3),
        ("It says too little.\nLabels: vague", True, 1),
        ("vague, boring", False, None),
        ("It is vague, I think.", False, None),
        ("5", False, None),
        ("", False, None),
    ],
)
def test_lists_are_read(reply: str, explain: bool, score: float | None) -> None:
    read = protocols.get("direct").parse(reply, TASK, {"grammar": "labels", "explain": explain})
    assert read.scores.get("faults") == score and bool(read.reason) == (score is None)


def test_the_prompt_lists_the_labels_and_other_grammars_are_refused() -> None:
    direct = protocols.get("direct")
    prompt = direct.build(TASK, {"grammar": "labels"})[0].content
    assert 'with commas between them: "vague", "wrong", "rude"' in prompt and "None" not in prompt
    refused = direct.refusal(FAULTS, {}, kind="qa")
    assert refused is not None and refused.instead == "grammar=labels"
    assert direct.refusal(FAULTS, {"grammar": "labels"}, kind="qa") is None


def test_replies_are_combined_label_by_label() -> None:
    replies = [Reading({"faults": float(score)}) for score in (5, 1, 4)]
    assert aggregate(replies, "mean", labels=["faults"], sets=["faults"]).scores == {"faults": 5}
    tied = aggregate(replies[:2], "mean", labels=["faults"], sets=["faults"])
    assert not tied.scores and tied.reason
