"""Titles of survey questions: the item, system, texts and criterion that a title names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from judgelab.imports.core.records import derived_id
from judgelab.imports.results.answers import LONGEST_CHOICE

OVERALL = "score"
_NAME = r"[^\s/|\[\]()]{1,60}"
_PAIR = rf"({_NAME})\s*[/|]\s*({_NAME})"
# "[a/red] Why?", "Why? [a/red]", "Why? (a | red)", "Why? - a / red"
_TAGS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^\s*[\[(]\s*{_PAIR}\s*[\])]\s*",
        rf"\s*[\[(]\s*{_PAIR}\s*[\])]\s*$",
        rf"\s*[-–—]\s*{_PAIR}\s*$",
    )
)
_SECTION = re.compile(
    r"^[ \t]*(?:(question|prompt|input|query|frage)|(answer|response|output|antwort))[ \t]*:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_BETWEEN = re.compile(r"\s*(?:→|=>|->)\s*|\s*\n-{3,}\n\s*")
_ASKED = re.compile(r"(?:\A|\n\s*\n)([^\n]{1,200}\?)\s*\Z")
_ROW = re.compile(r"\s*(?:\[([^\[\]]{1,60})\]|[-–—]\s+([^\n]{1,60}))\s*\Z")


class Title(NamedTuple):
    """What the title of a survey's question says: which response is rated on which criterion."""

    item: str
    system: str
    question: str
    response: str
    criterion: str


def read_title(title: str) -> Title | None:
    """Return what a question's title names; None if it names no item and shows no response.

    >>> read_title("[a/red] Why? → Rain.")
    Title(item='a', system='red', question='Why?', response='Rain.', criterion='score')
    """
    tag = next((found for pattern in _TAGS if (found := pattern.search(title))), None)
    text = title if tag is None else title[: tag.start()] + title[tag.end() :]
    row = None if tag else _ROW.search(text)
    criterion = (row[1] or row[2]).strip() if row else ""
    text = text[: row.start()] if row else text
    question, response, rest = _sections(text)
    if not (tag or (question and response)):
        return None
    item, system = (tag[1], tag[2]) if tag else (derived_id("i", question, ""), "")
    if not criterion and 0 < len(rest) <= LONGEST_CHOICE:
        criterion = rest
    return Title(item, system, question, response, criterion or OVERALL)


def _sections(text: str) -> tuple[str, str, str]:
    """Return the question, the response and what is asked about it."""
    marks = list(_SECTION.finditer(text))
    asked = next((i for i, mark in enumerate(marks) if mark[1]), None)
    given = next((i for i, mark in enumerate(marks) if mark[2]), None)
    if asked is not None and given is not None and asked < given:
        question = text[marks[asked].end() : marks[given].start()].strip()
        response = text[marks[given].end() :]
        last = _ASKED.search(response)
        rest = last[1].strip() if last and last.start() > 0 else ""
        return question, (response[: last.start()] if rest and last else response).strip(), rest
    parts = _BETWEEN.split(text, maxsplit=1)
    if len(parts) == 2:
        return parts[0].strip(), parts[1].strip(), ""
    return "", "", text.strip()


def names_items(titles: Iterable[str]) -> bool:
    """Return whether a title names an item or shows a response."""
    return any(read_title(title) for title in titles)
