"""A file of known scores: gold items, attention checks, training, and items reserved for some raters.

One row a score: `item_id`, `response_id` or `system` where the item has several responses, `criterion`,
`score`, `purpose` (gold, attention or training), and if wanted `tolerance`, `loud`, `explanation`. A
`cohort` reserves the item; a row may do that alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from judgelab.domain import Problem
from judgelab.errors import ImportProblems, UserError
from judgelab.imports.sources import Source, Unreadable
from judgelab.imports.tables import Row, open_table
from judgelab.store import gold
from judgelab.store.engine import Session, Store
from judgelab.store.projects import ProjectInfo, find_project

COLUMNS = (
    "item_id",
    "response_id",
    "system",
    "criterion",
    "score",
    "purpose",
    "tolerance",
    "loud",
    "explanation",
    "cohort",
)
TRUE, FALSE = ("true", "yes", "1"), ("", "false", "no", "0")
MOST_PROBLEMS = 100


@dataclass
class _Marks:
    """What a file says of one unit."""

    purpose: str
    scores: dict[str, float] = field(default_factory=dict)
    tolerance: float = 0.0
    loud: bool = False
    explanation: str = ""


@dataclass(frozen=True)
class Marked:
    """How many units got known scores, and how many items were reserved."""

    units: int
    reserved: int


def mark_from_file(store: Store, slug: str, source: Source) -> Marked:
    """Read the file and store what it says, or nothing when anything in it is wrong.

    Raises:
        NotFound: there is no such project.
        ImportProblems: what is wrong, by row and column.
    """
    try:
        table = open_table(source)
        if "item_id" not in table.columns:
            raise Unreadable(f"a column 'item_id' is needed; known columns: {', '.join(COLUMNS)}")
        rows = list(table.rows())
    except Unreadable as error:
        raise ImportProblems(source.name, [error.problem]) from error
    if table.problems.count:
        raise ImportProblems(source.name, table.problems.listing())
    with store.writing() as session:
        project = find_project(session, slug)
        return _store(session, project, source.name, rows)


def _store(session: Session, project: ProjectInfo, name: str, rows: list[Row]) -> Marked:
    units = gold.response_units(session, project.id)
    marks: dict[int, _Marks] = {}
    cohorts: dict[str, str] = {}
    problems: list[Problem] = []
    for row in rows:
        cells = {column: str(row.cells.get(column) or "").strip() for column in COLUMNS}
        try:
            _read(cells, project, units, marks, cohorts)
        except _Wrong as error:
            problems.append(Problem(str(error), row=row.number, column=error.column))
            if len(problems) == MOST_PROBLEMS:
                break
    if problems:
        raise ImportProblems(name, problems)
    for unit, said in marks.items():
        gold.mark(
            session,
            project.id,
            unit,
            purpose=said.purpose,
            scores=said.scores,
            tolerance=said.tolerance,
            loud=said.loud,
            explanation=said.explanation,
        )
    for item, cohort in cohorts.items():
        gold.reserve(session, project.id, item, cohort)
    return Marked(len(marks), len(cohorts))


def _read(
    cells: Mapping[str, str],
    project: ProjectInfo,
    units: Mapping[str, Mapping[tuple[str, str], int]],
    marks: dict[int, _Marks],
    cohorts: dict[str, str],
) -> None:
    item = cells["item_id"]
    if item not in units:
        raise _Wrong("item_id", f"the project has no item '{item}' with a response; check the id")
    if cells["cohort"]:
        cohorts[item] = cells["cohort"]
    if not cells["score"]:
        if not cells["cohort"]:
            raise _Wrong("score", "there is no score; write one, or a cohort")
        return
    unit = _unit(cells, units[item])
    purpose = cells["purpose"] or "gold"
    if purpose not in gold.PURPOSES:
        raise _Wrong("purpose", f"'{purpose}' is none of {', '.join(gold.PURPOSES)}")
    said = marks.setdefault(unit, _Marks(purpose))
    if said.purpose != purpose:
        raise _Wrong("purpose", f"'{item}' is '{said.purpose}' in a row before; one unit has one purpose")
    key = _criterion(cells["criterion"], project)
    said.scores[key] = _score(cells["score"], key, project)
    said.tolerance = _number(cells["tolerance"] or "0", "tolerance")
    if cells["loud"].lower() not in TRUE + FALSE:
        raise _Wrong("loud", f"'{cells['loud']}' is neither yes nor no")
    said.loud = said.loud or cells["loud"].lower() in TRUE
    said.explanation = cells["explanation"] or said.explanation


def _unit(cells: Mapping[str, str], responses: Mapping[tuple[str, str], int]) -> int:
    fitting = [
        unit
        for (response, system), unit in responses.items()
        if cells["response_id"] in ("", response) and cells["system"] in ("", system)
    ]
    if not fitting:
        raise _Wrong("response_id", "the item has no such response; check response_id and system")
    if len(fitting) > 1:
        raise _Wrong(
            "response_id", f"the item has {len(responses)} responses; name one by response_id or system"
        )
    return fitting[0]


def _criterion(key: str, project: ProjectInfo) -> str:
    if not key and len(project.criteria) == 1:
        return project.criteria[0].key
    try:
        return project.criterion(key).key
    except UserError as error:
        raise _Wrong("criterion", str(error).rstrip(".")) from error


def _score(text: str, key: str, project: ProjectInfo) -> float:
    score = _number(text, "score")
    reason = project.scale(key).reject(score)
    if reason:
        raise _Wrong("score", f"{project.criterion(key).label}: {reason}")
    return score


def _number(text: str, column: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf") or (column == "tolerance" and number < 0):
        raise _Wrong(column, f"'{text}' is no number that it can be")
    return number


class _Wrong(Exception):
    """What is wrong with a cell."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column
