"""ROUGE against rouge-score 0.1.2, and against published correlations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from judgelab.metrics import MetricInput, metrics, overlaps
from judgelab.metrics import rouge as module
from judgelab.metrics.rouge import KINDS, rouge
from tests.examples import examples

scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is the oracle")
ORACLE = {stemmer: scorer.RougeScorer(list(KINDS), use_stemmer=stemmer) for stemmer in (False, True)}
FEW_WORDS = st.lists(
    st.sampled_from("the cat cats sat on Running runs a MAT . \n K İ é x1 12 1234".split(" ")), max_size=40
).map(" ".join)
TEXTS = st.one_of(FEW_WORDS, st.text(max_size=60), st.text("ab \n\x00", max_size=30), st.just(""))


def assert_equal_to_oracle(pairs: list[tuple[str, str]], *, stemmer: bool) -> None:
    scores = rouge(KINDS, [a for a, _ in pairs], [b for _, b in pairs], stemmer=stemmer)
    for number, (response, reference) in enumerate(pairs):
        expected = ORACLE[stemmer].score(reference, response)
        for kind in KINDS:
            ours = scores[kind]
            score = expected[kind]
            assert (ours.p[number], ours.r[number], ours.f[number]) == (
                score.precision,
                score.recall,
                score.fmeasure,
            )


@examples(300)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), st.booleans())
def test_any_texts_equal_rouge_score(pairs: list[tuple[str, str]], stemmer: bool) -> None:
    assert_equal_to_oracle(pairs, stemmer=stemmer)


@pytest.mark.parametrize("stemmer", [False, True])
def test_real_summaries_equal_rouge_score(summaries: pd.DataFrame, stemmer: bool) -> None:
    few = summaries.iloc[::40]
    assert_equal_to_oracle(
        [(row.summary, ref.replace(" . ", "\n")) for row in few.itertuples() for ref in row.references[:3]],
        stemmer=stemmer,
    )


@given(st.lists(st.tuples(FEW_WORDS, FEW_WORDS), min_size=1, max_size=5))
def test_long_sentences_take_the_sparing_way_to_the_same_number(pairs: list[tuple[str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlaps, "MOST_CELLS", 20)
        patch.setattr(module, "MOST_WORDS", 30)
        assert_equal_to_oracle(pairs, stemmer=False)


def test_a_text_of_a_hundred_thousand_words() -> None:
    rng = np.random.default_rng(1)
    long, reference = (" ".join(f"w{n}" for n in rng.integers(0, 5000, 100_000)) for _ in range(2))
    scores = rouge(KINDS, [long, "w1 w2"], ["w1 w2", reference])
    for kind in KINDS:
        assert 0 <= scores[kind].p[0] < 0.001 and 0 <= scores[kind].r[1] < 0.001
    assert 0 < rouge(["rougeL"], [long], [reference])["rougeL"].f[0] < 1


def test_one_long_sentence_is_the_same_with_and_without_sentences() -> None:
    rng = np.random.default_rng(1)
    long, reference = (" ".join(f"w{n}" for n in rng.integers(0, 900, 20_000)) for _ in range(2))
    scores = rouge(KINDS, [long], [reference])
    assert scores["rougeL"].f[0] == scores["rougeLsum"].f[0] > 0


def value(name: str, response: str, *references: str, **options: object) -> float | None:
    return metrics.get(name).score([MetricInput(response, references)], options)[0].value


def test_several_references_become_what_the_option_says() -> None:
    given_ = ("the cat sat", "the cat", "a dog")
    assert value("rouge1", *given_) == pytest.approx(0.8)
    assert value("rouge1", *given_, references="mean") == pytest.approx(0.4)
    assert value("rouge1", "the cat sat", "a dog", "the cat", references="first") == 0
    assert value("rouge1", *given_, part="r") == 1
    assert value("rouge1", *given_, part="p") == pytest.approx(2 / 3)


def test_scripts_that_the_tokenizer_cannot_see_have_no_number() -> None:
    [score] = metrics.get("rouge1").score([MetricInput("Это кошка", ["Это кошка"])], {})
    assert score.value is None and "tokenizer=unicode" in score.reason
    assert value("rouge1", "Это кошка", "Это кошка", tokenizer="unicode") == 1
    assert value("rouge1", "", "a cat") == 0


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("日本の首都は東京です。2024年", "大阪は大きい町です。2024年"),
        ("Москва GPT", "Париж GPT"),
        ("Müller", "Möller"),
        (
            "The dose of TGF α was the same in all of the nine patients",
            "The dose of TGF β was the same in all of the nine patients",
        ),
        ("plain words", "простые слова"),
    ],
)
@pytest.mark.parametrize("name", ["rouge1", "rougeL", "meteor"])
def test_letters_that_ascii_leaves_out_make_no_two_texts_equal(
    name: str, response: str, reference: str
) -> None:
    [score] = metrics.get(name).score([MetricInput(response, [reference])], {"tokenizer": "ascii"})
    assert score.value is None and "tokenizer=unicode" in score.reason
    assert (value(name, response, reference, tokenizer="unicode") or 0) < 1


def test_a_name_in_an_english_text_leaves_it_its_number() -> None:
    text = "The singer Beyoncé sold out all of the nine concerts in her home town"
    assert value("rouge1", text, text) == 1
    assert value("rouge1", text, "All of the concerts of the singer Beyoncé in her town sold out") is not None


def test_references_that_cannot_be_seen_are_left_out_of_the_greatest_value_and_spoil_a_mean() -> None:
    texts = ("the cat sat", "кошка", "the cat")
    assert value("rouge1", *texts) == pytest.approx(0.8)
    assert value("rouge1", *texts, references="mean") is None is value("rouge1", *texts, references="first")


def test_all_letters_of_other_scripts_count() -> None:
    assert value("rouge1", "की", "का", tokenizer="unicode") == 0
    shared = value("rouge1", "我喜欢吃红苹果呀", "我喜欢吃青苹果呢", tokenizer="unicode")
    assert shared == pytest.approx(6 / 8)
    assert value("rougeL", "東京は大きい", "大きい東京は", tokenizer="unicode") == pytest.approx(0.5)


def test_full_stops_part_sentences_where_asked() -> None:
    pair = ("b . a", "a . b")
    assert value("rougeLsum", *pair) == pytest.approx(0.5)
    assert value("rougeLsum", *pair, sentences="full_stop") == 1


@pytest.fixture(scope="module")
def summaries(datasets: Path) -> pd.DataFrame:
    folder = datasets / "summeval"
    documents = pd.read_json(folder / "documents.jsonl", lines=True)[["doc_id", "references"]]
    experts = pd.read_csv(folder / "ratings_experts.csv").drop(columns="rater")
    means = experts.groupby(["doc_id", "system"], as_index=False).mean()
    lines = (folder / "summaries.jsonl").read_text(encoding="utf-8").splitlines()
    frame = pd.DataFrame([json.loads(line) for line in lines])
    return frame.merge(documents, on="doc_id").merge(means, on=["doc_id", "system"])


# EXPECTED section 2 (Table 1 of G-Eval, Liu et al. 2023): document-level rho and tau, mean of 11 references.
PUBLISHED = {
    "rouge1": ((0.1686, 0.1605, 0.1156, 0.3280), (0.1264, 0.1306, 0.0943, 0.2528)),
    "rouge2": ((0.1838, 0.1866, 0.1586, 0.2895), (0.1393, 0.1552, 0.1280, 0.2190)),
    "rougeLsum": ((0.1288, 0.1137, 0.1044, 0.3101), (0.0996, 0.0907, 0.0840, 0.2371)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_correlation_with_experts_within_each_document(summaries: pd.DataFrame, name: str) -> None:
    batch = [MetricInput(row.summary, row.references) for row in summaries.itertuples()]
    options = {"references": "mean", "stemmer": True}
    if name == "rougeLsum":
        options["sentences"] = "full_stop"
    frame = summaries.assign(score=[score.value for score in metrics.get(name).score(batch, options)])
    for column, criterion in enumerate(("coherence", "consistency", "fluency", "relevance")):
        usable = [
            group
            for _, group in frame.groupby("doc_id")
            if group[criterion].nunique() > 1 and group.score.nunique() > 1
        ]
        assert len(usable) == (100, 96, 98, 100)[column]
        for coefficient, expected in zip((spearmanr, kendalltau), PUBLISHED[name], strict=True):
            values = [coefficient(group.score, group[criterion]).statistic for group in usable]
            assert np.mean(values) == pytest.approx(expected[column], abs=0.00006)
