from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from judgelab.annotation.raters.pace import NO_TIMES, rater_pace, screen_table

START = datetime(2025, 5, 5, 9, tzinfo=UTC)


def work(*rows):
    """Rows (rater, screen, minutes after the start, seconds measured or None, length)."""
    table = pd.DataFrame(rows, columns=["rater", "screen", "minutes", "seconds", "length"])
    return table.assign(
        rated_at=pd.to_datetime([START + timedelta(minutes=m) for m in table["minutes"]], utc=True),
        seconds=table["seconds"].astype("float64"),
        length=table["length"].astype("float64"),
        occasion=0,
        item=table["screen"],
    )


def test_the_criteria_of_a_screen_count_once():
    duplicate_work = work(("Ada", "r1", 0, 30, 100), ("Ada", "r1", 0, 30, 100), ("Ada", "r2", 1, 50, 100))
    pace = rater_pace(screen_table(duplicate_work))
    assert pace.median.value == 40 and pace.median.n == 2 and pace.source == "measured"


def test_without_measured_times_it_is_the_time_since_the_rating_before_within_a_sitting():
    rows = [("Ada", f"r{n}", m, None, 60) for n, m in enumerate((0, 1, 3, 100, 104))]
    pace = rater_pace(screen_table(work(*rows)))
    assert pace.source == "between ratings" and pace.sittings == 2
    assert pace.median.n == 3 and pace.median.value == 120  # 60, 120 and 240; not the break


def test_places_count_from_each_sittings_beginning():
    screens = screen_table(work(*[("Ada", f"r{n}", m, 9, 60) for n, m in enumerate((0, 1, 90, 91))]))
    assert screens["place"].tolist() == [0, 1, 2, 3]
    assert screens["place_in_sitting"].tolist() == [0, 1, 0, 1]


def test_a_screen_is_too_fast_below_a_third_of_what_raters_need_or_of_reading():
    rows = [("Ada", f"a{n}", n, 60, 60) for n in range(3)]
    rows += [("Bo", f"b{n}", n, 60, 60) for n in range(2)]
    rows += [("Bo", "b2", 2, 19, 60), ("Bo", "b3", 3, 21, 60), ("Bo", "b4", 4, 60, 6000)]
    screens = screen_table(work(*rows))
    pace = rater_pace(screens[screens["rater"] == "Bo"])
    # 19 s is under a third of 60 s; 6,000 characters are not read in 60 s.
    assert pace.fast.value == pytest.approx(2 / 5) and pace.usual == 60
    assert rater_pace(screens[screens["rater"] == "Ada"]).fast.value == 0


def test_one_time_for_all_ratings_gives_no_order():
    pace = rater_pace(screen_table(work(*[("Ada", f"r{n}", 0, None, 60) for n in range(12)])))
    assert pace.median.reason == NO_TIMES and pace.drift.reason == NO_TIMES
    assert pace.source == "none" and pace.sittings is None


def test_halving_the_time_from_first_to_last_screen_is_a_drift_of_minus_a_half():
    rows = [("Ada", f"r{n}", n, 60 * 0.5 ** (n / 19), 60) for n in range(20)]
    drift = rater_pace(screen_table(work(*rows))).drift
    assert drift.value == pytest.approx(-0.5)
    assert drift.ci == pytest.approx((-0.5, -0.5))


def test_without_work_there_is_no_pace():
    assert screen_table(work()).empty
