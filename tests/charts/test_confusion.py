import pandas as pd
import pytest

from judgelab.charts.confusion import cell_colour, confusion_heatmap, contrast, readable_ink
from judgelab.charts.tokens import DARK, LIGHT

COUNTS = pd.DataFrame([[25, 9], [15, 44]], index=[0.0, 1.0], columns=[0.0, 1.0])


def test_counts_stand_in_their_cells_and_clicks_name_both_scores():
    figure = confusion_heatmap(COUNTS, judge_title="Judge", raters_title="Raters", theme=LIGHT)
    assert [note.text for note in figure.layout.annotations] == ["25", "9", "15", "44"]
    assert [list(c) for c in figure.data[1].customdata] == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_agreeing_cells_are_outlined():
    shapes = confusion_heatmap(COUNTS, judge_title="Judge", raters_title="Raters", theme=LIGHT).layout.shapes
    assert [(s.x0, s.y0) for s in shapes] == [(-0.49, -0.49), (0.51, 0.51)]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_is_readable_on_the_palest_and_the_strongest_cell(theme):
    assert readable_ink(theme.sequential[0], theme) == theme.ink
    assert readable_ink(theme.sequential[-1], theme) == theme.paper


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_count_is_readable_on_its_cell(theme):
    colours = [cell_colour(share / 100, theme) for share in range(101)]
    assert (colours[0], colours[-1]) == (theme.sequential[0], theme.sequential[-1])
    assert min(contrast(readable_ink(colour, theme), colour) for colour in colours) >= 4.5


def test_an_empty_table_is_drawn_without_a_crash():
    confusion_heatmap(COUNTS * 0, judge_title="Judge", raters_title="Raters", theme=LIGHT)


def test_the_hover_text_names_labels():
    figure = confusion_heatmap(
        COUNTS, judge_title="Judge", raters_title="Raters", theme=LIGHT, labels=["supported", "unclear"]
    )
    assert list(figure.data[1].text)[:2] == [
        "raters supported, judge supported: 25",
        "raters supported, judge unclear: 9",
    ]
