"""ROUGE-1, -2 and -L of 10,000 pairs, ours beside rouge-score, in one run.

    python benchmarks/bench_rouge.py [--pairs 10000]

CPU seconds of one thread, so that a loaded machine does not blur the ratio. Texts are drawn from a word list
with the frequencies of English, 60 words each; every response is met with 11 references.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from rouge_score import rouge_scorer

from judgelab.metrics.rouge import rouge

KINDS = ("rouge1", "rouge2", "rougeL")
REFERENCES = 11
ORACLE_PAIRS = 1000  # rouge-score's time grows with the number of pairs alone


def texts(count: int, rng: np.random.Generator) -> list[str]:
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    endings = ("", "", "s", "ed", "ing", "ation", "ness")
    words = ["".join(rng.choice(letters, rng.integers(2, 8))) + str(rng.choice(endings)) for _ in range(8000)]
    frequency = 1 / np.arange(2, 8002)
    drawn = rng.choice(8000, (count, 60), p=frequency / frequency.sum())
    return [" ".join(words[i] for i in row).capitalize() + "." for row in drawn]


def rates(responses: list[str], references: list[str], *, stemmer: bool) -> tuple[float, float, float]:
    """Pairs a second of ours and of rouge-score, and the largest difference of an F1 between them."""
    oracle = rouge_scorer.RougeScorer(list(KINDS), use_stemmer=stemmer)
    few = list(zip(responses, references, strict=True))[:ORACLE_PAIRS]
    start = time.process_time()
    expected = [oracle.score(reference, response) for response, reference in few]
    middle = time.process_time()
    found = rouge(KINDS, responses, references, stemmer=stemmer)
    end = time.process_time()
    differences = [
        abs(found[kind].f[place] - score[kind].fmeasure)
        for place, score in enumerate(expected)
        for kind in KINDS
    ]
    return len(responses) / (end - middle), len(few) / (middle - start), max(differences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    pairs = parser.parse_args().pairs
    rng = np.random.default_rng(0)
    responses = [text for text in texts(-(-pairs // REFERENCES), rng) for _ in range(REFERENCES)][:pairs]
    references = texts(pairs, rng)
    for stemmer in (False, True):
        ours, theirs, worst = rates(responses, references, stemmer=stemmer)
        print(
            f"stemmer={stemmer}: ours {ours:,.0f} pairs/s, rouge-score {theirs:,.0f} pairs/s, "
            f"{ours / theirs:.1f} times; largest difference {worst:g}"
        )


if __name__ == "__main__":
    main()
