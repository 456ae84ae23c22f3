"""What a word is, in several scripts."""

from __future__ import annotations

import pytest

from judgelab.words import share_non_ascii, share_unspaced, word_count, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's 2 mats", ["the", "cat", "s", "2", "mats"]),
        ("Müller, GPT-4", ["müller", "gpt", "4"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("की का", ["की", "का"]),
        ("হ্যাঁ, না", ["হ্যাঁ", "না"]),
        ("نمی\u200cدانم", ["نمی\u200cدانم"]),
        ("東京2024年、GPT", ["東", "京", "2024", "年", "gpt"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("", []),
        ("!? 。", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_an_apostrophe_joins_where_asked() -> None:
    assert words_of("Don't, l’été", quotes=True) == ["don't", "l’été"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("two words -", 3), ("", 0), ("東京は大きい。", 6), ("東京 GPT-4 です", 5), ("한국어 문장", 2)],
)
def test_words_between_blanks_are_counted_and_characters_where_there_are_none(text: str, words: int) -> None:
    assert word_count(text) == words


def test_how_much_of_a_text_is_unseen_or_unspaced() -> None:
    assert share_non_ascii("Москва GPT") == 0.5
    assert share_non_ascii("plain text") == share_unspaced("Москва") == share_non_ascii("…") == 0
    assert share_unspaced("東京 GPT") == pytest.approx(2 / 3)
