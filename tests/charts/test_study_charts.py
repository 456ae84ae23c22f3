from judgelab.charts.label_places import text_positions
from judgelab.charts.study import ReplicatedNumber, SystemMark, replication_forest, systems_scatter
from judgelab.charts.tokens import LIGHT


def test_names_of_close_marks_are_written_at_different_sides():
    marks = [
        SystemMark("lead", 4.6, 5.0),
        SystemMark("abstract", 4.65, 5.0),
        SystemMark("telegraph", 2.7, 2.5),
    ]
    (trace,) = systems_scatter(marks, title="A", theme=LIGHT).data
    assert list(trace.textposition) == ["top center", "bottom center", "top center"]


def test_a_name_stays_inside_the_plot():
    places = [(0.0, 0.5), (1.0, 0.5)]
    at = text_positions(["a long name here"] * 2, places, limits=(0, 1), height=200)
    assert at == ["middle right", "middle left"]


def test_a_row_without_a_number_says_why_away_from_the_printed_one():
    rows = [
        ReplicatedNumber("a", None, None, None, missing="no value"),
        ReplicatedNumber("b", 0.1, None, None, missing="other settings"),
        ReplicatedNumber("c", 0.9, None, None, missing="<b>"),
        ReplicatedNumber("d", None, 0.5, None, missing="not written"),
    ]
    notes = replication_forest(rows, title="", theme=LIGHT, limits=(0, 1)).layout.annotations
    assert [(note.text, note.x) for note in notes] == [
        ("no value", 0),
        ("other settings", 1),
        ("&lt;b&gt;", 0),
    ]
