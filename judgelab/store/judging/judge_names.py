"""Names that a judge may not take: a rater is told by the name alone."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput
from judgelab.store.models import JudgeRow, MetricScore, Person, Preference, Ranking, Rating
from judgelab.store.people.memberships import raters
from judgelab.wording import mark, sentence

LEARNED = "learned"  # what the judge that is learned from ratings is called unless told otherwise


def refuse_name_of_another(
    session: Session, project_id: int, name: str, *, metrics: Collection[str], learned: bool = False
) -> None:
    """Refuse a new judge the name of a metric, of a person who rates here, or of the learned judge.

    Args:
        session: open.
        project_id: the project.
        name: of the judge; one that the project has is not looked at again.
        metrics: names of metrics that can be computed; those the project has numbers of are known.
        learned: the judge is learned from ratings.

    Raises:
        InvalidInput: somebody else has the name.
    """
    known = select(JudgeRow.id).where(JudgeRow.project_id == project_id, JudgeRow.name == name)
    if session.scalar(known) is not None:
        return
    computed = select(MetricScore.metric).where(MetricScore.project_id == project_id).distinct()
    meant = name.casefold()
    other = None
    if meant in {one.casefold() for one in (*metrics, *session.scalars(computed))}:
        other = mark("a metric")
    elif meant == LEARNED and not learned:
        other = mark("the judge that is learned from ratings")
    elif meant in {name.casefold() for name in _people(session, project_id)}:
        other = mark("a person who rates here")
    if other is not None:
        said = sentence(
            "'{name}' is the name of {other}; choose another name.", name=name, other=sentence(other)
        )
        raise InvalidInput(said)


def _people(session: Session, project_id: int) -> set[str]:
    """Return who may rate here, and whose ratings a file brought."""
    found = {person.name for person in raters(session, project_id)}
    for table in (Rating, Preference, Ranking):
        gave = select(table.person_id).where(table.project_id == project_id)
        found |= set(session.scalars(select(Person.name).where(Person.id.in_(gave))))
    return found
