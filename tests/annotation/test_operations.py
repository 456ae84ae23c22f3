"""Whatever arrives from a browser is read or refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.rating.operations import RECORDED, Operation, read_operation
from judgelab.annotation.rating.values import MOST_SPANS
from judgelab.errors import InvalidInput

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.text(min_size=1, max_size=12)
SPANS = st.builds(
    lambda part, start, length: {"part": part, "start": start, "end": start + length},
    st.sampled_from(["response", "context"]),
    st.integers(0, 10**6),
    st.integers(1, 500),
)
SOUND = st.fixed_dictionaries(
    {
        "uid": st.uuids().map(str),
        "kind": st.sampled_from([*RECORDED, "draft"]),
        "item": st.integers(1, 2**31 - 1),
    },
    optional={
        "form": st.sampled_from(["pointwise", "pairwise", "ranking", "best_worst"]),
        "scores": st.dictionaries(KEYS, st.none() | st.integers(-10, 10), max_size=3),
        "choices": st.dictionaries(
            KEYS,
            st.fixed_dictionaries(
                {"choice": st.sampled_from(["first", "second", "tie"]), "strength": st.integers(1, 2)}
            ),
            max_size=3,
        ),
        "places": st.dictionaries(KEYS, st.lists(st.none() | st.integers(1, 20), max_size=20), max_size=3),
        "evidence": st.dictionaries(KEYS, st.lists(SPANS, max_size=3), max_size=3),
        "comments": st.dictionaries(KEYS, st.text(max_size=50), max_size=3),
    },
)


@given(JSON)
def test_anything_is_read_or_refused_with_a_sentence(data: Any) -> None:
    try:
        assert isinstance(read_operation(data), Operation)
    except InvalidInput as error:
        assert str(error).endswith(".")


@given(SOUND, st.sampled_from(["scores", "choices", "places", "comments", "evidence", "seconds"]), JSON)
def test_a_sound_operation_with_one_odd_part_is_read_or_refused(
    data: dict[str, Any], field: str, value: Any
) -> None:
    try:
        operation = read_operation({**data, field: value})
    except InvalidInput as error:
        assert str(error).endswith(".")
    else:
        json.dumps(asdict(operation), allow_nan=False)  # the database takes it


@given(SOUND)
def test_a_sound_operation_keeps_what_it_says(data: dict[str, Any]) -> None:
    operation = read_operation(data)
    assert (operation.uid, operation.kind, operation.item) == (data["uid"], data["kind"], data["item"])
    for name in ("scores", "places", "evidence"):
        assert getattr(operation, name) == data.get(name, {})
    assert {key: read_choice["choice"] for key, read_choice in operation.choices.items()} == {
        key: read_choice["choice"] for key, read_choice in data.get("choices", {}).items()
    }
    assert all(choice["strength"] == 1 for choice in operation.choices.values() if choice["choice"] == "tie")


@pytest.mark.parametrize(
    "evidence",
    [
        [{"part": "references", "start": 0, "end": 1}],
        [{"part": "response", "start": 3, "end": 3}],
        [{"part": "response", "start": -1, "end": 3}],
        [{"part": "response", "start": True, "end": 3}],
        [{"part": "response", "start": 0, "end": 1}] * (MOST_SPANS + 1),
        {"part": "response", "start": 0, "end": 1},
    ],
)
def test_a_span_lies_in_a_text_and_is_not_empty(evidence: Any) -> None:
    with pytest.raises(InvalidInput):
        read_operation({"uid": "12345678", "kind": "rate", "item": 1, "evidence": {"right": evidence}})
