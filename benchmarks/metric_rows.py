"""How well every metric ranks SummEval's systems: Spearman within each article, averaged over the articles.

    python benchmarks/metric_rows.py FOLDER [METRIC[,OPTION=VALUE...]...]

FOLDER holds documents.jsonl, summaries.jsonl and ratings_experts.csv. Articles on which the mean of the three
experts is constant are left out; an article on which the metric is constant counts 0.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from judgelab.metrics import MetricInput, metrics

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
ROWS = (
    "rouge1,references=first rouge2,references=first rougeL,references=first rouge1 rougeL "
    "bleu,references=first bleu meteor,references=first meteor bertscore_f1,references=first bertscore_f1 "
    "embedding,references=first embedding embedding,against=context grounding moverscore "
    "repscore smog novelty length"
).split()


def summaries(folder: Path) -> pd.DataFrame:
    """Responses with their documents, references and the experts' mean scores."""
    documents = pd.read_json(folder / "documents.jsonl", lines=True)
    experts = pd.read_csv(folder / "ratings_experts.csv").drop(columns="rater")
    means = experts.groupby(["doc_id", "system"], as_index=False).mean()
    lines = (folder / "summaries.jsonl").read_text(encoding="utf-8").splitlines()
    frame = pd.DataFrame([json.loads(line) for line in lines])
    return frame.merge(documents, on="doc_id").merge(means, on=["doc_id", "system"])


def correlations(frame: pd.DataFrame, scores: list[float | None]) -> list[float]:
    """One Spearman a criterion."""
    found = []
    scored = frame.assign(score=scores)
    for criterion in CRITERIA:
        groups = [group for _, group in scored.groupby("doc_id") if group[criterion].nunique() > 1]
        values = [
            spearmanr(group.score, group[criterion]).statistic if group.score.nunique() > 1 else 0.0
            for group in groups
        ]
        found.append(float(np.mean(values)))
    return found


def row(frame: pd.DataFrame, wanted: str) -> str:
    """The line of one metric with its options."""
    name, *pairs = wanted.split(",")
    options = dict(pair.split("=", 1) for pair in pairs)
    metric = metrics.get(name)
    batch = [MetricInput(one.summary, one.references, "", one.source) for one in frame.itertuples()]
    start = time.perf_counter()
    found = [score.value for score in metric.score(batch, options)]
    seconds = time.perf_counter() - start
    each = correlations(frame, found)
    said = "  ".join(f"{value:6.3f}" for value in (*each, float(np.mean(each))))
    return f"{wanted:34} {said}  {seconds:6.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("metrics", nargs="*", default=ROWS)
    given = parser.parse_args()
    frame = summaries(given.folder)
    print(f"{'':34} {'  '.join(f'{one[:6]:>6}' for one in (*CRITERIA, 'mean'))}")
    for wanted in given.metrics:
        print(row(frame, wanted), flush=True)


if __name__ == "__main__":
    main()
