"""A learned judge's rationale is stored in English and shown in the reader's language."""

from __future__ import annotations

import pytest

from judgelab.languages import _, in_language
from judgelab.learned.explanation import ScoreReason, rationale
from judgelab.learned.stored_rationale import translatable

WHY = [
    ScoreReason("log_words", 0.4, 3.0, "high"),
    ScoreReason("smog", -0.3, 11.2, "low"),
    ScoreReason("coverage", 0.2, None, "usual"),
    ScoreReason("ends_open", 0.1, 0.0, "usual"),
]


@pytest.mark.parametrize("reasons", [WHY, []])
@pytest.mark.parametrize("probability", [None, 0.71])
@pytest.mark.parametrize("held_out", [True, False])
def test_what_was_stored_reads_as_what_was_said(
    reasons: list[ScoreReason], probability: float | None, held_out: bool
) -> None:
    said = rationale(1.25, reasons, width=4, held_out=held_out, probability=probability)
    stored = str.__str__(said) + ""
    assert type(stored) is str and str.__str__(translatable(stored)) == stored
    with in_language("de"):
        assert _(translatable(stored)) == _(said) != stored


def test_words_of_somebody_else_stay_as_they_are() -> None:
    with in_language("de"):
        for words in ("The pot is {red}. It boils (x, y, z).", "Raised", ""):
            assert _(translatable(words)) == words


@pytest.mark.parametrize(
    "stored",
    [
        "Predicted score 2. Raised by length in words (3, high, +0.40); SMOG grade (long words) (11.2, low, "
        "+0.30).",
        "Predicted score 2. Raised by: length in words = above average (3, +0.40 points); SMOG grade (long "
        "words) = below average (11.2, +0.30 points).",
        "Predicted score 2. Raised by: length in words: 3, above average (+0.40 points); SMOG grade (long "
        "words): 11.2, below average (+0.30 points).",
    ],
)
def test_reasons_as_they_were_stored_before_read_as_today(stored: str) -> None:
    assert str(translatable(stored)) == (
        "Predicted score 2. Raised by: length in words 3, above average (+0.40 points); SMOG grade (long "
        "words) 11.2, below average (+0.30 points)."
    )
    with in_language("de"):
        assert _(translatable(stored)) == (
            "Vorhergesagter Wert 2. Erhöht durch: Länge in Wörtern 3, überdurchschnittlich (+0.40 Punkte); "
            "SMOG-Stufe (lange Wörter) 11.2, unterdurchschnittlich (+0.30 Punkte)."
        )


def test_answers_as_they_were_stored_before_read_as_today() -> None:
    stored = "Lowered by: ends with a full stop = yes (−0.20 points)."
    assert str(translatable(stored)) == "Lowered by: ends with a full stop: yes (−0.20 points)."
