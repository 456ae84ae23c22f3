"""What is said in which language."""

from __future__ import annotations

import pytest

from judgelab.languages import (
    LANGUAGES,
    _,
    ask,
    best_of,
    current,
    direction,
    own_name,
    plural_categories,
    speaking,
    translate,
)
from judgelab.wording import sentence


def test_english_stands_for_itself() -> None:
    assert current() == "en"
    assert _("Language") == "Language"


def test_a_text_is_said_in_the_language_of_the_block_and_only_there() -> None:
    with speaking("de"):
        assert _("Language") == "Sprache"
    assert _("Language") == "Language"


def test_a_sentence_of_the_core_is_said_again_with_its_values() -> None:
    said = sentence("Language")
    with speaking("de"):
        assert _(said) == "Sprache"
        assert _(sentence("{a}: {b}", a=said, b=1462)) == "Sprache: 1,462"


def test_whoever_knows_the_reader_is_asked_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "_asked", [])  # the pages ask their own reader again after it
    assert current() == "en"
    ask(lambda: "de")
    assert current() == "de"
    with speaking("en"):
        assert current() == "en"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(["de-CH", "en"], "de"), (["ar_EG"], "ar"), (["xx", None, "", "de"], "de"), (["xx"], "en"), ([], "en")],
)
def test_the_best_language_is_the_first_that_is_spoken(wanted: list[str | None], found: str) -> None:
    assert best_of(wanted) == found


def test_languages_know_their_name_direction_and_plurals() -> None:
    assert {"en", "de", "ar"} <= set(LANGUAGES)
    assert [own_name("de"), own_name("en"), own_name("ar")] == ["Deutsch", "English", "العربية"]
    assert [direction(language) for language in ("en", "de", "ar", "nonsense")] == [
        "ltr",
        "ltr",
        "rtl",
        "ltr",
    ]
    assert plural_categories("de") == ["one", "other"]
    assert plural_categories("ar") == ["zero", "one", "two", "few", "many", "other"]
