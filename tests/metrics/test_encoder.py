"""The encoder: the offline model as sentence-transformers gives it, its checksum, what is kept, TF-IDF."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.metrics import encoder_files
from judgelab.metrics.encoder import TFIDF, current_encoder, embed, frequencies, text_hash
from judgelab.metrics.encoder_files import OFFLINE, check, has_torch, offline_folder

neural = pytest.mark.skipif(
    not has_torch() or offline_folder() is None, reason="torch and the offline model are in requirements.txt"
)
TEXTS = ["A cat sat.", "Кошка сидела.", "", "A cat sat.", "x", "a long text " * 300]


class Kept:
    def __init__(self) -> None:
        self.rows, self.asked = {}, []

    def load(self, model, hashes):
        self.asked.append(len(hashes))
        return {key: self.rows[key] for key in hashes if key in self.rows}

    def keep(self, model, found):
        self.rows.update(found)


@neural
def test_vectors_are_those_of_sentence_transformers() -> None:
    sbert = pytest.importorskip("sentence_transformers").SentenceTransformer(str(offline_folder()))
    ours = embed(TEXTS, OFFLINE).dense()
    theirs = sbert.encode(TEXTS)
    full = [index for index, text in enumerate(TEXTS) if text]
    assert ours[full] == pytest.approx(theirs[full], abs=2e-4)  # kept as float16
    assert not ours[2].any()


@neural
def test_vectors_are_made_once_and_kept() -> None:
    stored = Kept()
    first = embed(TEXTS, OFFLINE, vectors=stored)
    assert sorted(stored.rows) == sorted(text_hash(text) for text in set(TEXTS) if text)
    stored.rows[text_hash("x")] = np.float16(np.eye(1, 384)[0])
    second = embed(["x", TEXTS[0]], OFFLINE, vectors=stored)
    assert second.dense()[0, 0] == 1 and (second.dense()[1] == first.dense()[0]).all()


@neural
def test_other_weights_are_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"other")
    with pytest.raises(InvalidInput, match="not the expected ones"):
        check(folder / "model.safetensors", encoder_files.OFFLINE_SHA256)
    with pytest.raises(InvalidInput, match="no encoder"):
        embed(["x"], str(tmp_path))


def test_without_torch_it_is_tfidf_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert current_encoder() == TFIDF == embed(["x"]).encoder
    monkeypatch.setenv("JUDGELAB_ENCODER", "some/model")
    settings.cache_clear()
    assert current_encoder() == "some/model"
    monkeypatch.delenv("JUDGELAB_ENCODER")
    settings.cache_clear()


def test_tfidf_is_scikit_learn_s() -> None:
    sklearn = pytest.importorskip("sklearn.feature_extraction.text")
    texts = ["the cat sat on the mat", "the dog sat", "Собака сидела", "the the end"]
    theirs = sklearn.TfidfVectorizer(token_pattern=r"[^\W_]+").fit_transform(texts)
    ours = embed([*texts, ""], TFIDF, corpus=frequencies(texts))
    assert ours.table(range(4), range(4)) == pytest.approx((theirs @ theirs.T).toarray())
    assert ours.pairs([0, 4], [1, 4]) == pytest.approx([(theirs @ theirs.T).toarray()[0, 1], 0])
