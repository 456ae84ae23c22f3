"""A sentence that was stored as a plain text is said in the reader's language all the same."""

from __future__ import annotations

import json

import pytest

from judgelab.languages import _, in_language
from judgelab.languages.locales import FOLDER, messages
from judgelab.languages.retranslate import retranslate
from judgelab.wording import Sentence, counted, sentence

NONE = sentence("no score in double square brackets in the reply")


@pytest.mark.parametrize(
    "reason",
    [
        NONE,
        sentence("its grammar '{grammar}' does not fit, because {why}", grammar="brackets", why=NONE),
        sentence("{count} different scores in double square brackets in the reply instead of one", count=3),
        counted("no score for {n} rated response", "no score for {n} rated responses", 7),
        sentence("the endpoint's content filter withheld the reply"),
    ],
)
def test_what_was_stored_reads_as_what_was_said(reason: str) -> None:
    stored = str.__str__(reason) + ""
    assert type(stored) is str
    with in_language("de"):
        assert _(stored) == _(reason) != stored
    with in_language("en"):
        assert _(stored) == stored


def test_a_stored_reason_within_a_sentence_follows_the_reader() -> None:
    said = sentence("{why} ({n})", why=Sentence("no score in the reply"), n=2)
    with in_language("de"):
        assert _(said) == f"{_('no score in the reply')} (2)"
        reason = "no score in the reply (2); cut off (1)"
        assert _(Sentence(reason)) == _(reason) != reason


def test_a_text_of_somebody_stays_as_it_is() -> None:
    for text in ("The pot is red.", "", "no", "x" * 3000, "Mirren", "kitchen: 3 of 9", "{n}"):
        assert retranslate(text, "de") is None or text in messages("de")
    assert retranslate("no score in the reply", "en") is None


@pytest.mark.parametrize(
    ("stored", "german"),
    [
        (
            "On style, 3 pairs of systems with fewer than two items in common are left out.",
            "Bei style sind 3 Systempaare mit weniger als zwei gemeinsamen Items ausgeschlossen.",
        ),
        ("ratings in conflict: 1 and 5", "widersprüchliche Bewertungen: 1 und 5"),
    ],
)
def test_what_an_earlier_version_stored_reads_in_german_too(stored: str, german: str) -> None:
    assert retranslate(stored, "de") == german


def test_every_earlier_text_leads_to_one_of_today(todays_texts: frozenset[str]) -> None:
    earlier = json.loads((FOLDER / "earlier.json").read_text(encoding="utf-8"))
    assert set(earlier.values()) <= todays_texts and not set(earlier) & todays_texts
