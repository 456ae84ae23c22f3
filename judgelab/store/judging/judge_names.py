"""Check that a new judge's name is free, as raters are identified by name alone."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput
from judgelab.store.models import JudgeRow, MetricScore, Person, Preference, Ranking, Rating
from judgelab.store.people.memberships import raters
from judgelab.wording import mark, sentence

LEARNED = "learned"  # default name of the judge that is learned from ratings


def refuse_name_of_another(
    session: Session, project_id: int, name: str, *, metrics: Collection[str], learned: bool = False
) -> None:
    """Raise if a new judge's name is that of a metric, of a rater or of the learned judge.

    Args:
        session: an open session.
        project_id: the project.
        name: the judge's name; the name of an existing judge is not checked.
        metrics: names of available metrics, in addition to those the project has scores of.
        learned: whether the judge is learned from ratings.

    Raises:
        InvalidInput: the name is taken.
    """
    existing = select(JudgeRow.id).where(JudgeRow.project_id == project_id, JudgeRow.name == name)
    if session.scalar(existing) is not None:
        return
    computed = select(MetricScore.metric).where(MetricScore.project_id == project_id).distinct()
    folded = name.casefold()
    other = None
    if folded in {metric.casefold() for metric in (*metrics, *session.scalars(computed))}:
        other = mark("a metric")
    elif folded == LEARNED and not learned:
        other = mark("the learned judge")
    elif folded in {name.casefold() for name in _people(session, project_id)}:
        other = mark("a rater of this project")
    if other is not None:
        message = sentence(
            "'{name}' is already the name of {other}; choose another name.", name=name, other=sentence(other)
        )
        raise InvalidInput(message)


def _people(session: Session, project_id: int) -> set[str]:
    """Return the names of the project's raters, including imported ones."""
    names = {person.name for person in raters(session, project_id)}
    for table in (Rating, Preference, Ranking):
        raters_of_table = select(table.person_id).where(table.project_id == project_id)
        names |= set(session.scalars(select(Person.name).where(Person.id.in_(raters_of_table))))
    return names
