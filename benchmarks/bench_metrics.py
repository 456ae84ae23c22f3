"""ROUGE beside rouge-score, METEOR beside NLTK, BERTScore beside its encoder's forward pass, in one run.

    python benchmarks/bench_metrics.py [--pairs 10000]

CPU seconds of one thread, so that a loaded machine does not blur the ratios. Texts are drawn from a word list
with the frequencies of English, 60 words each; every response meets 11 references. Encoder and BERTScore are
measured in turns, and the quickest turn of each counts. Prints a line a metric, with the largest difference
from the reference implementation.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from bench_rouge import REFERENCES, rates, texts

from judgelab.metrics.encoder_files import OFFLINE, has_torch, offline_folder
from judgelab.metrics.meteor import meteor
from judgelab.metrics.words import split_words

ORACLE_PAIRS = 1000
NEURAL_TEXTS = 60  # of responses and of references
TURNS = 3


def quickest(work: Callable[[], Any], turns: int = TURNS) -> tuple[float, Any]:
    """CPU seconds of the quickest turn, and what it returned."""
    times, found = [], None
    for _ in range(turns):
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return min(times), found


class NoSynonyms:
    """What NLTK's METEOR asks for synonyms: it knows none."""

    def synsets(self, _word: str) -> list[object]:
        """No meaning of any word."""
        return []


def measure_rouge(responses: list[str], references: list[str]) -> str:
    measured = [rates(responses, references, stemmer=stemmer) for stemmer in (False, True)]
    return "\n".join(
        f"ROUGE-1/2/L{' with stems' if stemmer else ''}: {ours:,.0f} pairs/s, rouge-score {theirs:,.0f}: "
        f"{ours / theirs:.1f} times; largest difference {worst:g}"
        for stemmer, (ours, theirs, worst) in zip((False, True), measured, strict=True)
    )


def measure_meteor(responses: list[str], references: list[str]) -> str:
    from nltk.translate.meteor_score import single_meteor_score

    def ours() -> list[float]:
        words = split_words([*responses, *references], "unicode")
        return [meteor(words[a], words[b]) for a, b in zip(responses, references, strict=True)]

    few = range(min(ORACLE_PAIRS, len(responses)))
    split = {text: text.lower().replace(".", "").split() for text in (*responses, *references)}
    theirs_seconds, expected = quickest(
        lambda: [
            single_meteor_score(split[references[i]], split[responses[i]], wordnet=NoSynonyms()) for i in few
        ],
        1,
    )
    seconds, found = quickest(ours)
    ratio = len(responses) / seconds / (len(few) / theirs_seconds)
    worst = max(abs(found[i] - expected[i]) for i in few)
    return (
        f"METEOR (exact + stem): {len(responses) / seconds:,.0f} pairs/s, NLTK "
        f"{len(few) / theirs_seconds:,.0f}: {ratio:.1f} times; largest difference {worst:g}"
    )


def measure_bertscore(responses: list[str], references: list[str]) -> str:
    if not has_torch() or offline_folder() is None:
        return "BERTScore: torch or the offline model is not installed"
    import torch

    from judgelab.metrics.bertscore import bertscore
    from judgelab.metrics.encoder_model import load

    model = load(OFFLINE)
    torch.set_num_threads(1)
    once = list(dict.fromkeys([*responses, *references]))
    batches = [
        model.inputs([ids[place] for place in batch])
        for ids in [model.token_ids(once)]
        for batch in model.batches(ids)
    ]

    def forward() -> None:
        with torch.inference_mode():
            for inputs in batches:
                model.model(**inputs)

    forward()
    # In turns, since a shared machine is quicker at one moment than at another.
    turns = [
        (quickest(forward, 1)[0], quickest(lambda: bertscore(responses, references, model), 1)) for _ in "123"
    ]
    alone, whole = min(turn[0] for turn in turns), min(turn[1][0] for turn in turns)
    lines = (
        f"BERTScore: {len(responses) / whole:,.0f} pairs/s ({len(once)} distinct texts), {whole:.2f} s, the "
        f"encoder's forward pass alone {alone:.2f} s: {100 * (whole / alone - 1):.1f} % above it"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from bert_score import BERTScorer

        scorer = BERTScorer(str(offline_folder()), num_layers=model.layers, nthreads=0)
        seconds, expected = quickest(lambda: scorer.score(responses, references), 1)
    worst = float(np.abs(turns[0][1][1].f - expected[2].numpy()).max())
    return f"{lines}; bert-score {seconds:.2f} s; largest difference {worst:.1g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    pairs = parser.parse_args().pairs
    rng = np.random.default_rng(0)
    responses = [text for text in texts(-(-pairs // REFERENCES), rng) for _ in range(REFERENCES)][:pairs]
    references = texts(pairs, rng)
    print(measure_rouge(responses, references))
    print(measure_meteor(responses, references))
    print(measure_bertscore(texts(NEURAL_TEXTS, rng), references[:NEURAL_TEXTS]))


if __name__ == "__main__":
    main()
