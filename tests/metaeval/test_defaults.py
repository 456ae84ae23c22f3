import pytest

from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.core.statistic_defaults import (
    ANSWERS,
    NUMBERS,
    POINTS,
    defaults_for_scale,
    defaults_for_scales,
)
from judgelab.scales import scale_from_json

YES_NO = scale_from_json({"kind": "binary"})
ONE_TO_TWO = scale_from_json({"kind": "ordinal", "low": 1, "high": 2})
STARS = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
FINE = scale_from_json({"kind": "ordinal", "low": 0, "high": 20})
SHARE = scale_from_json({"kind": "numeric", "low": 0, "high": 1})


@pytest.mark.parametrize(
    ("scale", "coefficient", "wording", "baselines"),
    [
        (YES_NO, "kappa", ANSWERS, ("one_answer", "prevalence")),
        (ONE_TO_TWO, "kappa", ANSWERS, ("one_answer", "prevalence")),
        (STARS, "spearman", POINTS, ("length",)),
        (FINE, "spearman", NUMBERS, ("length",)),
        (SHARE, "spearman", NUMBERS, ("length",)),
    ],
)
def test_a_scale_has_its_coefficient_wording_and_baselines(scale, coefficient, wording, baselines):
    defaults = defaults_for_scale(scale)
    assert (defaults.coefficient, defaults.wording, defaults.baselines) == (coefficient, wording, baselines)
    assert defaults.aggregation.method == "mean" and set(defaults.coefficients) <= set(COEFFICIENTS)


def test_responses_are_ranked_within_items_from_three_rated_ones_on_but_never_two_answers():
    assert [defaults_for_scale(STARS).level(rated) for rated in (0, 1, 2, 3, 16)] == ["none"] * 3 + [
        "item"
    ] * 2
    assert defaults_for_scale(YES_NO).level(16) == "none"


def test_a_project_of_several_scales_has_one_coefficient_and_every_baseline():
    mixed = defaults_for_scales([STARS, YES_NO])
    assert (mixed.coefficient, mixed.wording, mixed.level(3)) == ("spearman", POINTS, "item")
    assert mixed.baselines == ("length", "one_answer", "prevalence")
    assert defaults_for_scales([YES_NO, ONE_TO_TWO]) == defaults_for_scale(YES_NO)
    assert defaults_for_scales([YES_NO, SHARE]).wording == NUMBERS
    assert defaults_for_scales([]).coefficient == "spearman", "a project without criteria opens, too"
