"""METEOR against NLTK's, and WordNet's synonyms against its reader where the files are."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.errors import InvalidInput
from judgelab.metrics import MetricInput, metrics, wordnet
from judgelab.metrics.meteor import meteor
from tests.examples import examples

oracle = pytest.importorskip("nltk.translate.meteor_score", reason="NLTK is the oracle")
TEXTS = st.lists(
    st.sampled_from("the cat cats sat sitting on Running runs a mat heed obeys".lower().split()), max_size=30
)


class NoSynonyms:
    def synsets(self, _word: str) -> list[object]:
        return []


@examples(30)
@given(TEXTS, TEXTS)
def test_any_texts_equal_nltk(response: list[str], reference: list[str]) -> None:
    assert meteor(response, reference) == oracle.single_meteor_score(
        reference, response, wordnet=NoSynonyms()
    )


def test_synonyms_are_met_as_nltk_meets_them() -> None:
    class Synset:
        def __init__(self, *names: str) -> None:
            self.names = names

        def lemmas(self) -> list[Synset]:
            return [Synset(name) for name in self.names]

        def name(self) -> str:
            return self.names[0]

    table = {"obey": ("heed", "mind"), "armi": ("militari", "force"), "forc": ("militari",)}

    class Few:
        def synsets(self, word: str) -> list[Synset]:
            return [Synset(*table[word])] if word in table else []

    response = "the army always obeys forces of the army".split()
    reference = "the military mind will heed the military".split()
    ours = meteor(response, reference, lambda word: table.get(word, ()))
    assert ours == oracle.single_meteor_score(reference, response, wordnet=Few())
    assert ours > meteor(response, reference)


def test_wordnet_s_files_give_what_nltk_s_reader_gives() -> None:
    try:
        ours = wordnet.synonyms()
        from nltk.corpus import wordnet as theirs

        theirs.synsets("dog")
    except (InvalidInput, LookupError):
        pytest.skip("WordNet's files are not on this machine")
    for word in ("dogs", "ran", "better", "geese", "obeys", "galore", "unknownword", "men", "quickly"):
        names = {lemma.name() for synset in theirs.synsets(word) for lemma in synset.lemmas()}
        assert ours(word) == {name for name in names if "_" not in name}


def test_a_wordnet_of_two_words(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for part in wordnet.PARTS:
        for name in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (folder / name).write_bytes(b"")
    (folder / "data.noun").write_bytes(b"00000000 05 n 03 goose 0 honker 0 wild_goose 0 000 | a bird\n")
    (folder / "index.noun").write_bytes(b"  1 licence\ngoose n 1 0 1 0 00000000  \n")
    (folder / "noun.exc").write_bytes(b"geese goose\n")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    given_ = [MetricInput("two geese", ["two honker"])]
    assert wordnet.synonyms()("geese") == {"goose", "honker"}
    plain, rich = (metrics.get("meteor").score(given_, {"wordnet": on})[0].value for on in (False, True))
    assert plain == 0.25  # one of two words: F 0.5, one chunk of one match halves it
    assert rich == plain  # "geese" enters the last stage as the stem "gees", which WordNet does not know


def test_without_its_files_it_says_where_to_get_them(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet, "USR", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NLTK_DATA", raising=False)
    with pytest.raises(InvalidInput, match="wordnet-base"):
        metrics.get("meteor").score([MetricInput("a", ["a"])], {"wordnet": True})
