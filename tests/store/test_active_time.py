"""Time that raters spent never exceeds the time that passed, also where rows of before say more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import update

from judgelab.annotation import service
from judgelab.crowd import participants
from judgelab.store.db.engine import Store
from judgelab.store.frames import rater_work
from judgelab.store.models import Membership, Rating, RatingEvent
from judgelab.store.rating import active_time, rating_speed
from tests.crowd.conftest import make_study

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def after(*minutes: float) -> list[datetime]:
    return [NOON + timedelta(minutes=minute) for minute in minutes]


@pytest.mark.parametrize(
    ("minutes", "reported", "plausible"),
    [
        ((1, 2, 3), (60, 50, 60), [60, 50, 60]),
        ((5, 5, 5), (60, 60, 60), [60, 60, 60]),  # kept while offline
        ((5, 5), (1e7, 1e7), [300, 0]),
        ((5, 6), (1e7, 1e7), [300, 60]),
        ((5, 6, 7), (None, 400, 400), [None, 360, 60]),
        ((600, 630, 690), (1e7, 1e7, 1e7), [3600, 1800, 3600]),  # one look is at most an hour
        ((90, 120), (3000, 3600), [3000, 1800]),
        ((-5, 1), (1e7, 1e7), [3600, 60]),  # the first from before they came again
    ],
)
def test_time_that_passed_is_there_once(
    minutes: tuple[float, ...], reported: tuple[float | None, ...], plausible: list[float | None]
) -> None:
    timed_answers = list(zip(after(*minutes), reported, strict=True))
    seconds = active_time.plausible_seconds(timed_answers, since=NOON)
    assert seconds == plausible
    assert active_time.plausible_seconds(zip(after(*minutes), seconds, strict=True), since=NOON) == plausible


def test_figures_of_rows_that_say_more_are_held_to_what_passed(store: Store) -> None:
    study = make_study(store, pay_per_hour=12, currency="GBP")
    person = study.join("a")
    study.rate(person, at_most=2)
    with store.writing() as session:
        session.execute(update(Membership).values(joined_at=NOON))
        for table in (Rating, RatingEvent):
            rows = session.query(table).order_by(table.id).all()
            for n, row in enumerate(rows):
                late = n * 2 // len(rows)
                row.seconds = 86_400.0
                setattr(row, "at" if table is RatingEvent else "rated_at", NOON + timedelta(minutes=5 + late))
    (row,) = participants.participant_rows(store, None, study.project)
    assert (row["active_minutes"], row["pay"]) == (6, Decimal("1.20"))
    assert service.progress(store, person, study.project).seconds == 360
    with store.reading() as session:
        assert list(rater_work.work_frame(session, study.project)["seconds"]) == [300, 300, 60, 60]
        assert list(rating_speed.median_seconds(session, study.project).values()) == [180]


def test_times_that_a_file_brought_stay(store: Store) -> None:
    study = make_study(store)
    study.rate(study.join("a"), at_most=2)
    with store.writing() as session:
        session.execute(update(Rating).values(seconds=86_400.0, origin="import"))
    with store.reading() as session:
        assert set(rater_work.work_frame(session, study.project)["seconds"]) == {86_400}
