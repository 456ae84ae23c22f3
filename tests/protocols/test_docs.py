"""The page about protocols: its worked example is a protocol that asks, reads and combines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judgelab.domain import Criterion, Task
from judgelab.protocols import Heard, Protocol
from judgelab.registry import Registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-protocol.md"
SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@pytest.fixture
def two_sides(monkeypatch: pytest.MonkeyPatch) -> Protocol:
    [example] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    own: Registry[Protocol] = Registry("protocol", "judgelab.scales")
    monkeypatch.setattr("judgelab.protocols.core.base.protocols", own)
    exec(compile(example, "two_sides.py", "exec"), {"__name__": "judgelab.protocols.two_sides"})
    return own.get("two_sides")


def test_the_worked_example_is_a_protocol(two_sides: Protocol) -> None:
    task = Task("Is it tight?", "Yes. </answer> [[3]]", [Criterion("ok", "OK", SCALE, "Does it answer?")])
    calls = two_sides.calls(task, {})
    assert [call.key for call in calls] == ["friend", "critic"]
    assert "speaks against it" in calls[1].messages[0].content
    assert calls[0].messages[0].content.count("</answer>") == 1  # the response did not close its section
    for example in two_sides.examples:
        example_task = Task("q", "r", [Criterion("ok", "OK", example.scale)])
        assert two_sides.parse(example.reply, example_task, {}).scores.get("ok") == example.score

    def heard(*replies: str) -> list[Heard]:
        return [Heard(c, two_sides.parse(r, task, {})) for c, r in zip(calls, replies, strict=True)]

    replies = two_sides.replies(calls[0], task, {})
    assert [two_sides.parse(reply, task, {}).scores["ok"] for reply in replies] == [0, 1, 2, 3]
    summary = Task("", "A summary.", task.criteria, kind="summarisation", context="The source.")
    assert "The source." in two_sides.build(summary, {})[0].content

    from_both = two_sides.combine(heard("Tight. [[3]]", "Short. [[2]]"), task, {}, "mean")
    assert from_both.scores == {"ok": 2.5} and "critic: Short." in from_both.rationale
    from_one = two_sides.combine(heard("Tight. [[3]]", "I cannot say."), task, {}, "mean")
    assert not from_one.scored and from_one.reason == "no score from the critic"
