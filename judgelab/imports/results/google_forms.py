"""Google Forms: the table of responses, whose column titles name the item and system that are rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from judgelab.imports.core.cells import is_missing
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.titles import names_items, read_title
from judgelab.wording import counted, mark, sentence

# The first column, in the languages in which Google writes it.
TIMES = frozenset(
    (
        *("timestamp", "zeitstempel", "horodateur", "marca temporal", "informazioni cronologiche"),
        *(
            "carimbo de data/hora",
            "tijdstempel",
            "sygnatura czasowa",
            "tidsmerke",
            "tidsstämpel",
            "tidsstempel",
        ),
        *("отметка времени", "タイムスタンプ", "타임스탬프", "时间戳记", "時間戳記", "طابع زمني"),
    )
)
PEOPLE = ("email", "e-mail", "username", "nutzername", "your name", "name", "rater", "participant")


class _Submission(NamedTuple):
    row: int
    person: str
    at: str
    cells: Sequence[str]


@result_tools.register("google_forms")
class GoogleForms(ResultTool):
    """Reads each person's last submission; a title names what is rated: "[item/system] question → answer"."""

    title = "Google Forms"
    summary = mark("Answers of each person to questions whose title names item and system; the last count.")
    version = "2026"
    examples = (
        Example(
            {
                "form.csv": """\
Timestamp,Email Address,[a/red] Why? → Rain.,[a/blue] Why? → Sun.,Comments
2026/11/02 8:59:01 AM GMT+1,ada@example.org,3,3,a try
2026/11/03 8:59:01 AM GMT+1,bo@example.org,1,,
2026/11/04 8:59:01 AM GMT+1,ada@example.org,5,2,
"""
            },
            items=1,
            responses=2,
            human=3,
            judged=0,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether the first column has times, and a title names what is rated."""
        head = file.first_rows[0] if file.first_rows else []
        return bool(head) and head[0].strip().lower() in TIMES and names_items(head)

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield each answer of the last submission of each person."""
        for file in files:
            rows = file.raw_rows()
            yield from _results(next(rows), rows, notes)


def _person_column(names: Sequence[str]) -> int | None:
    """Return the column with the name or address of the person."""
    for word in PEOPLE:
        for place, name in enumerate(names):
            if word in name.lower() and read_title(name) is None:
                return place
    return None


def _submissions(rows: Iterator[list[str]], person: int | None) -> Iterator[_Submission]:
    for number, cells in enumerate(rows, start=2):
        if any(cell.strip() for cell in cells):
            # Submissions without a name are those of different people.
            name = cells[person].strip() if person is not None and person < len(cells) else ""
            yield _Submission(number, name or f"respondent {number - 1}", cells[0], cells)


def _results(names: Sequence[str], rows: Iterator[list[str]], notes: Notes) -> Iterator[Result]:
    person = _person_column(names)
    submissions = list(_submissions(rows, person))
    latest = {one.person: one for one in submissions}  # the form adds a submission below the others
    if earlier := len(submissions) - len(latest):
        notes.said.append(
            counted(
                "{n} submission was followed by another of the same person; the last one counts",
                "{n} submissions were followed by another of the same person; the last one counts",
                earlier,
            )
        )
    titles = {place: read for place, name in enumerate(names) if (read := read_title(name))}
    for row, rater, at, cells in latest.values():
        for place, title in titles.items():
            if not is_missing(value := cells[place] if place < len(cells) else ""):
                score = Score(rater, "human", title.criterion, value, at=at)
                yield Result(title.item, row, title.response, title.system, title.question, score=score)
    for title in titles.values():
        yield Result(title.item, 1, title.response, title.system, title.question)
    others = [place for place in range(1, len(names)) if place not in titles and place != person]
    if others:
        notes.leave_out(sentence("questions that name no item"), len(others))
