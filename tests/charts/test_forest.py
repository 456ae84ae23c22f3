import pytest

from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.charts.labels import wrapped_label
from judgelab.charts.tokens import DARK, LIGHT
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.wording import sentence

CEILING = Estimate(0.74, ci=(0.67, 0.79), n=217)
ROWS = [
    ForestRow("Raters (leave one out)", "human", CEILING),
    ForestRow("ELECT", "judge", Estimate(0.70, ci=(0.62, 0.77), n=214)),
    ForestRow("rougeL", "metric", Estimate(-0.10, ci=(-0.3, 0.1), n=217)),
]


def marks(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_each_kind_of_rater_has_its_shape_and_colour():
    traces = marks(forest_plot(ROWS, ceiling=CEILING, title="Spearman ρ", theme=LIGHT))
    assert [m.marker.symbol for m in traces] == ["circle", "diamond", "square-open"]
    assert [m.marker.color for m in traces] == [LIGHT.ink, LIGHT.accent, LIGHT.metric]


def test_a_judge_trained_on_the_raters_is_hollow():
    row = ForestRow("learned", "judge", Estimate(0.4), learned=True)
    (mark,) = marks(forest_plot([row], ceiling=None, title="", theme=LIGHT))
    assert mark.marker.symbol == "diamond-open"


def test_the_band_is_the_interval_of_the_ceiling_in_the_theme_s_colour():
    band = forest_plot(ROWS, ceiling=CEILING, title="", theme=DARK).layout.shapes[0]
    assert (band.x0, band.x1, band.fillcolor) == (0.67, 0.79, DARK.band)


def test_a_long_name_of_the_ceiling_has_two_lines_above_the_rows_and_stays_in_the_chart():
    name = "raters (leave one out), all responses with 2+ ratings"
    ceiling = Estimate(0.55, ci=(0.5, 0.6))
    short, long = (
        forest_plot(ROWS, ceiling=ceiling, title="", theme=LIGHT, ceiling_name=words) for words in ("", name)
    )
    (label,) = long.layout.annotations
    assert label.text == "raters (leave one out), all<br>responses with 2+ ratings"
    assert label.xanchor == "right" and short.layout.annotations[0].xanchor == "center"
    assert long.layout.margin.t - short.layout.margin.t == long.layout.height - short.layout.height == 16


def test_a_rater_without_a_value_keeps_its_row_and_says_why():
    figure = forest_plot(
        [ForestRow("J", "judge", undefined("no response has both"))], ceiling=None, title="", theme=LIGHT
    )
    assert [a.text for a in figure.layout.annotations] == ["no response has both"]
    assert list(figure.layout.yaxis.ticktext) == ["J"]


def test_the_axis_reaches_below_zero_only_where_an_interval_does():
    assert forest_plot(ROWS, ceiling=None, title="", theme=LIGHT).layout.xaxis.range[0] < -0.3
    assert forest_plot(ROWS[:2], ceiling=None, title="", theme=LIGHT).layout.xaxis.range[0] == 0


def test_an_error_may_be_larger_than_one():
    rows = [ForestRow("J", "judge", Estimate(3.0, ci=(2.0, 4.0)))]
    assert forest_plot(rows, ceiling=None, title="", theme=LIGHT, errors=True).layout.xaxis.range[
        1
    ] == pytest.approx(4.16)


def test_a_name_from_a_file_is_no_markup():
    figure = forest_plot([ForestRow("<b>x</b>", "judge", Estimate(0.4))], ceiling=None, title="", theme=LIGHT)
    assert "<" not in figure.layout.yaxis.ticktext[0]


def test_a_click_brings_the_whole_name_back():
    name = "a very long name of a judge that the axis has to shorten"
    (mark,) = marks(
        forest_plot([ForestRow(name, "judge", Estimate(0.4))], ceiling=None, title="", theme=LIGHT)
    )
    assert mark.customdata[0][0] == name


def test_a_long_name_stands_on_two_lines_and_is_no_markup():
    assert wrapped_label("Demo judge A (written for the demo)") == "Demo judge A (written<br>for the demo)"
    assert wrapped_label("ELECT") == "ELECT"
    assert wrapped_label("<b>bold</b>") == "&lt;b&gt;bold&lt;/b&gt;"
    assert all(len(line) <= 24 for line in wrapped_label("x" * 200).split("<br>"))


def test_few_rows_fill_the_height_they_are_given():
    few = forest_plot(ROWS, ceiling=None, title="", theme=LIGHT)
    roomy = forest_plot(ROWS, ceiling=None, title="", theme=LIGHT, height=200)
    assert few.layout.height < roomy.layout.height <= 200


def test_a_reason_is_read_whole_over_two_lines():
    why = sentence("all its scores are the same")
    estimate = undefined(
        sentence(
            "undefined whichever of the {n} raters is left out; for example, with one rater left out, "
            "{reason}",
            n=6,
            reason=why,
        ),
        n=42,
    )
    figure = forest_plot([*ROWS, ForestRow("exact", "metric", estimate)], ceiling=None, title="", theme=LIGHT)
    (reason,) = [annotation for annotation in figure.layout.annotations if "scores are" in annotation.text]
    assert reason.text.replace("<br>", " ").split() == str(why).split()
    assert reason.hovertext == str(estimate.reason), "all of it where one points"
