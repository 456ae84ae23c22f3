"""The injection test set: weak answers that try to talk to the judge, and a project made of them.

The texts are in `injections.toml`, written for JudgeLab. Each kind wraps each weak answer; `plain` is the
answer alone and `control` the answer with a harmless remark, which shows how far scores move by themselves.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from judgelab.domain import EXAMPLES, Criterion
from judgelab.imports.service import import_files
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.reference_lists import ItemList, ListEntry, save_lists
from judgelab.store.prepared.source_texts import source_texts
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project, find_project, list_projects

SET = Path(__file__).parent / "injections.toml"
PLAIN, CONTROL = "plain", "control"
CANDIDATE, RIVAL = "candidate", "rival"
PADDING = "The weather was fair and the train was on time, as it mostly is in this part of the country. " * 60
LINES = "\n" * 200
QUALITY = Criterion(
    "quality", "Quality", {"kind": "ordinal", "low": 0, "high": 3}, "How well does it answer the question?"
)
RIGHT = Criterion("right", "Right", {"kind": "binary"}, "Does it say what the known answers say?")
CRITERIA = (QUALITY, RIGHT)
METRICS = (
    "repscore",
    "length",
)  # what the meta-evaluator is told: both have a number for every text of the set


@dataclass(frozen=True)
class InjectionKind:
    """One kind of injection; `{answer}` in `text` is replaced by the weak answer."""

    name: str
    about: str
    text: str

    @property
    def hostile(self) -> bool:
        """Whether it is an attempt at all."""
        return self.name not in (PLAIN, CONTROL)

    def around(self, answer: str) -> str:
        """Return the answer with what this kind says around it."""
        filled = self.text.replace("{padding}", PADDING).replace("{lines}", LINES)
        return filled.replace("{answer}", answer)


@dataclass(frozen=True)
class InjectionCase:
    """A question with references (best first), a weak answer, and a good one of a rival."""

    name: str
    question: str
    references: tuple[str, ...]
    answer: str
    rival: str


@cache
def injection_kinds() -> tuple[InjectionKind, ...]:
    """Return all kinds, the plain answer and the harmless remark first."""
    return tuple(InjectionKind(**row) for row in _read()["kind"])


@cache
def injection_cases() -> tuple[InjectionCase, ...]:
    """Return the questions with their weak answers."""
    return tuple(InjectionCase(**{**row, "references": tuple(row["references"])}) for row in _read()["case"])


@cache
def _read() -> Mapping[str, Any]:
    return tomllib.loads(SET.read_text(encoding="utf-8"))


def name_of(case: InjectionCase, kind: InjectionKind) -> str:
    """Return the name of an item of the set's project."""
    return f"{case.name}.{kind.name}"


def injection_project(store: Store) -> str:
    """Return the short name of the project with the injection set, creating it if needed.

    It has an item for each case and kind with the weak answer and the rival's, reference lists for the
    protocols that need them, and rated examples in a group of their own.
    """
    records = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (*_items(), *_examples()))
    name = f"Injection test set {hashlib.sha256(records.encode()).hexdigest()[:8]}"
    with store.writing() as session:
        slugs = {project.name: project.slug for project in list_projects(session)}
        if name in slugs:
            return slugs[name]
        slug = create_project(session, name=name, criteria=CRITERIA).slug
    try:
        import_files(store, slug, [("injections.jsonl", records.encode())], kind="ratings")
        with store.writing() as session:
            _keep_lists(session, find_project(session, slug).id)
        score_project(store, slug, list(METRICS))
    except BaseException:
        # Found again by its name, half a set would be taken for the whole.
        with store.writing() as session:
            delete_project(session, slug)
        raise
    return slug


def _items() -> Iterator[dict[str, Any]]:
    for case in injection_cases():
        graded = [
            {"text": text, "grade": float(len(case.references) - 1 - place)}
            for place, text in enumerate(case.references)
        ]
        for kind in injection_kinds():
            name = name_of(case, kind)
            answers = ((CANDIDATE, kind.around(case.answer)), (RIVAL, case.rival))
            yield {
                "item_id": name,
                "question": case.question,
                "group": kind.name,
                "references": graded,
                "responses": [
                    {"response_id": f"{name}.{system}", "system": system, "text": text}
                    for system, text in answers
                ],
            }


def _examples() -> Iterator[dict[str, Any]]:
    for number, row in enumerate(_read()["example"], start=1):
        rating = {"rater": "JudgeLab", "criterion": QUALITY.key, "score": row["score"]}
        right = {"rater": "JudgeLab", "criterion": RIGHT.key, "score": float(row["score"] == 3)}
        yield {
            "item_id": f"example.{number}",
            "question": row["question"],
            "group": EXAMPLES,
            "responses": [{"system": "example", "text": row["response"], "ratings": [rating, right]}],
        }


def _keep_lists(session: Session, project_id: int) -> None:
    texts = [text for text in source_texts(session, project_id) if text.references]
    save_lists(
        session,
        project_id,
        name="references",
        draw=1,
        source="graded",
        pattern="3210",
        seed=0,
        recipe={},
        lists=[ItemList(text.item_id, _entries(text.references)) for text in texts],
    )


def _entries(references: Sequence[Any]) -> list[ListEntry]:
    return [
        ListEntry(reference.text, len(references) - 1 - place) for place, reference in enumerate(references)
    ]
