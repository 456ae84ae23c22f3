import pytest

from judgelab.charts.strip import StripMark, dodged, score_strip
from judgelab.charts.tokens import LIGHT
from judgelab.scales import scale_from_json

SCALE = scale_from_json(
    {"kind": "ordinal", "low": 0, "high": 3, "labels": {"0": "irrelevant", "3": "answers"}}
)
PEOPLE = [StripMark("Amara", "human", 0), StripMark("Gwen", "human", 0), StripMark("Chen", "human", 1)]


def test_equal_scores_are_moved_apart_around_their_place():
    assert dodged([0, 0, 1], step=0.07) == pytest.approx([-0.035, 0.035, 1])


def test_people_and_judges_have_a_line_each_and_the_chosen_judge_is_larger():
    figure = score_strip([*PEOPLE, StripMark("ELECT", "judge", 2.6, chosen=True)], scale=SCALE, theme=LIGHT)
    assert list(figure.layout.yaxis.ticktext) == ["Raters", "Judges"]
    assert [t.marker.size for t in figure.data] == [10, 10, 10, 13]


def test_the_axis_carries_the_labels_of_a_short_scale():
    figure = score_strip(PEOPLE, scale=SCALE, theme=LIGHT)
    assert list(figure.layout.xaxis.ticktext) == ["0<br>irrelevant", "1", "2", "3<br>answers"]


def test_a_continuous_scale_shows_its_ends_and_middle():
    scale = scale_from_json({"kind": "numeric", "low": 0, "high": 100})
    assert list(score_strip([], scale=scale, theme=LIGHT).layout.xaxis.ticktext) == ["0", "50", "100"]


def test_a_rating_that_does_not_count_is_a_red_cross():
    figure = score_strip([*PEOPLE, StripMark("Hugo", "human", 3, left_out=True)], scale=SCALE, theme=LIGHT)
    assert figure.data[-1].marker.symbol == "x"
    assert figure.data[-1].marker.color == LIGHT.wrong
