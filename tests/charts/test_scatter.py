from judgelab.charts.scatter import ResponseDot, pair_scatter
from judgelab.charts.tokens import LIGHT

LOOK = {"raters_title": "Raters", "theme": LIGHT}
DOTS = [ResponseDot(7, 1.0, 0.2), ResponseDot(9, 3.0, 0.6)]


def test_a_mark_carries_its_response():
    (trace,) = pair_scatter(DOTS, kind="metric", title="rougeL", **LOOK).data
    assert [list(c) for c in trace.customdata] == [[7], [9]]
    assert trace.marker.symbol == "square-open"


def test_the_line_of_equal_scores_is_drawn_only_on_a_common_scale():
    assert not pair_scatter(DOTS, kind="metric", title="", **LOOK).layout.shapes
    assert len(pair_scatter(DOTS, kind="judge", title="", **LOOK, same_scale=(0, 3)).layout.shapes) == 1


def test_equal_values_and_no_values_still_have_an_axis():
    assert pair_scatter([ResponseDot(1, 2, 2)], kind="judge", title="", **LOOK).layout.xaxis.range == (
        1.5,
        2.5,
    )
    assert pair_scatter([], kind="judge", title="", **LOOK).layout.xaxis.range == (0, 1)
