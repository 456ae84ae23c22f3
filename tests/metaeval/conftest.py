"""Frames of the published data sets, in the columns that the statistics take."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd
import pytest

from judgelab.domain import SCORE_COLUMNS

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
Row = tuple[str, str, str, str, str, str, float]


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a frame of scores; an item and a system are one response."""
    scores = pd.DataFrame(
        rows, columns=["item", "system", "group", "criterion", "rater", "rater_kind", "score"]
    )
    scores["response"] = scores.groupby(["item", "system"], sort=False).ngroup()
    scores["run"] = pd.array([None] * len(scores), dtype="Int64")
    scores["sample"] = pd.array([None] * len(scores), dtype="Int64")
    scores["rated_at"] = pd.NaT
    return scores[list(SCORE_COLUMNS)]


@pytest.fixture(scope="session")
def make_frame() -> Callable[[Iterable[Row]], pd.DataFrame]:
    return frame


@pytest.fixture(scope="session")
def golden(datasets: Path) -> Callable[[str], dict]:
    """A worked example of `stats-golden` by name."""
    return lambda name: json.loads((datasets / "stats-golden" / f"{name}.json").read_text())


def rows_of(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


@pytest.fixture(scope="session")
def summeval(datasets: Path) -> pd.DataFrame:
    """Three experts and six judges on 1,600 summaries under four criteria."""
    wide = [
        (row, row["rater"], "human") for row in rows_of(datasets / "summeval" / "ratings_experts.csv")
    ] + [(row, row["judge"], "judge") for row in rows_of(datasets / "summeval" / "judges_alttest.csv")]
    return frame(
        (row["doc_id"], row["system"], "", criterion, rater, kind, float(row[criterion]))
        for criterion in CRITERIA
        for row, rater, kind in wide
    )


@pytest.fixture(scope="session")
def squality(datasets: Path) -> pd.DataFrame:
    """Four named workers, three on each of 300 answers, 0 to 100."""
    rows = rows_of(datasets / "squality-human-eval" / "ratings_long.csv")
    return frame(
        (r["passage_id"] + r["question_no"], r["system"], "", key, r["worker"], "human", float(r[key]))
        for key in ("correctness", "overall")
        for r in rows
    )  # fmt: skip


@pytest.fixture(scope="session")
def alttest(datasets: Path) -> Callable[[str], pd.DataFrame]:
    """Named annotators of a set of the alternative annotator test."""

    def load(name: str) -> pd.DataFrame:
        path = datasets / "alttest-labels" / f"{name}_human_annotations.json"
        labels = json.loads(path.read_text())
        return frame(
            (item, "", "", "label", rater, "human", float(score))
            for rater, scores in labels.items()
            for item, score in scores.items()
        )

    return load


@pytest.fixture(scope="session")
def elect(datasets: Path) -> pd.DataFrame:
    """Mean human scores and four judges in three product categories."""
    rows: list[Row] = []
    for category in ("auto", "electronics", "garden"):
        path = datasets / "elect-rpqa" / f"llama3_{category}_Table2_10.csv"
        for number, row in enumerate(rows_of(path, delimiter="\t")):
            item = f"{category}-{number}"
            rows.append((item, "", category, "quality", "mean", "human", float(row["annotated"])))
            for judge in ("llama_elect4", "llama_geval", "llama_dp", "llama_dp4"):
                rows.append((item, "", category, "quality", judge, "judge", float(row[f"{judge}_score"])))
    return frame(rows)


@pytest.fixture(scope="session")
def qa_eval(datasets: Path) -> pd.DataFrame:
    """Twelve systems on 301 questions: human verdicts, two metrics and three judges."""
    judges = ("gpt4_zero_shot", "text_davinci_003", "bem")
    kinds = {"human": "human", "em": "metric", "f1": "metric", **dict.fromkeys(judges, "judge")}
    return frame(
        (row["question"], row["system"], "", "correct", rater, kind, float(row[rater]))
        for row in rows_of(datasets / "qa-eval-nq301" / "labels_12systems.csv")
        for rater, kind in kinds.items()
    )
