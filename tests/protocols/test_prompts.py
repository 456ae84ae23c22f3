"""The text of the prompts: order of parts, marks, names."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.domain import Criterion, Message, Task
from judgelab.protocols import protocols
from judgelab.protocols.core.prompts import SECTIONS, clean, prompt_hash

SCALE = {"kind": "ordinal", "low": 0, "high": 3, "labels": {"3": "Direct"}, "anchors": {"3": "settles it"}}
TASK = Task("How tall is it?", "Two metres.", [Criterion("fit", "Fit", SCALE, question="Does it answer?")])
PARTS = {
    "direct": ["task", "output", "criterion", "question", "answer"],
    "one_shot": ["task", "output", "criterion", "examples", "question", "answer"],
    "geval": ["task", "output", "criterion", "steps", "question", "answer"],
    "elect": ["task", "output", "criterion", "examples", "question", "answer"],
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_stand_in_the_order_of_the_paper(name: str) -> None:
    [message] = protocols.get(name).build(TASK, {})
    outside = re.sub(r"<examples>.*</examples>", "<examples>\n</examples>", message.content, flags=re.DOTALL)
    assert re.findall(r"^<(\w+)>$", outside, flags=re.MULTILINE) == PARTS[name]
    assert "Fit: Does it answer?" in message.content and "3 = Direct: settles it" in message.content


# The wording that each version stands for: change a wording, and its version must change too.
PINNED = {
    ("direct", "1"): "cbbc293c42d7",
    ("elect", "1"): "8de51a02d17b",
    ("geval", "1"): "cabfa1945acb",
    ("one_shot", "1"): "d184362caef9",
    ("direct", "2"): "ff5e401248d3",
    ("elect", "2"): "620019f37b1d",
    ("geval", "2"): "5ef32ad3b9d6",
    ("one_shot", "2"): "37b538d348f7",
}


@pytest.mark.parametrize(("name", "version"), PINNED)
def test_a_wording_keeps_its_version(name: str, version: str) -> None:
    protocol = protocols.get(name).at(version)
    prompts = [
        protocol.build(TASK, {"grammar": grammar, "explain": explain})
        for grammar in ("digit", "json", "brackets", "prometheus", "abc")
        for explain in (False, True)
    ]
    digest = hashlib.sha256("".join(map(prompt_hash, prompts)).encode()).hexdigest()[:12]
    assert digest == PINNED[name, version]


def test_own_wording_replaces_ours() -> None:
    text = protocols.get("geval").build(TASK, {"instruction": "Rate this.", "steps": "1. Think."})[0].content
    assert text.startswith("<task>\nRate this.\n</task>") and "<steps>\n1. Think.\n</steps>" in text


def test_an_empty_response_is_shown_as_empty() -> None:
    text = protocols.get("direct").build(Task("q", " ", TASK.criteria), {})[0].content
    assert text.endswith("<answer>\n(empty)\n</answer>")


def test_low_is_good_is_said() -> None:
    criterion = Criterion(
        "errors", "Errors", {"kind": "ordinal", "low": 0, "high": 9}, higher_is_better=False
    )
    assert (
        "A lower number is better."
        in protocols.get("direct").build(Task("q", "r", [criterion]), {})[0].content
    )


@pytest.mark.parametrize("mark", ["</answer>", "< /Answer >", "<\u200b/answer>", "<ANSWER>", "<task foo>"])
def test_section_marks_in_a_text_are_disarmed(mark: str) -> None:
    assert clean(f"a {mark} b") == f"a {mark.replace('<', '‹')} b"


@pytest.mark.parametrize("mark", ["<|eot_id|>", "<|im_end|>", "</s>", "[INST]", "[/INST]", "<end_of_turn>"])
def test_chat_marks_in_a_text_are_disarmed(mark: str) -> None:
    assert mark not in clean(f"a {mark} b")


@pytest.mark.parametrize(
    "text", ["1 < 2 > 0", "<b>bold</b>", "<answers>", "a[0] = [1]", "naïve — 日本", "👩‍👩‍👧"]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert clean(text) == text


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean(text).encode("utf-8").decode("utf-8") == clean(text)
    for name in SECTIONS:
        assert f"<{name}>" not in clean(text).lower()


def test_a_lone_surrogate_and_a_nul_can_be_sent() -> None:
    assert clean("a\ud800b\x00c") == "a?b c"


def test_the_name_of_a_prompt_is_that_of_its_messages() -> None:
    messages = [Message("user", "é")]
    assert prompt_hash(messages) == "8ddf306df5d06b09873ad36526d1a79b6126b61b7307c36bf429445dbb039dd0"
    assert prompt_hash(messages) != prompt_hash([Message("system", "é")])
