"""Whatever a model writes: reading never raises, never leaves the scale, and fences change nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.protocols.reading.grammars import GRAMMARS, read
from judgelab.scales import scale_from_json

WORDED = {"1": "Poor", "2": "Fair", "3": "Good"}
SCALES = [
    scale_from_json(data)
    for data in (
        {"kind": "ordinal", "low": 1, "high": 3, "labels": WORDED},
        {"kind": "ordinal", "low": 0, "high": 10},
        {"kind": "binary"},
        {"kind": "numeric", "low": 0, "high": 100},
    )
]
PIECES = st.sampled_from(
    [
        *('{"score": ', "{'score': ", "}", ",}", "[[", "]]", "[RESULT]", "Score: ", "/", " out of ", "10"),
        *(
            "3",
            "1.5",
            "-",
            "five",
            " yes",
            "no",
            "\n",
            "A",
            "not ",
            "good",
            "Poor",
            "```",
            "~~~",
            "```json\n",
        ),
        *("'", '"', "\\", "null", ", ", "²", "٣", "1e9", "+", " is ", "…"),
    ]
)
REPLIES = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=14).map("".join))
EVERY = pytest.mark.parametrize("name", GRAMMARS)


@EVERY
@given(REPLIES, st.sampled_from(SCALES), st.booleans())
def test_a_reply_is_a_score_of_the_scale_or_a_reason(name: str, reply: str, scale, explain: bool) -> None:
    stated = read(name, reply, scale, explain=explain)
    assert (stated.score is None) == bool(stated.reason)
    if stated.score is not None:
        assert scale.reject(stated.score) is None


@EVERY
@given(REPLIES, st.sampled_from(SCALES), st.booleans(), st.sampled_from(["```", "```json", "````", "~~~"]))
def test_fences_and_blanks_around_a_reply_change_nothing(
    name: str, reply: str, scale, explain: bool, fence: str
) -> None:
    plain = read(name, reply, scale, explain=explain)
    assert read(name, f" \n{reply}\t\n\n", scale, explain=explain) == plain
    closing = fence.removesuffix("json")
    assert read(name, f"{fence}\n{reply}\n{closing}", scale, explain=explain) == plain
