"""Import known scores: gold items, attention checks, training, and items reserved for some raters.

One row per score: `item_id`, `response_id` or `system` if the item has several responses, `criterion`,
`score`, `purpose` (gold, attention or training), and optionally `tolerance`, `loud` and `explanation`. A
`cohort` reserves the item; a row may have only that. If raters compare two responses, `other_id` or
`other_system` names the second one, and `score` is 1 if the first is better, -1 if the second is, 0 for a
tie. If they rank all responses, each response has a row and `score` is its rank, 1 for the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from judgelab.domain import Problem
from judgelab.errors import ImportProblems, InvalidInput, UserError
from judgelab.imports.columns.tables import Row, open_table
from judgelab.imports.core.cells import text_of
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.store.db.engine import Session, Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import gold
from judgelab.store.rating.gold import ItemUnits
from judgelab.store.rating.units import KIND_OF_FORM

COLUMNS = (
    "item_id",
    "response_id",
    "system",
    "other_id",
    "other_system",
    "criterion",
    "score",
    "purpose",
    "tolerance",
    "loud",
    "explanation",
    "cohort",
)
TRUE, FALSE = ("true", "yes", "1"), ("", "false", "no", "0")
MAX_PROBLEMS = 100


@dataclass
class _KnownUnit:
    """The known scores of one unit; `row` is the first row about it."""

    purpose: str
    row: int
    scores: dict[str, float] = field(default_factory=dict)
    places: dict[str, dict[int, int]] = field(default_factory=dict)
    tolerance: float = 0.0
    loud: bool = False
    explanation: str = ""


@dataclass(frozen=True)
class KnownScoresReport:
    """The numbers of units with known scores and of reserved items.

    Attributes:
        kind: the kind of units in the project: `response`, `pair` or `list`.
    """

    units: int
    reserved: int
    kind: str


def import_known_scores(store: Store, slug: str, source: Source) -> KnownScoresReport:
    """Store the known scores in a file, or nothing if there is any problem.

    Raises:
        NotFound: there is no such project.
        ImportProblems: lists the problems by row and column.
    """
    try:
        table = open_table(source)
        if "item_id" not in table.columns:
            raise Unreadable(f"the column 'item_id' is missing; known columns: {', '.join(COLUMNS)}")
        rows = list(table.rows())
    except Unreadable as error:
        raise ImportProblems(source.name, [error.problem]) from error
    if table.problems.count:
        raise ImportProblems(source.name, table.problems.listing())
    with store.writing() as session:
        project = find_project(session, slug)
        return _store(session, project, source.name, rows)


def _store(session: Session, project: ProjectInfo, name: str, rows: list[Row]) -> KnownScoresReport:
    reader = _Reader(project, gold.units_by_item(session, project.id))
    problems: list[Problem] = []
    for row in rows:
        cells = {column: text_of(row.cells.get(column)).strip() for column in COLUMNS}
        try:
            reader.read(row.number, cells)
        except _CellError as error:
            problems.append(Problem(str(error), row=row.number, column=error.column))
            if len(problems) == MAX_PROBLEMS:
                break
    if problems:
        raise ImportProblems(name, problems)
    for unit, unit_scores in reader.marks.items():
        try:
            gold.set_known_scores(
                session,
                project.id,
                unit,
                purpose=unit_scores.purpose,
                scores=unit_scores.scores,
                places=unit_scores.places,
                tolerance=unit_scores.tolerance,
                loud=unit_scores.loud,
                explanation=unit_scores.explanation,
            )
        except InvalidInput as error:
            problems.append(Problem(str(error).rstrip("."), row=unit_scores.row, column="score"))
    if problems:
        raise ImportProblems(name, problems)
    for item, cohort in reader.cohorts.items():
        gold.reserve(session, project.id, item, cohort)
    return KnownScoresReport(len(reader.marks), len(reader.cohorts), reader.kind)


class _Reader:
    """Collects the rows of a file by unit."""

    def __init__(self, project: ProjectInfo, items: Mapping[str, ItemUnits]) -> None:
        self._project = project
        self._items = items
        self.kind = KIND_OF_FORM[str(project.settings.get("form", "pointwise"))]
        self.marks: dict[int, _KnownUnit] = {}
        self.cohorts: dict[str, str] = {}

    def read(self, number: int, cells: Mapping[str, str]) -> None:
        """Take in one row; raises `_CellError`."""
        item = cells["item_id"]
        if item not in self._items:
            raise _CellError("item_id", f"the project has no item '{item}' with a response; check the id")
        if cells["cohort"]:
            self.cohorts[item] = cells["cohort"]
        if not cells["score"]:
            if not cells["cohort"]:
                raise _CellError("score", "the score is missing; add one, or a cohort")
            return
        shown = self._shown(cells, self._items[item])
        unit = self._items[item].units.get(self._unit_key(shown, self._items[item]))
        if unit is None:
            raise _CellError("item_id", f"raters do not rate '{item}' in this way; check the project's form")
        purpose = cells["purpose"] or "gold"
        if purpose not in gold.PURPOSES:
            raise _CellError("purpose", f"'{purpose}' is not valid; use one of {', '.join(gold.PURPOSES)}")
        known = self.marks.setdefault(unit, _KnownUnit(purpose, number))
        if known.purpose != purpose:
            raise _CellError(
                "purpose",
                f"'{item}' is '{known.purpose}' in an earlier row; a unit can have only one purpose",
            )
        self._score(cells, shown, known)
        known.tolerance = _number(cells["tolerance"] or "0", "tolerance")
        if cells["loud"].lower() not in TRUE + FALSE:
            raise _CellError("loud", f"'{cells['loud']}' is not valid; use yes or no")
        known.loud = known.loud or cells["loud"].lower() in TRUE
        known.explanation = cells["explanation"] or known.explanation

    def _shown(self, cells: Mapping[str, str], item: ItemUnits) -> tuple[int, ...]:
        """Return the responses named in a row, in its order: two for a pair, otherwise one."""
        first = _response(cells["response_id"], cells["system"], item, "response_id")
        if self.kind != "pair":
            return (first,)
        if not cells["other_id"] and not cells["other_system"]:
            raise _CellError("other_id", "raters compare two responses; name the second one in other_id")
        other = _response(cells["other_id"], cells["other_system"], item, "other_id")
        if other == first:
            raise _CellError("other_id", "both responses are the same; name two different ones")
        return first, other

    def _unit_key(self, shown: tuple[int, ...], item: ItemUnits) -> tuple[int, ...]:
        return tuple(item.responses.values()) if self.kind == "list" else tuple(sorted(shown))

    def _score(self, cells: Mapping[str, str], shown: tuple[int, ...], unit: _KnownUnit) -> None:
        key = _criterion(cells["criterion"], self._project)
        score = _number(cells["score"], "score")
        if self.kind == "response":
            reason = self._project.scale(key).reject(score)
            if reason:
                raise _CellError("score", f"{self._project.criterion(key).label}: {reason}")
            unit.scores[key] = score
        elif self.kind == "pair":
            if score not in (1, 0, -1):
                raise _CellError(
                    "score", f"'{cells['score']}' is not valid; use 1 (the first), -1 (the second) or 0"
                )
            unit.scores[key] = score if shown == tuple(sorted(shown)) else -score
        else:
            if score < 1 or not score.is_integer():
                raise _CellError("score", f"'{cells['score']}' is not a rank; ranks are 1, 2, 3, ...")
            unit.places.setdefault(key, {})[shown[0]] = int(score)


def _response(response_id: str, system: str, item: ItemUnits, column: str) -> int:
    fitting = [
        row_id
        for (response, of_system), row_id in item.responses.items()
        if response_id in ("", response) and system in ("", of_system)
    ]
    if not fitting:
        raise _CellError(column, f"the item has no such response; check {column} and system")
    if len(fitting) > 1:
        raise _CellError(
            column, f"the item has {len(item.responses)} responses; name one by {column} or system"
        )
    return fitting[0]


def _criterion(key: str, project: ProjectInfo) -> str:
    if not key and len(project.criteria) == 1:
        return project.criteria[0].key
    try:
        return project.criterion(key).key
    except UserError as error:
        raise _CellError("criterion", str(error).rstrip(".")) from error


def _number(text: str, column: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf") or (column == "tolerance" and number < 0):
        raise _CellError(column, f"'{text}' is not a valid number")
    return number


class _CellError(Exception):
    """A problem with a cell."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column
