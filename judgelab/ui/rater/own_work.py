"""A person's own ratings as a table and as a file: the texts, their answers, and when."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.annotation.forms.base import response_letter
from judgelab.annotation.rating.questions import answer_in_words, project_questions
from judgelab.annotation.screen import OwnWork
from judgelab.escaping import escape_cell
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

HEADS = {
    "Question": (mark("Question"), 240),
    "Answer": (mark("Answer"), 300),
    "Answers": (mark("Answers"), 380),
    "Comments": (mark("Comments"), 160),
    "Beside": (mark("Answers to questions"), 240),
    "Flag": (mark("Reason for flag"), None),
    "Rated": (mark("Rated"), None),
}


def draw_own_ratings(works: Sequence[OwnWork], project: ProjectInfo) -> int | None:
    """Draw the ratings and return the position of the selected row."""
    beside = _beside(works, project)
    frame = pd.DataFrame([_row(work, project, beside) for work in works])
    criteria_heads = {criterion.label for criterion in project.criteria}
    heads = {
        name: st.column_config.TextColumn(label=_(HEADS[name][0]), width=HEADS[name][1])
        for name in frame
        if name in HEADS and name not in criteria_heads
    }
    return widgets.table(frame, key="my_ratings_table", select=True, columns=heads)


def copy_as_csv(works: Sequence[OwnWork], project: ProjectInfo) -> bytes:
    """Return the ratings as a CSV file for the person themselves, with the heads in their language.

    It has what their screen showed and they entered, and no ids. It begins with a byte order mark, without
    which spreadsheets misread letters that are not in ASCII.
    """
    most = max((len(work.answers) for work in works), default=1)
    letters = [f"{_('Answer')} {response_letter(place)}" for place in range(most)]
    heads = [_("Question"), *(letters if most > 1 else [_("Answer")])]
    marking = {key for work in works for key in work.marked}
    for criterion in project.criteria:
        heads += [criterion.label, _("{label}: comment", label=criterion.label)]
        heads += [_("{label}: marked words", label=criterion.label)] if criterion.key in marking else []
    beside = _beside(works, project)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(escape_cell, [*heads, *beside.values(), _("Reason for flag"), _("Rated")]))
    for work in works:
        cells = [work.question, *work.answers, *[""] * (most - len(work.answers))]
        for criterion in project.criteria:
            cells += [_(work.in_words.get(criterion.key, "")), work.comments.get(criterion.key, "")]
            cells += [work.marked.get(criterion.key, "")] if criterion.key in marking else []
        cells += [answer_in_words(work.question_answers.get(key)) for key in beside]
        at = work.at.isoformat(timespec="seconds") if work.at else ""
        writer.writerow(map(escape_cell, [*cells, work.flag, at]))
    return out.getvalue().encode("utf-8-sig")


def rated_when(works: Sequence[OwnWork]) -> str:
    """Return when the first and the last rating were given, `rated 20 Nov to 14:03`; empty if not known."""
    times = [work.at for work in works if work.at]
    if not times:
        return ""
    first, last = text.when(min(times)), text.when(max(times))
    if first == last:
        return _("rated {when}", when=last)
    return _("rated {first} to {last}", first=first, last=last)


def _beside(works: Sequence[OwnWork], project: ProjectInfo) -> dict[str, str]:
    """Return the heads of answers beside the criteria by key: a question not asked any more has its key."""
    asked = {question.key: question.text for question in project_questions(project)}
    return asked | {key: key for work in works for key in work.question_answers if key not in asked}


def _row(work: OwnWork, project: ProjectInfo, beside: Mapping[str, str]) -> Mapping[str, Any]:
    answers = [f"{beside[key]} {answer_in_words(said)}" for key, said in work.question_answers.items()]
    return {
        "Question": work.question,
        **_answers(work.answers),
        **{criterion.label: _(work.in_words.get(criterion.key, "")) for criterion in project.criteria},
        "Comments": "; ".join(work.comments.values()),
        **({"Beside": " · ".join(answers)} if beside else {}),
        "Flag": work.flag,
        "Rated": text.when(work.at) if work.at else "",
    }


def _answers(answers: Sequence[str]) -> dict[str, str]:
    if len(answers) == 1:
        return {"Answer": answers[0]}
    return {
        "Answers": "  ".join(f"{response_letter(place)}: {answer}" for place, answer in enumerate(answers))
    }
