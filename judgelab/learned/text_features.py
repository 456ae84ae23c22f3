"""Features of a response by itself: length, repetition, style, coherence."""

from __future__ import annotations

import re

import numpy as np

from judgelab.learned.feature_inputs import Columns, FeatureInputs, TextParts
from judgelab.learned.similarity import Similarity
from judgelab.metrics.syllables import syllables

FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by can did do does for from had has have he her his how i if in is it "
    "its may more my no not of on or our she so than that the their them there they this to was we were "
    "what when which who will with would you your".split()
)
REFUSALS = re.compile(
    r"\b(?:i do(?: not|n't) know|i am not sure|i'm not sure|as an ai|cannot answer|can't answer|"
    r"no (?:answer|information)|not (?:mentioned|specified|clear|known)|unknown)\b",
    re.IGNORECASE,
)


def text_features(inputs: FeatureInputs, similarity: Similarity) -> Columns:
    """Return one column per feature, one row per response."""
    rows = [_features(cut, similarity) for cut in inputs.responses]
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]} if rows else {}


def _features(cut: TextParts, similarity: Similarity) -> dict[str, float]:
    words, sentences, text = cut.words, cut.sentences, cut.text
    count = len(words)
    lengths = [len(TextParts(sentence).words) for sentence in sentences]
    trigrams = list(zip(words, words[1:], words[2:], strict=False))
    cosines = similarity.grid(sentences, sentences) if len(sentences) > 1 else np.zeros((1, 1))
    off_diagonal = cosines[~np.eye(len(cosines), dtype=bool)] if len(sentences) > 1 else np.array([np.nan])
    following = np.diag(cosines, k=1) if len(sentences) > 1 else np.array([np.nan])
    return {
        "log_words": float(np.log1p(count)),
        "sentences": float(len(sentences)),
        "sentence_words": count / max(len(sentences), 1),
        "longest_sentence": float(max(lengths, default=0)),
        "shortest_sentence": float(min(lengths, default=0)),
        "distinct_words": len(set(words)) / count if count else np.nan,
        "repeated_trigrams": 1 - len(set(trigrams)) / len(trigrams) if trigrams else 0.0,
        "smog": _smog(words, len(sentences)),
        "word_length": float(np.mean([len(word) for word in words])) if words else np.nan,
        "function_words": _share(sum(word in FUNCTION_WORDS for word in words), count),
        "coherence": float(following.mean()),
        "coherence_least": float(following.min()),
        "redundancy": float(off_diagonal.max()),
        "ends_whole": float(text.rstrip().rstrip("\"'”’)").endswith((".", "!", "?", "。"))),
        "ends_open": float(bool(words) and words[-1] in FUNCTION_WORDS),
        "punctuation": _share(sum(not c.isalnum() and not c.isspace() for c in text), len(text)),
        "digits": _share(sum(c.isdigit() for c in text), len(text)),
        "loose_signs": _share(
            len(re.findall(r"\s[,.;:!?')]|<unk>|\[unk\]|-[lr]rb-|``|''", text.lower())), count
        ),
        "refusal": float(bool(REFUSALS.search(text))),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _smog(words: list[str], sentences: int) -> float:
    """McLaughlin 1969: 1.043 sqrt(30 · words of three syllables and more / sentences) + 3.1291."""
    if not sentences:
        return float("nan")
    long = sum(syllables(word) >= 3 for word in words)
    return 1.043 * float(np.sqrt(30 * long / sentences)) + 3.1291
