"""Sentences that remember what they were made of."""

from __future__ import annotations

import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from judgelab.wording import Sentence, counted, sentence


def test_a_sentence_is_its_english_text() -> None:
    reason = sentence("no rating of {system} in {items} items", system="A", items=1462)
    assert reason == "no rating of A in 1,462 items"
    assert json.dumps({"reason": reason}) == '{"reason": "no rating of A in 1,462 items"}'
    assert (reason.template, reason.values) == (
        "no rating of {system} in {items} items",
        {"system": "A", "items": 1462},
    )


def test_braces_of_a_text_without_values_are_left_alone() -> None:
    assert sentence("write {criterion} in braces") == "write {criterion} in braces"


def test_one_and_many() -> None:
    assert [counted("{n} rater", "{n} raters", n) for n in (0, 1, 2, 1000)] == [
        "0 raters",
        "1 rater",
        "2 raters",
        "1,000 raters",
    ]


@given(st.text(), st.integers())
def test_a_sentence_survives_the_cache(name: str, count: int) -> None:
    inner = counted("{n} rating", "{n} ratings", count)
    outer = sentence("{name}: {what}", name=name, what=inner)
    unpickled = pickle.loads(pickle.dumps(outer))
    assert isinstance(unpickled, Sentence) and unpickled == outer == f"{name}: {inner}"
    assert unpickled.values["what"].template == inner.template
