"""The plan for lists of references, and the report on building them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import WriterModel
from judgelab.preparation.lists.material import Texts
from judgelab.preparation.lists.patterns import read_pattern
from judgelab.preparation.lists.written_lists import WritingCost
from judgelab.protocols.open_answers import LIST
from judgelab.wording import sentence

ListSource = Literal["graded", "one_gold", "no_gold"]
NAME = str(LIST.default)


@dataclass(frozen=True)
class ListPlan:
    """Which lists are wanted.

    Args:
        source: `graded` draws from the item's own graded answers; `one_gold` lets models write from a known
            answer, `no_gold` from nothing.
        name: what judges call them by.
        pattern: the grades wanted, best first, counted from 0 for the lowest.
        draws: which draws; each is a list of its own for every item.
        seed: decides what is drawn, with the draw and the item.
        criterion: whose ratings are the grades; the first one when empty.
        texts: what is drawn from (`graded_texts`).
        writer: who writes the golden text.
        lower: who write the worse ones; the writer where nobody is named.
        anew: replace lists that are there; otherwise only items without one get one.
    """

    source: ListSource = "graded"
    name: str = NAME
    pattern: str = "3210"
    draws: tuple[int, ...] = (1,)
    seed: int = 0
    criterion: str = ""
    texts: Texts = "auto"
    writer: WriterModel | None = None
    lower: tuple[WriterModel, ...] = ()
    anew: bool = False

    def recipe(self) -> dict[str, Any]:
        """Return everything except the draw that determines the lists' texts."""
        recipe: dict[str, Any] = {"source": self.source, "pattern": self.pattern, "seed": self.seed}
        if self.source == "graded":
            return {**recipe, "texts": self.texts, "criterion": self.criterion}
        writers = [self.writer, *(self.lower or (self.writer,))]
        return {**recipe, "writers": [model.model for model in writers if model is not None]}


@dataclass(frozen=True)
class ListsReport:
    """The report on one draw.

    Attributes:
        items: items of the project.
        lists: lists that were made now.
        there: items that had their list already.
        entries: texts in the lists made now.
        complete: of them, lists that hold every grade wanted.
        missing: how often each wanted grade was not to be had.
        skipped: items without a list, by reason.
        undefined: items that the lists leave with fewer than two candidates, so that they have no order.
        reserved: responses that stand in the lists (or are copies of one that does) and are not judged.
    """

    name: str
    draw: int
    items: int
    lists: int
    there: int
    entries: int
    complete: int
    missing: Mapping[int, int]
    skipped: Mapping[str, int]
    undefined: int
    reserved: int
    bill: WritingCost = field(default_factory=WritingCost)

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        counts = {name: value for name, value in vars(self).items() if name not in ("missing", "bill")}
        missing = {str(grade): count for grade, count in sorted(self.missing.items(), reverse=True)}
        return {**counts, "skipped": dict(self.skipped), "missing": missing, **self.bill.to_json()}


def check_plan(plan: ListPlan) -> ListPlan:
    """Return the plan with its words trimmed; raises `InvalidInput` for what cannot be made."""
    read_pattern(plan.pattern)
    if not plan.name.strip() or any(draw < 1 for draw in plan.draws) or not plan.draws:
        raise InvalidInput(
            sentence("lists need a name and draws numbered from 1, such as name=references, draw=1-3.")
        )
    if plan.source != "graded":
        writer_of(plan)
    return replace(plan, name=plan.name.strip(), pattern=plan.pattern.strip())


def writer_of(plan: ListPlan) -> WriterModel:
    """Return the model that writes the golden texts; raises `InvalidInput` if none is named."""
    if plan.writer is None or not plan.writer.model.strip():
        raise InvalidInput(
            sentence("no model was named to write the texts; name one with --option model=NAME.")
        )
    return plan.writer
