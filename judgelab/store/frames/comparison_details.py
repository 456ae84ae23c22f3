"""Everybody's choices between two responses, with their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from judgelab.domain import RaterKind
from judgelab.store.frames.preference_frames import MIDDLE
from judgelab.store.judging.shown_pairs import chosen_pairs
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Person,
    Preference,
    Ranking,
    ResponseRow,
    Run,
)


class GivenChoice(NamedTuple):
    """One choice between two responses, given by row ids.

    Attributes:
        chosen: the preferred response; None for a tie.
        shown_first: the response shown first; None if unknown.
        reason: the person's comment or the judge's rationale.
        missing: why a judge has no choice; empty if it has one.
    """

    name: str
    kind: RaterKind
    chosen: int | None
    shown_first: int | None
    reason: str
    missing: str = ""


def given_choices(
    session: Session, project_id: int, criterion: str, first: int, second: int
) -> list[GivenChoice]:
    """Return people's choices between two responses, then judges', each by name."""
    a, b = sorted((first, second))
    people = [
        *_preferences(session, project_id, criterion, a, b),
        *_rankings(session, project_id, criterion, a, b),
    ]
    judges = [
        *_from_files(session, project_id, criterion, a, b),
        *_of_runs(session, project_id, criterion, a, b),
    ]
    return [*sorted(people, key=_name), *sorted(judges, key=_name)]


def _name(choice: GivenChoice) -> str:
    return choice.name


def _preferences(session: Session, project_id: int, criterion: str, a: int, b: int) -> Iterator[GivenChoice]:
    query = (
        select(Person.name, Preference.choice, Preference.first, Preference.comment)
        .join(Person, Person.id == Preference.person_id)
        .join(CriterionRow, CriterionRow.id == Preference.criterion_id)
        .where(Preference.project_id == project_id, CriterionRow.key == criterion, Preference.occasion == 0)
        .where(Preference.response_a == a, Preference.response_b == b)
    )
    for name, choice, shown, comment in session.execute(query):
        yield GivenChoice(name, "human", _side(choice, a, b), _side(shown, a, b), comment)


def _rankings(session: Session, project_id: int, criterion: str, a: int, b: int) -> Iterator[GivenChoice]:
    query = (
        select(Person.name, Ranking.form, Ranking.places, Ranking.shown, Ranking.comment)
        .join(Person, Person.id == Ranking.person_id)
        .join(CriterionRow, CriterionRow.id == Ranking.criterion_id)
        .join(ResponseRow, ResponseRow.item_id == Ranking.item_id)
        .where(Ranking.project_id == project_id, CriterionRow.key == criterion, Ranking.occasion == 0)
        .where(ResponseRow.id == a)
    )
    for name, form, places, shown, comment in session.execute(query):
        place_a, place_b = places.get(str(a)), places.get(str(b))
        if place_a is None or place_b is None or (form == "best_worst" and place_a == place_b == MIDDLE):
            continue
        chosen = None if place_a == place_b else a if place_a < place_b else b
        order = [response for response in map(int, shown) if response in (a, b)]
        yield GivenChoice(name, "human", chosen, order[0] if len(order) == 2 else None, comment)


def _from_files(session: Session, project_id: int, criterion: str, a: int, b: int) -> Iterator[GivenChoice]:
    query = (
        select(JudgeRow.name, JudgedPair)
        .join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
        .where(Run.project_id == project_id, CriterionRow.key == criterion)
        .where(JudgedPair.response_a == a, JudgedPair.response_b == b)
        .order_by(JudgedPair.id)
    )
    for name, pair in session.execute(query):
        chosen, shown = _side(pair.choice, a, b), _side(pair.first, a, b)
        yield GivenChoice(name, "judge", chosen, shown, pair.rationale, pair.reason)


def _of_runs(session: Session, project_id: int, criterion: str, a: int, b: int) -> Iterator[GivenChoice]:
    of_item = select(ItemRow.external_id).join(ResponseRow, ResponseRow.item_id == ItemRow.id)
    item = session.scalar(of_item.where(or_(ResponseRow.id == a, ResponseRow.id == b)).limit(1))
    for pair in chosen_pairs(session, project_id, item=item):
        if {pair.first, pair.second} == {a, b} and criterion in pair.criteria:
            chosen = {"first": pair.first, "second": pair.second}.get(pair.choice)
            yield GivenChoice(pair.judge, "judge", chosen, pair.first, pair.rationale)


def _side(word: str, a: int, b: int) -> int | None:
    return {"a": a, "b": b}.get(word)
