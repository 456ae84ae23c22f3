from judgelab.charts.progress import ProgressCounts, run_progress_bar
from judgelab.charts.tokens import LIGHT


def test_the_parts_of_the_bar_are_the_counts_and_fill_it():
    figure = run_progress_bar(ProgressCounts(scored=141, unscored=2, failed=0, waiting=96), theme=LIGHT)
    assert [bar.x[0] for bar in figure.data] == [141, 2, 0, 96]
    assert figure.layout.xaxis.range == (0, 239)
    assert figure.layout.height == 12


def test_a_run_without_units_is_an_empty_bar():
    assert run_progress_bar(ProgressCounts(0, 0, 0, 0), theme=LIGHT).layout.xaxis.range == (0, 1)
