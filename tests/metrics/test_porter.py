"""The stemmer against NLTK's, word by word."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metrics import porter

ORACLE = pytest.importorskip("nltk.stem.porter", reason="NLTK is the oracle").PorterStemmer()
BASES = (
    "rel",
    "troubl",
    "hop",
    "fall",
    "conform",
    "sens",
    "geo",
    "archaeo",
    "feud",
    "y",
    "sky",
    "plai",
    "rr",
    "al",
)
ENDINGS = [
    *porter.STEP_2,
    *porter.STEP_3,
    *porter.STEP_4,
    "ies",
    "ied",
    "eed",
    "ed",
    "ing",
    "logi",
    "y",
    "e",
    "ll",
]
WORDS = st.builds(
    lambda base, ends: base + "".join(ends),
    st.one_of(st.sampled_from(BASES), st.text("aeioubcdlstyz", min_size=1, max_size=6)),
    st.lists(st.sampled_from(ENDINGS), max_size=3),
)


@pytest.mark.parametrize(
    "word", [*porter.IRREGULAR, "dies", "flies", "died", "spied", "enjoy", "by", "caresses"]
)
def test_irregular_words_and_nltk_s_own_rules(word: str) -> None:
    assert porter.stem(word) == ORACLE.stem(word)


@given(st.one_of(WORDS, st.text(string.ascii_lowercase + string.digits, min_size=1)))
def test_any_word(word: str) -> None:
    assert porter.stem(word) == ORACLE.stem(word)


def test_every_word_of_a_hundred_news_articles(datasets: Path) -> None:
    lines = (datasets / "summeval" / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    words = {word for line in lines for word in re.findall("[a-z0-9]+", json.loads(line)["source"].lower())}
    assert len(words) > 5000
    assert [word for word in words if porter.stem(word) != ORACLE.stem(word)] == []
