from judgelab.charts.own_ratings import OtherScore, RatedResponse, own_ratings_chart
from judgelab.charts.tokens import LIGHT
from judgelab.scales import scale_from_json

SCALE = scale_from_json(
    {"kind": "ordinal", "low": 0, "high": 3, "labels": {"0": "no", "1": "little", "2": "partly", "3": "yes"}}
)
ROW = RatedResponse(
    "Is <it> safe?", 1, 2.5, [OtherScore("Ada", "human", 3), OtherScore("strict", "judge", 1, learned=True)]
)


def drawn(**options):
    return own_ratings_chart([ROW, ROW], scale=SCALE, own_name="You", theme=LIGHT, **options)


def test_the_mean_is_a_line_at_its_place_and_ones_own_mark_is_the_largest():
    figure = drawn()
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    assert [tuple(line.x) for line in lines] == [(2.5, 2.5)] * 2
    own = max(marks, key=lambda mark: mark.marker.size)
    assert tuple(own.x) == (1,) and own.marker.color == LIGHT.ink


def test_people_stand_above_judges_who_are_diamonds_in_accent():
    marks = {mark.marker.symbol: mark for mark in drawn().data if mark.mode == "markers"}
    assert marks["circle-open"].y[0] < marks["diamond-open"].y[0]
    assert marks["diamond-open"].marker.color == LIGHT.accent


def test_a_question_is_shown_letter_by_letter():
    assert drawn().layout.yaxis.ticktext[0] == "Is &lt;it&gt; safe?"


def test_a_narrow_screen_has_the_points_without_their_labels():
    assert drawn(narrow=True).layout.xaxis.ticktext == ("0", "1", "2", "3")
    assert drawn().layout.xaxis.ticktext[3] == "3<br>yes"
