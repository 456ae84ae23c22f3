"""BLEU, SMOG, Repscore, novelty, length, sentences: small texts counted by hand."""

from __future__ import annotations

import math

import pytest

from judgelab.metrics import MetricInput, metrics
from judgelab.metrics.sentences import sentences
from judgelab.metrics.syllables import syllables


def value(name: str, response: str, *references: str, context: str = "", **options: object) -> float | None:
    return metrics.get(name).score([MetricInput(response, references, context=context)], options)[0].value


def test_bleu_is_sacrebleu_s_with_all_references_together() -> None:
    # 3 of 4 words, 2 of 3 pairs, 1 of 2 triples; no run of four: smoothed to half of 1 in 1.
    assert value("bleu", "the cat sat here", "the cat sat") == pytest.approx(
        100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25
    )
    texts = ("a b c d", "a b x y", "u v c d")
    joint, best = value("bleu", *texts), value("bleu", *texts, references="max")
    assert best is not None and joint is not None and joint > best
    assert (
        value("bleu", "猫坐下了", "猫坐下") is None is value("bleu", "猫坐下了", "猫坐下", references="max")
    )
    assert (value("bleu", "猫坐下了", "猫坐下", tokenizer="zh") or 0) > 50
    settled = metrics.get("bleu").settle({})
    assert settled["signature"].startswith("case:mixed|eff:yes|tok:13a|smooth:exp|version:2.")
    assert metrics.get("bleu").settle(settled) == settled


def test_smog_by_hand() -> None:
    text = "The university was beautiful. Nobody came."
    assert [syllables(word) for word in ("university", "beautiful", "nobody", "was")] == [5, 3, 3, 1]
    assert value("smog", text) == pytest.approx(1.043 * math.sqrt(30 * 3 / 2) + 3.1291)
    assert value("smog", "cat") == pytest.approx(3.1291)
    assert value("smog", "Университет") is None is value("smog", "")
    assert value("smog", "Это GPT") is None


def test_repscore_novelty_and_length_by_hand() -> None:
    assert value("repscore", "The cat and the dog") == 0.8
    assert value("repscore", " ... ") is None
    assert value("novelty", "the cat sat down", context="The cat sat.") == pytest.approx(1 / 3)
    assert value("novelty", "the dog", context="the cat", run=1) == 0.5
    assert value("novelty", "", context="x") is None
    assert value("length", "one two. Three!", unit="sentences") == 2
    assert value("length", "猫坐下了", unit="characters") == value("length", "猫坐下了。") == 4
    assert value("repscore", "猫猫坐") == pytest.approx(2 / 3)
    assert value("repscore", "Это GPT GPT", tokenizer="ascii") is None
    assert value("novelty", "猫坐", context="猫跑", run=1) == 0.5


def test_sentences_of_several_scripts() -> None:
    assert sentences('He said "no." Then\nhe left. . ') == ['He said "no."', "Then", "he left."]
    assert sentences("彼は来た。彼女は？") == ["彼は来た。", "彼女は？"]
    assert sentences("वह आया। वह गई। هل جاء؟ نعم.") == ["वह आया।", "वह गई।", "هل جاء؟", "نعم."]
    assert sentences("Costs 3.5 dollars, e.g. here. J. R. came.") == [
        "Costs 3.5 dollars, e.g. here.",
        "J. R. came.",
    ]
    assert sentences("") == sentences(" \n.. ") == []
