"""Words that only one of two texts has are marked, and nothing of a text becomes markup."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from judgelab.ui.explain.text_differences import MOST_WORDS, marked_differences

WORDS = st.lists(st.sampled_from(["so", "<b>", "&amp;", "no", "\n", "  ", "</mark>", "ü"]), max_size=20)


@given(first=WORDS, second=WORDS)
def test_without_the_marks_both_texts_are_what_they_were(first: list[str], second: list[str]) -> None:
    texts = (" ".join(first), " ".join(second))
    marked = marked_differences(*texts)
    assert marked is not None
    for html, text in zip(marked, texts, strict=True):
        plain = re.sub("</?mark>", "", html)
        assert "<" not in plain and unescape(plain) == text


@given(text=st.text(max_size=60))
def test_equal_texts_have_no_marks(text: str) -> None:
    marked = marked_differences(text, text)
    assert marked is not None and "<mark>" not in marked[0] + marked[1]


def test_very_long_texts_are_left_as_they_are() -> None:
    assert marked_differences("word " * MOST_WORDS, "words " * MOST_WORDS) is None


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert marked_differences("今日は雨です。", "今日は雪です。") == (
        "今日は<mark>雨</mark>です。",
        "今日は<mark>雪</mark>です。",
    )
