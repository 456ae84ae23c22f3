"""Sentences about the unit on a rater's screen, one for each kind: an answer, a pair, all answers."""

from __future__ import annotations

from typing import Literal

from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark

Kind = Literal["answer", "pair", "question", "document"]

NO_UNITS: dict[Kind, str] = {
    "answer": mark("This project has no answers to rate yet."),
    "pair": mark("This project has no pairs to rate yet."),
    "question": mark("This project has no questions to rate yet."),
    "document": mark("This project has no documents to rate yet."),
}
RESERVED: dict[Kind, str] = {
    "answer": mark("There is nothing here for you: this project's answers are reserved for other raters."),
    "pair": mark("There is nothing here for you: this project's pairs are reserved for other raters."),
    "question": mark(
        "There is nothing here for you: this project's questions are reserved for other raters."
    ),
    "document": mark(
        "There is nothing here for you: this project's documents are reserved for other raters."
    ),
}
SELECT: dict[Kind, str] = {
    "answer": mark("Select a row to reopen that answer. Your rating stays until you save a change."),
    "pair": mark("Select a row to reopen that pair. Your rating stays until you save a change."),
    "question": mark("Select a row to reopen that question. Your rating stays until you save a change."),
    "document": mark("Select a row to reopen that document. Your rating stays until you save a change."),
}
REOPEN: dict[Kind, str] = {
    "answer": mark("Open this answer again"),
    "pair": mark("Open this pair again"),
    "question": mark("Open this question again"),
    "document": mark("Open this document again"),
}


def kind_of(project: ProjectInfo) -> Kind:
    """Return the kind of unit that a project's raters see: an answer, a pair, or an item with all answers."""
    form = project.settings.get("form", "pointwise")
    if form == "pointwise":
        return "answer"
    if form == "pairwise":
        return "pair"
    return "document" if project.task == "summarisation" else "question"


def counted_units(n: int, kind: Kind) -> str:
    """Return a count of units: `12 answers`."""
    if kind == "pair":
        return _n("{n} pair", "{n} pairs", n)
    if kind == "question":
        return _n("{n} question", "{n} questions", n)
    if kind == "document":
        return _n("{n} document", "{n} documents", n)
    return _n("{n} answer", "{n} answers", n)


def none_yet(kind: Kind) -> str:
    """Return the sentence that the project has nothing to rate."""
    return _(NO_UNITS[kind])


def reserved(kind: Kind) -> str:
    """Return the sentence that all units are reserved for other raters."""
    return _(RESERVED[kind])


def select(kind: Kind) -> str:
    """Return the sentence on how to reopen a rating."""
    return _(SELECT[kind])


def reopen(kind: Kind) -> str:
    """Return the label of the button that reopens a rating."""
    return _(REOPEN[kind])
