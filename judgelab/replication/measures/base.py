"""The contract of a measure: from a project's scores and a recipe to a number with interval and n.

A measure is one file in this folder that registers itself; a recipe names it (`Recipe.measure`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgelab.metaeval.core.result import Estimate
from judgelab.registry import Registry
from judgelab.replication.material import Material
from judgelab.studies.tables import CellRecipe
from judgelab.wording import mark


@dataclass(frozen=True)
class MeasureRequest:
    """The input of a measure for one cell.

    Args:
        recipe: the whole recipe of the cell.
        rater: name of the judge, metric or person; empty for facts about the data.
        rater_kind: "judge", "metric" or "human"; empty with no rater.
        others: further judges that match the recipe, including other draws of the same.
    """

    recipe: CellRecipe
    rater: str = ""
    rater_kind: str = ""
    others: tuple[str, ...] = ()


Measure = Callable[[Material, MeasureRequest], Estimate]

measures: Registry[Measure] = Registry(mark("measure"), "judgelab.replication.measures")
