"""Exact match and token F1 against Table 1 of QA-eval."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pandas as pd
import pytest

from judgelab.metrics import MetricInput, MetricScore, metrics

# EXPECTED section 1: percent over 301 questions.
PER_SYSTEM = {
    "InstructGPT (zero-shot)": (12.62, 27.54),
    "InstructGPT (few-shot)": (33.89, 50.47),
    "DPR": (45.85, 52.29),
    "FiD": (47.84, 55.35),
    "ANCE+ & FiD": (48.17, 55.88),
    "RocketQAv2 & FiD": (49.83, 58.66),
    "Contriever & FiD": (46.51, 55.85),
    "FiD-KD": (50.83, 61.17),
    "GAR+ & FiD": (50.83, 59.66),
    "EviGen": (51.83, 59.53),
    "EMDR2": (53.16, 62.56),
    "R2-D2": (52.82, 61.41),
}


def value(name: str, response: str, *gold: str) -> float | None:
    return metrics.get(name).score([MetricInput(response, gold)], {})[0].value


def test_twelve_systems_of_qa_eval(datasets: Path) -> None:
    lines = (
        (datasets / "qa-eval-nq301" / "predictions_12systems.jsonl").read_text(encoding="utf-8").splitlines()
    )
    frame = pd.DataFrame([json.loads(line) for line in lines])
    batch = [MetricInput(row.prediction, row.answer) for row in frame.itertuples()]
    for column, name in enumerate(("exact_match", "token_f1")):
        frame[name] = [score.value for score in metrics.get(name).score(batch, {})]
        means = 100 * frame.groupby("system")[name].mean()
        assert len(means) == 12
        for system, mean in means.items():
            rounded = Decimal(repr(mean)).quantize(Decimal("0.01"), ROUND_HALF_UP)
            assert float(rounded) == pytest.approx(PER_SYSTEM[system][column], abs=0.0001), (system, name)


def test_case_punctuation_articles_and_blanks_do_not_count() -> None:
    assert value("exact_match", "The  Beatles!", "beatles") == 1
    assert value("exact_match", "Beatles band", "beatles") == 0
    assert value("token_f1", "the Beatles, a band", "Beatles") == pytest.approx(2 / 3)


def test_the_best_gold_answer_counts() -> None:
    assert value("exact_match", "1969", "1970", "1969") == 1
    assert value("token_f1", "July 1969", "1970", "July 20, 1969") == pytest.approx(0.8)


def test_a_gold_answer_may_stand_anywhere_in_the_response_word_for_word() -> None:
    assert value("contains_gold", "It was painted by the Vincent van Gogh, in 1889.", "Vincent van Gogh") == 1
    assert value("contains_gold", "In 1889.", "1890", "1889") == 1
    assert value("contains_gold", "In 18890 it was Vincents", "1889", "Vincent") == 0
    assert value("contains_gold", "Gogh", "Vincent van Gogh") == 0
    assert value("contains_gold", "首都は東京です。", "東京") == 1
    assert value("contains_gold", "anything", "the") == value("contains_gold", "", "x") == 0


def test_answers_in_scripts_without_spaces_are_compared_by_character() -> None:
    assert value("token_f1", "東京は大きい町", "東京は大きい都") == pytest.approx(12 / 14)
    assert value("exact_match", "東京。", "「東京」") == 1
    assert value("token_f1", "की", "का") == value("exact_match", "की", "का") == 0
    assert value("exact_match", "cafe\u0301", "café") == 1


def test_empty_texts() -> None:
    assert value("exact_match", "", "") == value("token_f1", "the", "a") == 1
    assert value("exact_match", "", "x") == value("token_f1", "", "x") == value("token_f1", "x", "") == 0
    assert metrics.get("token_f1").score([MetricInput("x")], {}) == [MetricScore(None, "no reference")]
