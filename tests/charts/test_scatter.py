from judgelab.charts.scatter import ResponseDot, pair_scatter
from judgelab.charts.tokens import LIGHT

DOTS = [ResponseDot(7, 1.0, 0.2), ResponseDot(9, 3.0, 0.6)]


def test_a_mark_carries_its_response():
    (trace,) = pair_scatter(DOTS, kind="metric", title="rougeL", theme=LIGHT).data
    assert [list(c) for c in trace.customdata] == [[7], [9]]
    assert trace.marker.symbol == "square-open"


def test_the_line_of_equal_scores_is_drawn_only_on_a_common_scale():
    assert not pair_scatter(DOTS, kind="metric", title="", theme=LIGHT).layout.shapes
    assert len(pair_scatter(DOTS, kind="judge", title="", theme=LIGHT, same_scale=(0, 3)).layout.shapes) == 1


def test_equal_values_and_no_values_still_have_an_axis():
    assert pair_scatter([ResponseDot(1, 2, 2)], kind="judge", title="", theme=LIGHT).layout.xaxis.range == (
        1.5,
        2.5,
    )
    assert pair_scatter([], kind="judge", title="", theme=LIGHT).layout.xaxis.range == (0, 1)
