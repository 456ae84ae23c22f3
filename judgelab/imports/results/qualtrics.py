"""Qualtrics: the CSV export of a survey, with three header rows: names, questions and ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from judgelab.imports.core.cells import is_missing
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.titles import Title, names_items, read_title
from judgelab.wording import mark, sentence

PERSON, STATUS, CHANNEL, AT = "ResponseId", "Status", "DistributionChannel", "RecordedDate"
IMPORT_ID, QUESTION = "ImportId", "QID"
# Statuses of rows that are no person's answers: as numbers, or as words that contain one of these.
NO_ANSWERS = frozenset({"1", "2", "8", "9", "12", "17"})
NO_ANSWER_WORDS = ("preview", "test", "spam")


class _Answer(NamedTuple):
    row: int
    person: str
    title: Title
    value: Any
    at: str


@result_tools.register("qualtrics")
class Qualtrics(ResultTool):
    """Reads each answer to a question whose text names an item and system, or shows question and answer."""

    title = "Qualtrics"
    summary = mark("Answers of each respondent to questions whose text shows what is rated; no previews.")
    version = "2026"
    examples = (
        Example(
            {
                "survey.csv": """\
StartDate,RecordedDate,Status,ResponseId,Q1,Q2,Q3
Start Date,Recorded Date,Response Type,Response ID,"Question: Why?

Answer: Rain.

How clear is it? - a / red","Question: Why?

Answer: Sun.

How clear is it? - a / blue",Any remarks?
"{""ImportId"":""startDate"",""timeZone"":""UTC""}","{""ImportId"":""recordedDate"",""timeZone"":""UTC""}",\
"{""ImportId"":""status""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":\
""QID2""}","{""ImportId"":""QID3_TEXT""}"
2026-11-02 09:12:30,2026-11-02 09:31:10,0,R_1,5,3,fine
2026-11-02 09:12:30,2026-11-02 09:31:10,0,R_2,4,,
2026-11-02 09:12:30,2026-11-02 09:31:10,1,R_3,1,1,
"""
            },
            items=1,
            responses=2,
            human=3,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the third row has the ids of an export, and a question shows what is rated."""
        if len(file.first_rows) < 3 or PERSON not in file.first_rows[0]:
            return False
        _, titles, ids = file.first_rows
        return any(IMPORT_ID in cell for cell in ids) and names_items(titles)

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each answer; where two files have it as a number and as words, the number is read."""
        answers: dict[tuple[str, Title], _Answer] = {}
        rated: dict[Title, None] = {}
        no_answers: set[str] = set()
        others: dict[str, None] = {}
        for file in files:
            for answer in _answers(file, no_answers, others, rated):
                known = answers.get((answer.person, answer.title))
                if known is None or not _is_number(known.value):
                    answers[answer.person, answer.title] = answer
        for row, person, title, value, at in answers.values():
            score = Score(person, "human", title.criterion, value, at=at)
            yield _response(title, row)._replace(score=score)
        yield from (_response(title, 1) for title in rated)
        notes.left_out.update(
            {
                sentence("previews, tests and spam"): len(no_answers),
                sentence("questions that name no item"): len(others),
            }
        )


def _answers(
    file: ResultFile, no_answers: set[str], others: dict[str, None], rated: dict[Title, None]
) -> Iterator[_Answer]:
    rows = file.raw_rows()
    names, titles, ids = next(rows), next(rows), next(rows)
    asked = {place: read for place, title in enumerate(titles) if (read := read_title(title))}
    rated.update(dict.fromkeys(asked.values()))
    questions = zip(names, ids, strict=False)
    others.update(
        {name: None for place, (name, own) in enumerate(questions) if QUESTION in own and place not in asked}
    )
    zone = _zone_of(dict(zip(names, ids, strict=False)))
    for number, cells in enumerate(rows, start=4):
        row = dict(zip(names, cells, strict=False))
        person = row.get(PERSON, "")
        if _is_no_answer(row):
            no_answers.add(person)
            continue
        for place, cell in enumerate(cells):
            if place in asked and not is_missing(cell):
                yield _Answer(number, person, asked[place], cell, _time(row.get(AT, ""), zone))


def _response(title: Title, row: int) -> Result:
    return Result(title.item, row, title.response, title.system, title.question)


def _is_no_answer(row: Mapping[str, str]) -> bool:
    status, channel = row.get(STATUS, "").strip().lower(), row.get(CHANNEL, "").strip().lower()
    return status in NO_ANSWERS or any(word in said for word in NO_ANSWER_WORDS for said in (status, channel))


def _zone_of(ids: Mapping[str, str]) -> ZoneInfo | None:
    try:
        return ZoneInfo(json.loads(ids.get(AT, ""))["timeZone"])
    except (ValueError, KeyError, TypeError, ZoneInfoNotFoundError):
        return None


def _time(cell: str, zone: ZoneInfo | None) -> str:
    try:
        return datetime.fromisoformat(cell).replace(tzinfo=zone).isoformat()
    except ValueError:
        return cell


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
