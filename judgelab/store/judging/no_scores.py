"""Judgments without a score, counted in one place: replies in which none could be read, and failed calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import ItemRow, JudgeRow, Judgment, ResponseRow, Run
from judgelab.wording import counted

STATES = ("unscored", "failed")


@dataclass(frozen=True)
class MissingScores:
    """How many judgments hold no score.

    Attributes:
        unscored: the judge replied, and no valid score was found in the reply.
        failed: no reply came.
    """

    unscored: int = 0
    failed: int = 0

    def __bool__(self) -> bool:
        """Return whether any score is missing."""
        return self.total > 0

    @property
    def total(self) -> int:
        """Return how many judgments hold no score, for either reason."""
        return self.unscored + self.failed

    def to_json(self) -> dict[str, int]:
        """Return both counts by name."""
        return asdict(self)

    def phrases(self) -> list[str]:
        """Return a phrase for each count that is not 0: "12 unscored", "3 failed"."""
        said: list[str] = []
        if self.unscored:
            said.append(counted("{n} unscored", "{n} unscored", self.unscored))
        if self.failed:
            said.append(counted("{n} failed", "{n} failed", self.failed))
        return said


NONE_MISSING = MissingScores()


def sum_missing(counts: Iterable[MissingScores]) -> MissingScores:
    """Return the sum of several counts."""
    every = list(counts)
    return MissingScores(sum(one.unscored for one in every), sum(one.failed for one in every))


def missing_by_group(session: Session, project_id: int) -> dict[tuple[str, str, str], MissingScores]:
    """Return judgments without a score by judge, criterion and the item's group.

    The criterion is "*" for those under all criteria at once.
    """
    rows = session.execute(
        select(JudgeRow.name, Judgment.criteria, ItemRow.group, Judgment.state, func.count())
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, Judgment.state.in_(STATES))
        .group_by(JudgeRow.name, Judgment.criteria, ItemRow.group, Judgment.state)
    )
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for name, criteria, group, state, n in rows:
        found.setdefault((name, criteria, group), {})[state] = n
    return {key: MissingScores(**counts) for key, counts in found.items()}


def missing_by_judge(session: Session, project_id: int) -> dict[tuple[str, str], MissingScores]:
    """Return judgments without a score by judge and criterion, of all groups together."""
    found: dict[tuple[str, str], list[MissingScores]] = {}
    for (judge, criterion, _), count in missing_by_group(session, project_id).items():
        found.setdefault((judge, criterion), []).append(count)
    return {key: sum_missing(counts) for key, counts in found.items()}
