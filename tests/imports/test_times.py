"""Times in the forms of spreadsheets, forms and crowd platforms; those expected were worked out by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from judgelab.errors import InvalidInput
from judgelab.imports.core.times import day_comes_first, time_of
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,system,response\nq1,Who?,a,Ann\nq2,When?,a,Now\n"
HEAD = "Timestamp,item_id,system,rater,score\n"


@pytest.mark.parametrize(
    ("cell", "in_utc"),
    [
        ("2024-01-15T15:45:12+01:00", "2024-01-15 14:45:12"),
        ("2024-01-15 15:45:12 UTC", "2024-01-15 15:45:12"),
        ("2024/01/15 3:45:12 PM GMT+1", "2024-01-15 14:45:12"),
        ("2024/01/15 12:05:00 AM GMT-5:30", "2024-01-15 05:35:00"),
        ("Sun Nov 14 12:34:56 PST 2021", "2021-11-14 20:34:56"),
        ("Mon, 15 Jan 2024 15:45:12 +0100", "2024-01-15 14:45:12"),
        ("Mon Jan 15 2024 15:45:12 GMT+0100 (Central European Standard Time)", "2024-01-15 14:45:12"),
        ("1/15/2024 15:45:12", "2024-01-15 15:45:12"),
        ("15/1/2024 15:45", "2024-01-15 15:45:00"),
        ("15.01.2024 15:45", "2024-01-15 15:45:00"),
        ("1/15/24 3:45 pm", "2024-01-15 15:45:00"),
        ("Jan 15, 2024, 3:45 PM", "2024-01-15 15:45:00"),
        ("15 January 2024", "2024-01-15 00:00:00"),
        (45306.65625, "2024-01-15 15:45:00"),  # 45,306 days after 30 December 1899
        (20240115, "2024-01-15 00:00:00"),
        ("20240115154512", "2024-01-15 15:45:12"),
        (1705333512, "2024-01-15 15:45:12"),
        ("1705333512000", "2024-01-15 15:45:12"),
        (1705333512000000, "2024-01-15 15:45:12"),
        (date(2024, 1, 15), "2024-01-15 00:00:00"),
    ],
)
def test_times_that_are_read(cell: Any, in_utc: str) -> None:
    assert time_of(cell) == datetime.fromisoformat(in_utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "cell",
    [
        "34.2",
        6.7,
        0,
        12,
        "00:34",
        time(0, 34),
        "2024-13-45",
        "99/99/2024",
        "Nov 14 9:00 CST 2021",
    ],
)
def test_what_is_no_time_of_a_day(cell: Any) -> None:
    with pytest.raises(InvalidInput, match="is not a time; write it as 2026-01-31T14:05:00Z"):
        time_of(cell)


@pytest.mark.parametrize("cell", ["1/2/2024 9:00", "01-02-2024", "24/01/15", "24-01-15"])
def test_a_date_that_may_be_two_is_refused_unless_its_column_tells(cell: str) -> None:
    with pytest.raises(InvalidInput, match="is ambiguous: either number could be the month"):
        time_of(cell)


def test_one_date_of_a_column_tells_the_order_of_all() -> None:
    assert day_comes_first(["1/2/2024", "1/15/2024 15:45"]) is False
    assert day_comes_first(["1/2/2024", "15/1/2024"]) is True
    assert day_comes_first(["15/1/2024", "1/15/2024"]) is None
    assert time_of("1/2/2024", day_first=True) == datetime(2024, 2, 1, tzinfo=UTC)


def test_a_forms_file_is_read_by_the_order_of_its_dates(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    bring(f"{HEAD}1/2/2024 9:00:00,q1,a,ann,4\n1/15/2024 15:45:12,q2,a,ann,5\n")
    with store.reading() as session:
        assert [str(rating.rated_at)[:10] for rating in session.query(Rating)] == ["2024-01-02", "2024-01-15"]


def test_a_time_that_is_none_can_be_left_out_as_the_refusal_says(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused(f"{HEAD}34.2,q1,a,ann,4\n")
    assert (problem.row, problem.column) == (2, "Timestamp")
    assert "leave the column out with --map ignored=Timestamp" in problem.message
    report = bring(f"{HEAD}34.2,q1,a,ann,4\n", mapping=[("ignored", "Timestamp")])
    assert report.ratings == 1
