import pytest

from judgelab.charts.labels import axis_label
from judgelab.charts.quality import (
    FilterStage,
    RaterMark,
    agreement_stages,
    raters_forest,
    scores_before_after,
)
from judgelab.charts.tokens import DARK, LIGHT
from judgelab.metaeval.core.result import Estimate, undefined

KEPT = RaterMark("Bo", Estimate(0.45, ci=(0.37, 0.5), n=93), Estimate(0.76, ci=(0.67, 0.83), n=93))
OUT = RaterMark("Hugo", Estimate(-0.68, ci=(-0.77, -0.57), n=87), None, note="perhaps reversed")


def forest(*marks, threshold=0.4, theme=LIGHT):
    return raters_forest(
        marks, threshold=threshold, title="Mean Pearson r with the other raters", theme=theme
    )


def markers(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_a_kept_rater_is_hollow_before_and_filled_after():
    before, after = markers(forest(KEPT))
    assert (before.x[0], before.marker.symbol, before.marker.color) == (0.45, "circle-open", LIGHT.metric)
    assert (after.x[0], after.marker.symbol, after.marker.color) == (0.76, "circle", LIGHT.ink)


def test_a_rater_who_is_out_is_a_red_cross_where_they_stood_before():
    (cross,) = markers(forest(OUT))
    assert (cross.x[0], cross.marker.symbol, cross.marker.color) == (-0.68, "x", LIGHT.wrong)


def test_intervals_are_lines_without_caps_and_absent_when_unknown():
    without = RaterMark("Ada", Estimate(0.5, n=3), Estimate(0.5, n=3))
    assert [t.mode for t in forest(KEPT).data].count("lines") == 2
    assert [t.mode for t in forest(without).data].count("lines") == 0


def test_an_undefined_rater_keeps_a_row_without_a_mark():
    unknown = RaterMark(
        "Cy", undefined("no partner shares 5 answers"), undefined("no partner shares 5 answers")
    )
    figure = forest(KEPT, unknown)
    assert figure.layout.yaxis.ticktext == ("Bo", "Cy")
    assert len(markers(figure)) == 2


def test_the_axis_reaches_the_lowest_interval_and_never_below_minus_one():
    assert forest(OUT).layout.xaxis.range[0] < -0.77
    lowest = RaterMark("Z", Estimate(-1.0, ci=(-1.0, -1.0)), None)
    assert forest(lowest).layout.xaxis.range[0] == pytest.approx(-1.05)


def test_rows_have_room_for_a_note_of_two_lines():
    kept = [RaterMark(f"Bo {n}", KEPT.before, KEPT.after) for n in range(6)]
    long = RaterMark("Hugo", OUT.before, None, note="perhaps reversed; same score in 67 % of ratings")
    assert forest(*kept, OUT).layout.height == 7 * 24 + 74
    assert forest(*kept, long).layout.height == 7 * 36 + 74


def test_the_threshold_is_drawn_and_named():
    figure = forest(KEPT, threshold=0.35)
    assert figure.layout.shapes[0].x0 == 0.35
    assert "threshold 0.35" in [note.text for note in figure.layout.annotations]


def test_a_note_never_leaves_the_left_edge():
    edge = RaterMark("Zed", Estimate(-0.9, ci=(-0.98, -0.8)), None, note="perhaps reversed")
    note = forest(edge).layout.annotations[0]
    assert note.xanchor == "left"


def test_height_grows_by_rows_and_does_not_depend_on_the_threshold():
    assert forest(*[KEPT] * 9).layout.height - forest(*[KEPT] * 8).layout.height == 24
    assert forest(KEPT, OUT).layout.height - forest(KEPT).layout.height == 36
    assert forest(KEPT, threshold=0.1).layout.height == forest(KEPT, threshold=0.9).layout.height


def test_dark_figures_take_dark_tokens():
    assert markers(forest(OUT, theme=DARK))[0].marker.color == DARK.wrong


def test_stages_are_hollow_before_and_filled_after():
    stages = [
        FilterStage("All ratings", Estimate(0.24), False),
        FilterStage("After raters", Estimate(0.7), True),
    ]
    traces = markers(agreement_stages(stages, title="Mean pairwise r", theme=LIGHT))
    assert [m.marker.symbol for m in traces] == ["circle-open", "circle"]


def test_distribution_outlines_before_and_fills_after():
    figure = scores_before_after(["0", "1"], before=[40, 60], after=[30, 70], title="Score", theme=LIGHT)
    before, after = figure.data
    assert before.marker.color == "rgba(0,0,0,0)" and after.marker.color == LIGHT.ink
    assert before.text == ("40", "60")


def test_a_distribution_of_nothing_is_drawn_empty():
    figure = scores_before_after([], before=[], after=[], title="Score", theme=LIGHT)
    assert len(figure.data) == 2


@pytest.mark.parametrize("name", ['<a href="https://x.org">Bo</a>', "<b>&amp;</b>"])
def test_names_are_never_read_as_markup(name):
    assert "<" not in axis_label(name) and ">" not in axis_label(name)


def test_long_names_are_cut_in_the_middle():
    assert axis_label("a" * 30 + "tail", 20) == "a" * 12 + "…" + "a" * 3 + "tail"
