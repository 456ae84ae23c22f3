"""The answers to a project's questions to raters: their statistics, and all of them as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from judgelab.annotation.rating.questions import Question, answer_in_words, project_questions
from judgelab.escaping import escape_cell
from judgelab.metaeval.raters.answers import Answer, AnswerStatistics, Kind, answer_statistics
from judgelab.store.db.engine import Store
from judgelab.store.frames import question_answers as stored
from judgelab.store.frames.question_answers import AnsweredUnit
from judgelab.store.projects.projects import find_project

COLUMNS = ("item", "response", "system", "rater", "question", "text", "answer", "at")


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question, the statistics of its answers, and who answered what."""

    question: Question
    statistics: AnswerStatistics
    given: tuple[AnsweredUnit, ...]

    @property
    def texts(self) -> list[AnsweredUnit]:
        """Return the answers to read one by one: those to a question for free text."""
        return list(self.given) if self.question.kind == "text" else []

    def to_json(self) -> dict[str, Any]:
        """Return the question of `judgelab answers --json`."""
        found = self.statistics
        data: dict[str, Any] = {
            "key": self.question.key,
            "text": self.question.text,
            "kind": self.question.kind,
            "n": found.n,
            "not_fitting": found.not_fitting,
            "units": found.units,
            "raters": found.raters,
        }
        if self.question.kind == "number":
            data |= {"mean": found.mean, "median": found.median}
        if self.question.kind in ("choice", "choices"):
            data["options"] = [
                {
                    "option": option.option,
                    "n": option.n,
                    "share": option.share if found.n else None,
                    **({"alpha_nominal": option.alpha.to_json()} if option.alpha else {}),
                }
                for option in found.options
            ]
        if found.alpha is not None:
            level = "interval" if self.question.kind == "number" else "nominal"
            data[f"alpha_{level}"] = found.alpha.to_json()
        if self.question.kind == "text":
            data["answers"] = [_cells(unit, self.question.key) for unit in self.texts]
        return data


@dataclass(frozen=True)
class ProjectAnswers:
    """The questions of a project with their answers; `given` has those to earlier questions too."""

    questions: tuple[AnsweredQuestion, ...]
    given: tuple[AnsweredUnit, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab answers --json` adds."""
        return {"questions": [question.to_json() for question in self.questions]}

    def to_csv(self) -> str:
        """Return one row per answer; several options are separated by semicolons."""
        texts = {asked.question.key: asked.question.text for asked in self.questions}
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for unit in self.given:
            for key in unit.answers:
                row = {**_cells(unit, key), "question": key, "text": texts.get(key, "")}
                writer.writerow({name: escape_cell(value) for name, value in row.items()})
        return out.getvalue()


def project_answers(store: Store, slug: str, *, resamples: int = 1000, seed: int = 0) -> ProjectAnswers:
    """Return the statistics of the answers to each question that a project asks.

    All raters' answers count, whatever the quality filter; repeats, checks and practice do not.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        given = stored.answered_units(session, project.id)
    questions = project_questions(project)
    answered = tuple(_answered(question, given, resamples=resamples, seed=seed) for question in questions)
    return ProjectAnswers(answered, tuple(given))


def answers_fingerprint(store: Store, slug: str) -> str:
    """Return a fingerprint that changes with what `project_answers` returns."""
    with store.reading() as session:
        return stored.answers_fingerprint(session, find_project(session, slug).id)


def _answered(
    question: Question, given: Sequence[AnsweredUnit], *, resamples: int, seed: int
) -> AnsweredQuestion:
    units = [unit for unit in given if question.key in unit.answers]
    answers = [Answer(unit.item, unit.unit, unit.rater, unit.answers[question.key]) for unit in units]
    statistics = answer_statistics(
        answers, cast(Kind, question.kind), options=question.options, resamples=resamples, seed=seed
    )
    return AnsweredQuestion(question, statistics, tuple(units))


def _cells(unit: AnsweredUnit, key: str) -> dict[str, str]:
    return {
        "item": unit.item,
        "response": " – ".join(unit.responses),
        "system": " – ".join(unit.systems),
        "rater": unit.rater,
        "answer": answer_in_words(unit.answers[key]),
        "at": unit.at.isoformat() if unit.at else "",
    }
