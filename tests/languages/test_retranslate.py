"""A sentence that was stored as a plain text is said in the reader's language all the same."""

from __future__ import annotations

import pytest

from judgelab.languages import _, in_language
from judgelab.languages.locales import messages
from judgelab.languages.retranslate import retranslate
from judgelab.wording import counted, sentence

NONE = sentence("no score in double square brackets in the reply")


@pytest.mark.parametrize(
    "said",
    [
        NONE,
        sentence("of its grammar '{grammar}', {why}", grammar="brackets", why=NONE),
        sentence("{count} different scores in double square brackets in the reply, not one", count=3),
        counted("{n} rated response without its score", "{n} rated responses without its score", 7),
        sentence("the endpoint's content filter withheld the reply"),
    ],
)
def test_what_was_stored_reads_as_what_was_said(said: str) -> None:
    stored = str.__str__(said) + ""
    assert type(stored) is str
    with in_language("de"):
        assert _(stored) == _(said) != stored
    with in_language("en"):
        assert _(stored) == stored


def test_a_text_of_somebody_stays_as_it_is() -> None:
    for text in ("The pot is red.", "", "no", "x" * 3000, "Mirren", "kitchen: 3 of 9", "{n}"):
        assert retranslate(text, "de") is None or text in messages("de")
    assert retranslate("no score in the reply", "en") is None
