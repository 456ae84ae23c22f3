"""The words of the rating component: what the browser asks for is there, in every language."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from judgelab.languages import LANGUAGES, in_language, plural_categories
from judgelab.ui import rater
from judgelab.ui.rater.words import COUNTED, TEXTS, component_texts

SCRIPTS = "\n".join((Path(rater.__file__).parent / part).read_text(encoding="utf-8") for part in rater.PARTS)
PHRASE = re.compile(r'\bphrase\("(\w+)"(?:, \{([^}]*)\}|\))')
COUNTED_PHRASE = re.compile(r'\bcountedPhrase\("(\w+)"')
NAMED = re.compile(r'"(\w+)"')


def values(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_phrase_that_the_scripts_name_is_said_with_the_values_they_give() -> None:
    phrases = PHRASE.findall(SCRIPTS)
    assert len(phrases) > 50
    for name, arguments in phrases:
        assert values(TEXTS[name]) <= set(re.findall(r"\w+", arguments)), name
    assert set(COUNTED_PHRASE.findall(SCRIPTS)) <= set(COUNTED)


def test_no_word_is_left_that_no_script_asks_for() -> None:
    named_phrases = set(NAMED.findall(SCRIPTS))
    # What stands for a time is named by what it says and whether it gives the reason.
    pace_keys = {f"{name}_at_pace" for name in ("minute_left", "minutes_left")}
    assert set(TEXTS) | set(COUNTED) <= named_phrases | pace_keys


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_plural_forms_and_keeps_the_values(language: str) -> None:
    with in_language(language):
        texts = component_texts()
    assert texts["language"] == language
    for name, template in texts["said"].items():
        assert values(template) == values(TEXTS[name]), name
    for name, forms in texts["counted"].items():
        assert list(forms) == plural_categories(language), name
        assert values(forms["other"]) == {"n"}, name


def test_arabic_counts_in_six_forms_and_is_written_from_the_right() -> None:
    with in_language("ar"):
        texts = component_texts()
    assert texts["direction"] == "rtl"
    forms = texts["counted"]["words"]
    assert len(set(forms.values())) >= 5
    assert (forms["one"], forms["two"], forms["few"]) == ("كلمة واحدة", "كلمتان", "{n} كلمات")
    assert texts["said"]["submit"] == "إرسال"
