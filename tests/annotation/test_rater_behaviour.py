import pandas as pd
import pytest

from judgelab.annotation.raters.rater_behaviour import RaterBehaviour, behaviour_hint, rater_behaviours


def ratings(**scores):
    rows = [(rater, i, s) for rater, values in scores.items() for i, s in enumerate(values) if s is not None]
    return pd.DataFrame(rows, columns=["rater", "response", "score"])


def test_offset_is_own_score_minus_the_others_mean_on_the_same_responses():
    behaviours = rater_behaviours(ratings(Ada=[3, 3, 1], Bo=[2, 3, 2], Cy=[1, None, None]))
    assert behaviours["Ada"].offset == pytest.approx(((3 - 1.5) + 0 - 1) / 3)
    assert behaviours["Cy"].offset == pytest.approx(1 - 2.5)


def test_a_rater_without_others_has_no_offset():
    assert rater_behaviours(ratings(Ada=[3, 2]))["Ada"].offset is None


def test_modal_share_counts_the_commonest_score_and_takes_the_lower_of_a_tie():
    behaviours = rater_behaviours(ratings(Ada=[3, 3, 1], Bo=[2, 1]))
    assert (behaviours["Ada"].modal_score, behaviours["Ada"].modal_share) == (3, pytest.approx(2 / 3))
    assert behaviours["Bo"].modal_score == 1


def test_without_ratings_there_is_no_behaviour():
    assert rater_behaviours(ratings()) == {}


def test_a_hint_names_reversal_haste_and_one_score():
    behaviour = RaterBehaviour("F", 40, 0.2, 2, 0.59, seconds=6)
    all_raters = {
        "F": behaviour,
        "A": RaterBehaviour("A", 40, 0, 1, 0.3, seconds=38),
        "B": RaterBehaviour("B", 40, 0, 1, 0.3, seconds=52),
    }
    assert behaviour_hint(behaviour, 0.09, all_raters) == "6 s per response; same score in 59 % of ratings"
    assert behaviour_hint(RaterBehaviour("H", 40, 0, 1, 0.3), -0.68, all_raters) == "perhaps reversed"
    flat = RaterBehaviour("H", 40, 0, 1, 0.67)
    expected = "perhaps reversed; same score in 67 % of ratings"
    assert behaviour_hint(flat, -0.68, all_raters) == expected


def test_few_ratings_give_no_hint():
    behaviour = RaterBehaviour("F", 3, 0.2, 2, 1.0, seconds=1)
    assert behaviour_hint(behaviour, 0.1, {"A": RaterBehaviour("A", 40, 0, 1, 0.3, seconds=38)}) == ""
