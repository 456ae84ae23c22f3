"""BERTScore against bert-score 0.3.13, MoverScore against its formula, what stands on vectors."""

from __future__ import annotations

import random
import sys
import warnings

import numpy as np
import pytest

from judgelab.errors import InvalidInput
from judgelab.metrics import MetricInput, metrics, neural
from judgelab.metrics.base import Surroundings
from judgelab.metrics.bertscore import bertscore
from judgelab.metrics.bertscore_baselines import baseline, recommended_layer
from judgelab.metrics.encoder_files import OFFLINE, has_torch, offline_folder
from judgelab.metrics.hidden_states import pooled_states
from judgelab.metrics.moverscore import Collections, _by_linear_programme, moverscore
from judgelab.metrics.neural import piece_weights

pytestmark = pytest.mark.skipif(
    not has_torch() or offline_folder() is None, reason="torch and the offline model are in requirements.txt"
)
WORDS = "the lamp is broken again, Flask leaks! no. it works fine für immer Лампа 3.5 stars x".split()


@pytest.fixture(scope="module")
def pairs() -> tuple[list[str], list[str]]:
    draw = random.Random(3)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 25))) for _ in range(18)]
    return [texts[number % 6] for number in range(12)], texts[6:]


@pytest.fixture(scope="module")
def model():
    from judgelab.metrics.encoder_model import load

    return load(OFFLINE)


@pytest.mark.parametrize(("layer", "idf"), [(6, False), (3, True)])
def test_bertscore_equals_bert_score(pairs, model, layer: int, idf: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = pytest.importorskip("bert_score", reason="bert-score is the oracle")
        scorer = oracle.BERTScorer(
            str(offline_folder()), num_layers=layer, idf=idf, idf_sents=pairs[1] if idf else None, nthreads=0
        )
        expected = scorer.score(*pairs)
    weights = piece_weights(model, pairs[1]) if idf else None
    scores = bertscore(*pairs, model, layer=layer, weights=weights)
    for ours, theirs in zip(scores, expected, strict=True):
        assert ours == pytest.approx(theirs.numpy(), abs=2e-6)


def test_blocks_change_nothing(pairs, model, monkeypatch: pytest.MonkeyPatch) -> None:
    unblocked = bertscore(*pairs, model)
    monkeypatch.setattr(neural, "BLOCK_TOKENS", 40)
    assert bertscore(*pairs, model).f == pytest.approx(unblocked.f, abs=1e-6)


def test_moverscore_is_one_less_the_distance_of_the_joint_problem(pairs, model) -> None:
    import ot

    weights = Collections(piece_weights(model, pairs[0]), piece_weights(model, pairs[1]))
    scores = moverscore(*pairs, model, weights=weights)
    for response, reference, ours in list(zip(*pairs, scores, strict=True))[:4]:
        sides = []
        for text, rare in ((response, weights.responses), (reference, weights.references)):
            ids = model.token_ids([text])[0]
            pieces = model.tokenizer.convert_ids_to_tokens(ids)
            word_starts = [p for p, piece in enumerate(pieces) if piece not in ",.!" and "##" not in piece]
            mass = np.array([rare.weight(ids[p]) for p in word_starts]) + 1e-12
            sides.append((pooled_states(model, [ids])[0][word_starts].astype(float), mass / mass.sum()))
        (a, x), (b, y) = sides
        vectors = np.vstack([a, b])
        cost = ((vectors[:, None] - vectors[None]) ** 2).sum(-1)
        joint = ot.emd2(np.r_[x, np.zeros(len(y))], np.r_[np.zeros(len(x)), y], cost)
        assert ours == pytest.approx(1 - joint, abs=2e-5)
        assert _by_linear_programme(cost[: len(x), len(x) :], x, y) == pytest.approx(joint, abs=1e-6)


def test_rescaling_wants_a_baseline() -> None:
    batch = [MetricInput("a", ["a"])]
    with pytest.raises(InvalidInput, match="scibert"):
        metrics.get("bertscore_f1").score(batch, {"rescale": True})
    assert baseline("allenai/scibert_scivocab_uncased", 8) == (0.5335945, 0.5336341, 0.5322364)
    assert recommended_layer("FacebookAI/roberta-large") == 17 and recommended_layer(OFFLINE) is None
    with pytest.raises(InvalidInput, match="1 to 6"):
        metrics.get("bertscore_f1").score(batch, {"layer": 7})


def test_grounding_is_each_sentence_s_best_match() -> None:
    context = "The lamp is red. It costs nine dollars.\nReturns are free."
    grounded, ungrounded = "It costs nine dollars.", "My uncle plays chess."
    batch = [
        MetricInput(text, context=context) for text in (grounded, ungrounded, f"{grounded} {ungrounded}", "")
    ]
    values = [score.value for score in metrics.get("grounding").score(batch, {"encoder": OFFLINE})]
    assert values[0] == pytest.approx(1, abs=1e-3) and values[1] is not None and values[1] < 0.4
    assert values[2] == pytest.approx((values[0] + values[1]) / 2) and values[3] is None
    lowest = metrics.get("grounding").score(batch[2:3], {"encoder": OFFLINE, "sentences": "min"})
    assert lowest[0].value == pytest.approx(values[1])


def test_without_torch_the_number_is_missing_or_tfidf_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    batch = [MetricInput("a red lamp", ["the red lamp"])]
    assert "torch" in metrics.get("bertscore_f1").score(batch, {})[0].reason
    embedding = metrics.get("embedding")
    assert embedding.rater(embedding.settle({})) == "embedding (encoder=tfidf)"
    assert embedding.score(batch, {})[0].value == pytest.approx(2 / 3)
    corpus = embedding.corpus([MetricInput("red", ["red lamp"]), *batch], {})
    assert embedding.score_within(batch, {}, Surroundings(corpus))[0].value == pytest.approx(
        0.40467, abs=1e-5
    )
