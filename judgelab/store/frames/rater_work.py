"""Read the work of all raters of a project as one frame: ratings, preferences or rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db import columns
from judgelab.store.frames.fingerprints import query_fingerprint, rating_project
from judgelab.store.frames.score_names import names_by_id
from judgelab.store.models import (
    Assignment,
    CriterionRow,
    GoldScore,
    ItemRow,
    Membership,
    Person,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    Unit,
    now,
)
from judgelab.store.people import place_states
from judgelab.store.rating import timed_work
from judgelab.store.rating.assignments import count_where

WORK_COLUMNS = (
    "person",
    "rater",
    "item",
    "screen",
    "unit",
    "response",
    "system",
    "purpose",
    "criterion",
    "score",
    "occasion",
    "seconds",
    "rated_at",
    "comment",
    "origin",
    "surplus",
    "length",
)
WORK_TYPES = {
    **dict.fromkeys(
        ("rater", "item", "screen", "unit", "system", "purpose", "criterion", "comment", "origin"), "str"
    ),
    **dict.fromkeys(("score", "seconds", "length"), "float64"),
    **{"surplus": "bool", "rated_at": columns.TIME},
}
ANSWER_COLUMNS = ("scores", "choices", "places")  # fields of a rating event that hold the answers
CHOICE_SCORES: Mapping[str, float] = {"a": 1.0, "tie": 0.0, "b": -1.0}


@dataclass(frozen=True)
class AssignedCounts:
    """The number of one person's assignments by state, and of flagged ones.

    Attributes:
        changed_checks: how often an answer to an attention check was changed.
    """

    done: int = 0
    on_screen: int = 0
    skipped: int = 0
    flagged: int = 0
    changed_checks: int = 0


def work_frame(session: Session, project_id: int, *, form: str = "pointwise") -> pd.DataFrame:
    """Return one row per score that a person gave, in order of time, with the columns `WORK_COLUMNS`.

    `unit` is what was scored, `screen` what was shown at once, `length` its responses' characters.
    A missing `score` means "cannot be judged". A preference scores 1 for the response
    with the lower row id, -1 for the other, 0 for a tie; in a ranking the score is the response's place.
    Repeats, checks and training are included; imported means of several raters are not.
    """
    readers = {"pairwise": _preferences, "ranking": _rankings, "best_worst": _rankings}
    frame = readers.get(form, _ratings)(session, project_id)
    frame = frame.sort_values("rated_at", kind="stable", ignore_index=True)
    return timed_work.timed_ratings(session, project_id, frame)


def assigned_counts(session: Session, project_id: int) -> dict[int, AssignedCounts]:
    """Return the assignment counts of each person, by row id; planned repeats count separately."""
    by_person: dict[int, dict[str, int]] = {}
    rows = session.execute(
        select(
            *(Assignment.person_id, Assignment.state, func.count(), func.count(Assignment.flag)),
            count_where(Assignment.lease_until > now()),
        )
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.person_id, Assignment.state)
    )
    for person, state, count, flags, held in rows:
        counts = by_person.setdefault(person, {})
        counts[state] = held if state == "leased" else count
        counts["flags"] = counts.get("flags", 0) + flags
    changed = _changed_checks(session, project_id)
    return {
        person: AssignedCounts(
            done=counts.get("done", 0) + counts.get("surplus", 0),
            on_screen=counts.get("leased", 0),
            skipped=counts.get("skipped", 0) + counts.get("returned", 0),
            flagged=counts["flags"],
            changed_checks=changed[person],
        )
        for person, counts in by_person.items()
    }


def _changed_checks(session: Session, project_id: int) -> Counter[int]:
    """Return how often each person changed an answer to an attention check, not counting comments."""
    events = session.execute(
        select(RatingEvent.person_id, RatingEvent.before, RatingEvent.after)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .where(Unit.project_id == project_id, ItemRow.purpose == "attention", RatingEvent.kind == "rate")
    )
    return Counter(
        person
        for person, before, after in events
        if any(before.get(kind) and before[kind] != after.get(kind) for kind in ANSWER_COLUMNS)
    )


def has_work(session: Session, project_id: int) -> bool:
    """Return whether `work_frame` has a row in any form."""
    queries = [
        select(Rating.id).where(Rating.project_id == project_id, ~Rating.aggregate),
        *(select(table.id).where(table.project_id == project_id) for table in (Preference, Ranking)),
    ]
    return any(session.scalar(query.limit(1)) is not None for query in queries)


def work_fingerprints(session: Session, project_id: int) -> tuple[str, str]:
    """Return two fingerprints: of raters' work, and of known scores, member states, names and purposes."""
    work: list[Any] = [
        select(func.count(), func.max(table.id), func.max(table.rated_at)).where(
            table.project_id == project_id
        )
        for table in (Rating, Preference, Ranking)
    ]
    work += [
        select(func.sum(Rating.score)).where(Rating.project_id == project_id),
        select(Assignment.state, func.count(), func.count(Assignment.flag))
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.state)
        .order_by(Assignment.state),
    ]
    standing: list[Any] = [
        select(func.count(), func.sum(GoldScore.score), func.sum(GoldScore.tolerance))
        .join(Unit, Unit.id == GoldScore.unit_id)
        .where(Unit.project_id == project_id),
        select(Membership.person_id, Membership.cohort, place_states.current_state())
        .where(Membership.project_id == project_id)
        .order_by(Membership.person_id),
        select(func.count(Person.erased_at), func.max(Person.erased_at)),  # names only change by erasure
        select(ItemRow.purpose, func.count(), func.sum(ItemRow.id))
        .where(ItemRow.project_id == project_id)
        .group_by(ItemRow.purpose)
        .order_by(ItemRow.purpose),
    ]
    return query_fingerprint(session, work), query_fingerprint(session, standing)


def aggregate_raters(session: Session, project_id: int) -> list[str]:
    """Return the rater names of imported means of several raters."""
    query = (
        select(Person.name)
        .join(Rating, Rating.person_id == Person.id)
        .where(Rating.project_id == project_id, Rating.aggregate)
        .group_by(Person.name)
        .order_by(Person.name)
    )
    return list(session.scalars(query))


def _ratings(session: Session, project_id: int) -> pd.DataFrame:
    query = (
        select(
            Rating.person_id,
            Rating.response_id,
            Rating.criterion_id,
            Rating.score,
            Rating.occasion,
            Rating.seconds,
            columns.raw_times(Rating.rated_at),
            Rating.comment,
            Rating.origin,
            Rating.surplus,
        )
        .where(rating_project(session, project_id) == project_id, ~Rating.aggregate)
        .order_by(Rating.id)  # in storage order; the frame is sorted by time later
    )
    names = ("person", "response", "criterion_id", *WORK_COLUMNS[9:16])
    frame = columns.read_frame(session, query, names, WORK_TYPES)
    texts = _texts(session, project_id)
    people = select(Person.id, Person.name).where(
        Person.id.in_(select(Rating.person_id).where(Rating.project_id == project_id))
    )
    criteria = select(CriterionRow.id, CriterionRow.key).where(CriterionRow.project_id == project_id)
    frame["rater"] = columns.lookup_texts(frame["person"], names_by_id(session, people))
    frame["criterion"] = columns.lookup_texts(frame["criterion_id"], names_by_id(session, criteria))
    for name in ("item", "system", "purpose"):
        texts_by_id = {row_id: getattr(text, name) for row_id, text in texts.items()}
        frame[name] = columns.lookup_texts(frame["response"], texts_by_id)
    length = {row_id: float(text.length) for row_id, text in texts.items()}
    frame["length"] = frame["response"].map(length).astype("float64")
    frame["screen"] = frame["unit"] = frame["response"].astype("str")
    return frame[list(WORK_COLUMNS)]


def _preferences(session: Session, project_id: int) -> pd.DataFrame:
    query = (
        select(Preference, Person.name, ItemRow.external_id, ItemRow.purpose, CriterionRow.key)
        .select_from(Preference)
        .where(Preference.project_id == project_id)
    )
    texts = _texts(session, project_id)
    rows = []
    for row, name, item, purpose, criterion in session.execute(_joined(query, Preference)):
        a, b = texts[row.response_a], texts[row.response_b]
        systems = f"{a.system} or {b.system}" if a.system or b.system else ""
        pair, score = f"{row.response_a}-{row.response_b}", CHOICE_SCORES.get(row.choice)
        rows.append(
            (row.person_id, name, item, pair, pair, row.response_a, systems, purpose)
            + (criterion, score, row.occasion, row.seconds, row.rated_at)
            + (row.comment, row.origin, row.surplus)
            + (a.length + b.length,)
        )
    return columns.frame_of(rows, WORK_COLUMNS, WORK_TYPES)


def _rankings(session: Session, project_id: int) -> pd.DataFrame:
    query = (
        select(Ranking, Person.name, ItemRow.external_id, ItemRow.purpose, CriterionRow.key)
        .select_from(Ranking)
        .where(Ranking.project_id == project_id)
    )
    texts = _texts(session, project_id)
    rows = []
    for row, name, item, purpose, criterion in session.execute(_joined(query, Ranking)):
        ranked = [(int(response), float(place)) for response, place in row.places.items()]
        shown = sum(texts[response].length for response, _ in ranked if response in texts)
        rows += [
            (row.person_id, name, item, f"i{row.item_id}", str(response), response)
            + (texts[response].system, purpose)
            + (criterion, place, row.occasion, row.seconds, row.rated_at)
            + (row.comment, row.origin, row.surplus, shown)
            for response, place in ranked
            if response in texts
        ]
    return columns.frame_of(rows, WORK_COLUMNS, WORK_TYPES)


@dataclass(frozen=True)
class _Text:
    item: str
    purpose: str
    system: str
    length: int


def _texts(session: Session, project_id: int) -> dict[int, _Text]:
    query = (
        select(
            ResponseRow.id,
            ItemRow.external_id,
            ItemRow.purpose,
            ResponseRow.system,
            func.length(ResponseRow.text),
        )
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
    )
    return {
        row_id: _Text(item, purpose, system, length or 0)
        for row_id, item, purpose, system, length in session.execute(query)
    }


def _joined(query: Any, table: Any) -> Any:
    return (
        query.join(Person, Person.id == table.person_id)
        .join(ItemRow, ItemRow.id == table.item_id)
        .join(CriterionRow, CriterionRow.id == table.criterion_id)
        .order_by(table.rated_at, table.id)
    )
