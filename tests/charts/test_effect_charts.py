import pytest

from judgelab.charts.effect import EffectCurve, effect_panel
from judgelab.charts.tokens import DARK, LIGHT
from judgelab.metaeval.core.result import Estimate, undefined

GRID = (0.0, 0.2, 0.4, 0.6)


def values(*numbers):
    return [
        undefined("nothing remains") if n is None else Estimate(n, ci=(n - 0.1, n + 0.1), n=9)
        for n in numbers
    ]


def panel(*curves, reference=0.3, theme=LIGHT):
    return effect_panel(GRID, curves, threshold=0.4, reference=reference, title="Mean r", theme=theme)


def written(figure):
    return {note.text: note for note in figure.layout.annotations}


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_people_are_ink_with_a_band_and_yardsticks_dashed_without(theme):
    figure = panel(
        EffectCurve("random raters", values(0.1, 0.2, 0.2, 0.2), "baseline", banded=False),
        EffectCurve("after filtering", values(0.3, 0.5, 0.6, 0.7), "people"),
        theme=theme,
    )
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    assert band.fillcolor == theme.ink and min(band.y) == pytest.approx(0.2)
    dashed, solid = [trace for trace in figure.data if trace.fill is None]
    assert dashed.line.dash != "solid" and solid.line.dash == "solid" and solid.line.color == theme.ink
    assert {"random raters", "after filtering", "all ratings", "Mean r"} <= set(written(figure))


def test_a_threshold_that_leaves_nothing_is_a_gap():
    figure = panel(EffectCurve("after", values(0.3, None, 0.6, 0.7), "people"))
    (line,) = [trace for trace in figure.data if trace.fill is None]
    assert list(line.y) == [0.3, None, 0.6, 0.7] and line.connectgaps is False
    assert "nothing remains" in line.customdata[1][0]


@pytest.mark.parametrize("end", [0.0, 0.5, 1.0])
def test_names_at_the_right_do_not_lie_on_one_another(end):
    figure = panel(*(EffectCurve(name, values(0.5, 0.5, 0.5, end), "judge", banded=False) for name in "abc"))
    heights = sorted(note.y for text, note in written(figure).items() if text in "abc")
    assert min(b - a for a, b in zip(heights, heights[1:], strict=False)) > 0.05


def test_a_name_from_a_file_is_no_markup():
    figure = panel(EffectCurve("<b>J</b>", values(0.5, 0.5, 0.5, 0.5), "judge"))
    assert "&lt;b&gt;J&lt;/b&gt;" in written(figure)
    assert all("<b>" not in (trace.hovertemplate or "") for trace in figure.data)


def test_a_line_without_room_for_its_name_says_it_where_the_pointer_is():
    figure = panel(EffectCurve("", values(0.5, 0.5, 0.5, 0.5), "judge", hover_name="Judge A"))
    assert "Judge A" not in written(figure)
    (line,) = [trace for trace in figure.data if trace.fill is None]
    assert "Judge A" in line.hovertemplate
