"""Export ratings in the formats in which the five studies published theirs; the presets can read them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median_low
from typing import Any

import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.escaping import escape_formula
from judgelab.imports.checking.comparison_checker import named_both
from judgelab.imports.files.sources import explain_file_errors
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import place_frame
from judgelab.store.prepared.rated_texts import RatedText, rated_texts
from judgelab.store.projects.projects import find_project

FILE_NAME = re.compile(r"\W+")


@dataclass
class _RatedResponse:
    """One response with its human scores by criterion and rater."""

    text: RatedText
    scores: dict[str, dict[str, float]] = field(default_factory=dict)

    def all(self, criterion: str | None = None) -> list[float]:
        """Return the scores for a criterion, by default the first one."""
        key = criterion or next(iter(self.scores), "")
        return list(self.scores.get(key, {}).values())


def export_shape(
    store: Store, slug: str, folder: Path, shape: str, *, humans: pd.DataFrame
) -> dict[str, int]:
    """Write the human ratings in the format of the study `shape`; return the number of rows of each file.

    Args:
        store: the database.
        slug: the project.
        folder: the folder for the files; existing files of the same names are replaced.
        shape: one of `SHAPES`.
        humans: the ratings, with the columns `SCORE_COLUMNS`.

    Raises:
        InvalidInput: the shape is unknown, or there is nothing to write in it.
    """
    if shape not in SHAPES:
        raise InvalidInput(f"--shape {shape} is not valid; use one of {', '.join(SHAPES)}.")
    with store.reading() as session:
        project = find_project(session, slug)
        texts = rated_texts(session, project.id)
        places = place_frame(session, project.id)
    rated = {row_id: _RatedResponse(text) for row_id, text in texts.items()}
    columns = (humans[name].tolist() for name in ("response", "criterion", "rater", "score"))
    for response, criterion, rater, score in zip(*columns, strict=True):
        rated[response].scores.setdefault(criterion, {})[rater] = score
    with explain_file_errors():
        folder.mkdir(parents=True, exist_ok=True)
        counts = SHAPES[shape](folder, rated, places)
    if not sum(counts.values()):
        what = "best–worst votes or rankings" if shape == "drpe" else "ratings"
        raise InvalidInput(f"the project has no {what} to export in the shape {shape}.")
    return counts


def _elect(folder: Path, rated: Mapping[int, _RatedResponse], places: pd.DataFrame) -> dict[str, int]:
    """Write one table per category: title, question, answer and mean score."""
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for response in rated.values():
        if scores := response.all():
            text = response.text
            row = (text.context, text.question, text.response, fmean(scores))
            groups.setdefault(FILE_NAME.sub("_", text.group) or "all", []).append(row)
    head = ("title", "question", "answer", "annotated")
    return {
        name: _table(folder / f"QA_{name}.csv", head, rows, delimiter="\t") for name, rows in groups.items()
    }


def _bioasq(folder: Path, rated: Mapping[int, _RatedResponse], places: pd.DataFrame) -> dict[str, int]:
    """Write one row for each answer and expert, with a column for each criterion."""
    criteria = list(dict.fromkeys(key for response in rated.values() for key in response.scores))
    head = ("question_id", "question", "system", "response", "rater", *criteria)
    rows = [
        (
            *(
                response.text.item_id,
                response.text.question,
                response.text.system,
                response.text.response,
                rater,
            ),
            *(response.scores.get(key, {}).get(rater, "") for key in criteria),
        )
        for response in rated.values()
        for rater in dict.fromkeys(name for by_rater in response.scores.values() for name in by_rater)
    ]
    return {"bioasq_scores": _table(folder / "bioasq_scores.csv", head, rows)}


def _drpe(folder: Path, rated: Mapping[int, _RatedResponse], places: pd.DataFrame) -> dict[str, int]:
    """Write one document per group: each article with its summaries and every rater's best and worst."""
    groups: dict[str, dict[str, Any]] = {}
    items = {response.text.item_id: response.text for response in rated.values()}
    for item, votes in places.groupby("item", sort=False):
        article: dict[str, Any] = {"article": items[str(item)].context or items[str(item)].question}
        article["annotators"] = [_vote(vote) for _, vote in votes.groupby("rater", sort=False)]
        for response in rated.values():
            if response.text.item_id == item:
                article[response.text.system or response.text.response_id] = {"text": response.text.response}
        name = FILE_NAME.sub("_", items[str(item)].group) or "all"
        groups.setdefault(name, {})[str(item)] = article
    for name, articles in groups.items():
        _document(folder / f"{name}_human.json", articles)
    return {name: len(articles) for name, articles in groups.items()}


def _vote(vote: pd.DataFrame) -> dict[str, list[str]]:
    names = vote["system"].to_numpy(dtype=str)
    low, high = (1, 3) if (vote["form"] == "best_worst").all() else (vote["place"].min(), vote["place"].max())
    lead = named_both([])
    comment = str(vote["comment"].iloc[0])
    both = comment.partition(lead)[2].split(", ") if lead in comment else []
    place = vote["place"].to_numpy()
    return {
        "best_summary": [n for n, p in zip(names, place, strict=True) if p == low or n in both],
        "worst_summary": [n for n, p in zip(names, place, strict=True) if p == high or n in both],
    }


def _linkage(folder: Path, rated: Mapping[int, _RatedResponse], places: pd.DataFrame) -> dict[str, int]:
    """Write each question with its answers, best first; the grade is the raters' (lower) median."""
    by_question: dict[str, list[dict[str, Any]]] = {}
    for response in rated.values():
        if scores := response.all():
            entry = {
                "doc_id": response.text.response_id,
                "passage": response.text.response,
                "label": _whole(median_low(scores)),
                "labels": next(iter(response.scores.values())),
            }
            by_question.setdefault(response.text.question or response.text.item_id, []).append(entry)
    for answers in by_question.values():
        answers.sort(key=lambda entry: -float(entry["label"]))
    _document(folder / "ANTIQUE.json", by_question)
    return {"ANTIQUE": sum(map(len, by_question.values()))}


def _qa_eval(folder: Path, rated: Mapping[int, _RatedResponse], places: pd.DataFrame) -> dict[str, int]:
    """Write predictions with gold answers, one overall label each, and every rater's Yes or No."""
    labelled = [response for response in rated.values() if response.all()]
    with (folder / "predictions_12systems.jsonl").open("w", encoding="utf-8") as file:
        for response in labelled:
            line = {
                "system": response.text.system,
                "question": response.text.question,
                "answer": list(response.text.references),
                "prediction": response.text.response,
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    rows = [
        (response.text.system, response.text.question, int(fmean(response.all()) >= 0.5))
        for response in labelled
    ]
    _table(folder / "labels_12systems.csv", ("system", "question", "human"), rows)
    most_raters = max((len(response.all()) for response in labelled), default=0)
    head = (
        "id",
        "Question",
        "Model answer",
        "Acceptable?",
        *(f"annotator{n + 1}" for n in range(most_raters)),
    )
    words = [
        (
            response.text.item_id,
            response.text.question,
            response.text.response,
            *map(_yes, (fmean(response.all()), *response.all())),
        )
        for response in labelled
    ]
    _table(
        folder / "NQ301_human.tsv",
        head,
        [(*row, *[""] * (len(head) - len(row))) for row in words],
        delimiter="\t",
    )
    return {"predictions_12systems": len(rows)}


Writer = Callable[[Path, Mapping[int, _RatedResponse], pd.DataFrame], dict[str, int]]
SHAPES: Mapping[str, Writer] = {
    **{"elect": _elect, "bioasq": _bioasq, "drpe": _drpe, "linkage": _linkage, "qa_eval": _qa_eval}
}


def _yes(score: float) -> str:
    return "Yes" if score >= 0.5 else "No"


def _whole(score: float) -> float | int:
    return int(score) if float(score).is_integer() else score


def _document(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


def _table(path: Path, head: Sequence[str], rows: Sequence[Sequence[Any]], *, delimiter: str = ",") -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(head)
        writer.writerows(
            [[escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        )
    return len(rows)
