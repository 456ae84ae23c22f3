"""What each scale accepts, says to a judge, and stores."""

from __future__ import annotations

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.scales import parse_scale, scale_from_json, scales, widened

ORDINAL = {
    "kind": "ordinal",
    "low": 0,
    "high": 3,
    "labels": {"0": "Irrelevant"},
    "anchors": {"3": "All of it."},
}
BINARY = {"kind": "binary", "no": "Wrong", "yes": "Right"}
CATEGORICAL = {"kind": "categorical", "labels": ["supported", "contradicted", "unclear"]}
NUMERIC = {"kind": "numeric", "low": 0.0, "high": 100.0, "high_label": "perfect"}


@pytest.mark.parametrize("data", [ORDINAL, BINARY, CATEGORICAL, NUMERIC], ids=lambda d: str(d["kind"]))
def test_json_is_read_back_as_an_equal_scale(data: dict[str, object]) -> None:
    assert scale_from_json(data).to_json() == data


@pytest.mark.parametrize("name", scales.names())
def test_every_kind_keeps_the_contract(name: str) -> None:
    kind = scales.get(name)
    defaults = {setting.name: setting.default for setting in kind.settings}
    scale = scale_from_json({"kind": name, **defaults})
    assert scale.to_json() == {"kind": name, **defaults}
    written = ":".join([name, *(setting.write(setting.default) for setting in kind.settings)])
    assert parse_scale(written) == {"kind": name, **defaults}
    assert kind.title and scale.describe() and scale.prompt_text()

    points = [point.value for point in scale.points()]
    assert points == sorted(set(points)) and len(points) != 1
    scores = points or [scale.low, (scale.low + scale.high) / 2, scale.high]
    assert (scores[0], scores[-1]) == (scale.low, scale.high)
    assert all(scale.reject(score) is None and scale.read(f"{score:g}") == score for score in scores)
    assert scale.reject(scale.low - 1) and scale.reject_mean(scale.high + 1)
    if scale.widget == "points":
        assert set(points) <= set(range(10)), "one digit key per point"
    if scale.step() is not None:
        assert points == pytest.approx([scale.low + place * scale.step() for place in range(len(points))])

    if not scale.ordered or scale.widget == "spans":
        with pytest.raises(InvalidInput, match="no ends|scores depend on them"):
            widened({"kind": name, **defaults}, low=scale.low - 1, high=scale.high + 1)
        return
    wider = scale_from_json(widened({"kind": name, **defaults}, low=scale.low - 1, high=scale.high + 1))
    assert (wider.low, wider.high) == (scale.low - 1, scale.high + 1)
    assert all(wider.reject(score) is None for score in scores)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("1:5", {"kind": "ordinal", "low": 1, "high": 5}),
        ("0:100", {"kind": "numeric", "low": 0.0, "high": 100.0}),
        ("0:0.5", {"kind": "numeric", "low": 0.0, "high": 0.5}),
        ("number:0:1", {"kind": "numeric", "low": 0.0, "high": 1.0}),
        ("Yes/No", {"kind": "binary", "no": "No", "yes": "Yes"}),
        ("categorical:a, b,c", {"kind": "categorical", "labels": ["a", "b", "c"]}),
        ("binary:Wrong:Right", {"kind": "binary", "no": "Wrong", "yes": "Right"}),
    ],
)
def test_a_scale_is_read_as_people_write_it(text: str, data: dict[str, object]) -> None:
    assert parse_scale(text) == data


@pytest.mark.parametrize(
    ("data", "good", "bad"),
    [
        (ORDINAL, [0, 1, 2, 3], [-1, 4, 1.5]),
        (BINARY, [0, 1], [0.5, 2]),
        (CATEGORICAL, [1, 2, 3], [0, 1.5, 4]),
        (NUMERIC, [0, 33.3, 100], [-1, 100.1]),
    ],
)
def test_scores_off_the_scale_are_rejected_with_the_reason(
    data: dict[str, object], good: list[float], bad: list[float]
) -> None:
    scale = scale_from_json(data)
    assert [scale.reject(v) for v in good] == [None] * len(good)
    assert all(scale.reject(v) for v in bad)


def test_a_mean_may_lie_between_points_but_not_outside() -> None:
    scale = scale_from_json(ORDINAL)
    assert scale.reject_mean(1.6666666666666667) is None
    assert scale.reject_mean(3.01) == "3.01 is outside 0 to 3"


@pytest.mark.parametrize(("cell", "value"), [("Yes", 1.0), (" no ", 0.0), ("correct", 1.0), ("1", 1.0)])
def test_binary_reads_the_usual_words(cell: str, value: float) -> None:
    assert scale_from_json(BINARY).read(cell) == value


def test_what_is_no_score_is_said() -> None:
    with pytest.raises(InvalidInput, match="'maybe' is neither yes nor no"):
        scale_from_json(BINARY).read("maybe")
    with pytest.raises(InvalidInput, match="'n/a' is not a number"):
        scale_from_json(ORDINAL).read("n/a")


def test_a_judge_reads_every_point() -> None:
    assert scale_from_json(ORDINAL).prompt_text() == "0 = Irrelevant\n1\n2\n3 = All of it."


def test_scales_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 to 21 whole points"):
        scale_from_json({"kind": "ordinal", "low": 3, "high": 3})
    with pytest.raises(InvalidInput, match="low < high"):
        scale_from_json({"kind": "numeric", "low": 5, "high": 1})
    with pytest.raises(NotFound, match="Did you mean 'ordinal'"):
        scale_from_json({"kind": "ordnal", "low": 0, "high": 3})


def test_long_scales_are_entered_as_a_number() -> None:
    assert scale_from_json({"kind": "ordinal", "low": 0, "high": 10}).widget == "number"
    assert scale_from_json({"kind": "ordinal", "low": 5, "high": 12}).widget == "number", "no key is 12"
    assert scale_from_json(ORDINAL).widget == "points"


def test_labels_without_order_are_read_by_word_or_number_and_have_no_mean() -> None:
    scale = scale_from_json(CATEGORICAL)
    assert [scale.read(cell) for cell in ("Contradicted", " unclear", "1")] == [2, 3, 1]
    with pytest.raises(InvalidInput, match="'maybe' is not one of the labels supported, contr"):
        scale.read("maybe")
    assert scale.reject_mean(1.5) and not scale.ordered
    assert scale.describe() == "labels without order: supported, contradicted, unclear"
    assert scale.prompt_text() == "1 = supported\n2 = contradicted\n3 = unclear"
    assert [scale.label_of(score) for score in (1, 3, 4)] == ["supported", "unclear", ""]


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (["one"], "2 to 9 labels, not 1"),
        ([f"label {n}" for n in range(10)], "2 to 9 labels, not 10"),
        (["yes", "Yes"], "differ in more than upper and lower case"),
        (["yes", "2"], "'2' can't be a label"),
        (["yes", "no, not"], "contains a comma"),
        ("yes", "must be a list"),
    ],
)
def test_labels_that_cannot_be_are_refused(labels: object, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        scale_from_json({"kind": "categorical", "labels": labels})


@pytest.mark.parametrize("label", ["a|b", "a; b", "None of these"])
def test_labels_of_a_set_can_be_told_apart_in_a_cell(label: str) -> None:
    scale_from_json({"kind": "categorical", "labels": ["clear", label]})
    with pytest.raises(InvalidInput, match="one of several labels"):
        scale_from_json({"kind": "categorical", "labels": ["clear", label], "several": True})
