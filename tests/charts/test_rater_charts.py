import pytest

from judgelab.charts.raters import MeasureRow, ScreenMark, measure_forest, screens_over_time
from judgelab.charts.tokens import DARK, LIGHT
from judgelab.metaeval.core.result import Estimate, undefined

ROWS = [
    MeasureRow("Ada", Estimate(0.8, ci=(0.7, 0.9)), chosen=True),
    MeasureRow("<b>Bo</b>", Estimate(-0.6, ci=(-0.8, -0.4)), note="perhaps reversed"),
    MeasureRow("Cy", undefined("no other rater rated the same responses")),
]


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request):
    return request.param


def drawn(rows, theme, **options):
    return measure_forest(rows, title="r", theme=theme, low=0.0, high=1.0, **options)


def test_a_rater_worth_a_look_differs_by_shape_and_word_not_colour_alone(theme):
    figure = drawn(ROWS, theme)
    marks = [trace.marker.symbol for trace in figure.data if trace.mode == "markers"]
    assert marks == ["circle", "x"]
    assert "perhaps reversed" in [note.text for note in figure.layout.annotations]


def test_each_dot_and_interval_lies_in_its_own_row(theme):
    rows = [*ROWS, MeasureRow("Di", Estimate(0.5, ci=(0.4, 0.6))), MeasureRow("Ed", Estimate(0.1))]
    plain_line, odd_line, plain, odd = drawn(rows, theme).data
    assert (list(plain.x), list(plain.y)) == ([0.8, 0.5, 0.1], [0, 3, 4])
    assert (list(odd.x), list(odd.y)) == ([-0.6], [1])
    assert list(plain_line.x) == [0.7, 0.9, None, 0.4, 0.6]
    assert list(plain_line.y) == [0, 0, None, 3, 3]
    assert (list(odd_line.x), list(odd_line.y)) == ([-0.8, -0.4], [1, 1])
    assert not plain_line.connectgaps


def test_an_undefined_measure_says_its_reason_in_its_row(theme):
    figure = drawn(ROWS, theme)
    assert "no other rater rated the same responses" in [note.text for note in figure.layout.annotations]


def test_names_from_files_are_shown_letter_by_letter_and_the_chosen_one_is_bold(theme):
    names = drawn(ROWS, theme).layout.yaxis.ticktext
    assert names == ("<b>Ada</b>", "&lt;b&gt;Bo&lt;/b&gt;", "Cy")


def test_the_axis_reaches_over_every_interval_and_the_mark(theme):
    figure = drawn(ROWS, theme, reference=0.4, reference_name="0.40")
    low, high = figure.layout.xaxis.range
    assert low < -0.8 and high > 1
    assert figure.layout.shapes[0].x0 == 0.4


def test_odd_screens_are_crosses_and_sittings_are_parted(theme):
    moments = [ScreenMark(0, 30), ScreenMark(1, 2, flagged=True), ScreenMark(2, 28)]
    figure = screens_over_time(moments, running_mean=[30, 20, 15], breaks=[2.0], title="seconds", theme=theme)
    plain, odd, line = figure.data
    assert (list(plain.x), list(odd.x)) == ([1, 3], [2])
    assert odd.marker.symbol == "x" and list(line.y) == [30, 20, 15]
    assert figure.layout.shapes[0].x0 == 2.5


def test_nothing_to_draw_is_an_empty_figure(theme):
    assert len(screens_over_time([], running_mean=[], breaks=[], title="seconds", theme=theme).data) == 3
    assert drawn([], theme).layout.height > 0
