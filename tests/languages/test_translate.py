"""What is said in which language."""

from __future__ import annotations

import pytest

from judgelab.languages import (
    LANGUAGES,
    _,
    best_language,
    current_language,
    in_language,
    native_name,
    plural_categories,
    set_language_source,
    text_direction,
    translate,
)
from judgelab.wording import sentence


def test_english_stands_for_itself() -> None:
    assert current_language() == "en"
    assert _("Language") == "Language"


def test_a_text_is_said_in_the_language_of_the_block_and_only_there() -> None:
    with in_language("de"):
        assert _("Language") == "Sprache"
    assert _("Language") == "Language"


def test_a_sentence_of_the_core_is_said_again_with_its_values() -> None:
    word = sentence("Language")
    with in_language("de"):
        assert _(word) == "Sprache"
        assert _(sentence("{a}: {b}", a=word, b=1462)) == "Sprache: 1,462"


def test_whoever_knows_the_reader_is_asked_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "_language_source", [])  # the pages set theirs again after it
    assert current_language() == "en"
    set_language_source(lambda: "de")
    assert current_language() == "de"
    with in_language("en"):
        assert current_language() == "en"


@pytest.mark.parametrize(
    ("preferred", "expected"),
    [(["de-CH", "en"], "de"), (["ar_EG"], "ar"), (["xx", None, "", "de"], "de"), (["xx"], "en"), ([], "en")],
)
def test_the_best_language_is_the_first_that_is_spoken(preferred: list[str | None], expected: str) -> None:
    assert best_language(preferred) == expected


def test_languages_know_their_name_direction_and_plurals() -> None:
    assert {"en", "de", "ar"} <= set(LANGUAGES)
    assert [native_name("de"), native_name("en"), native_name("ar")] == ["Deutsch", "English", "العربية"]
    assert [text_direction(language) for language in ("en", "de", "ar", "nonsense")] == [
        "ltr",
        "ltr",
        "rtl",
        "ltr",
    ]
    assert plural_categories("de") == ["one", "other"]
    assert plural_categories("ar") == ["zero", "one", "two", "few", "many", "other"]
