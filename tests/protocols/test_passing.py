"""Judges that may answer "cannot judge"."""

from __future__ import annotations

import pytest

from judgelab.domain import Criterion, Reading, Task
from judgelab.protocols import protocols
from judgelab.protocols.core.aggregation import aggregate
from judgelab.scales import PASSED

SCALE = {"kind": "categorical", "labels": ["supported", "contradicted"]}
PASSING = Criterion("verdict", "Verdict", {**SCALE, "cannot_judge": True})
STRICT = Criterion("verdict", "Verdict", SCALE)
ON = {"cannot_judge": True}


def _task(criterion: Criterion) -> Task:
    return Task(question="Is it so?", response="Yes.", criteria=[criterion])


@pytest.mark.parametrize(
    ("grammar", "reply"),
    [
        ("digit", "Cannot judge."),
        ("digit", "There is no source.\nScore: cannot judge"),
        ("brackets", "[[cannot judge]]"),
        ("json", '{"explanation": "No source.", "score": "cannot judge"}'),
        ("prometheus", "Feedback: no source is shown. [RESULT] cannot judge"),
        ("abc", "I see no source.\n**Cannot judge**"),
        ("likert", "cannot_judge"),
    ],
)
def test_it_is_read_in_every_grammar_where_allowed(grammar: str, reply: str) -> None:
    direct, options = protocols.get("direct"), {"grammar": grammar, **ON}
    read = direct.parse(reply, _task(PASSING), options)
    assert (dict(read.scores), read.reason) == ({}, PASSED)
    assert direct.parse(reply, _task(STRICT), options).reason not in (None, PASSED)
    assert direct.parse(reply, _task(PASSING), {"grammar": grammar}).reason not in (None, PASSED)


@pytest.mark.parametrize(
    "reply",
    ["I cannot judge the style, but the claim is right.\nScore: 1", "One could say I cannot judge it; 1"],
)
def test_a_mention_is_not_the_answer(reply: str) -> None:
    read = protocols.get("direct").parse(reply, _task(PASSING), {"explain": True, **ON})
    assert read.reason != PASSED


def test_both_a_score_and_the_answer_are_neither() -> None:
    read = protocols.get("direct").parse("Score: 1\nCannot judge", _task(PASSING), {"explain": True, **ON})
    assert read.reason == "the reply states a score and that it cannot judge" and not read.scores


def test_the_prompt_and_the_schema_say_so_only_where_allowed() -> None:
    direct = protocols.get("direct")
    told = [
        '"cannot judge"' in direct.build(_task(criterion), options)[0].content
        for criterion, options in [(PASSING, ON), (STRICT, ON), (PASSING, {})]
    ]
    assert told == [True, False, False]
    schema = direct.reply_schema(_task(PASSING), {"grammar": "json", **ON})
    assert schema["properties"]["score"]["anyOf"][1] == {"type": "string", "enum": ["cannot judge"]}
    assert direct.reply_schema(_task(PASSING), {"grammar": "digit", **ON}) is None


def test_replies_without_a_score_are_left_out_of_the_majority() -> None:
    said, unread = Reading(reason=PASSED), Reading(reason="no number in the reply")
    label = Reading({"verdict": 2.0})
    assert aggregate([said, said, label], "majority").scores == {"verdict": 2.0}
    assert aggregate([said, unread], "majority").reason == PASSED
