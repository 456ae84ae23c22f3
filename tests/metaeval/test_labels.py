"""Criteria whose labels have no order: hand-worked values, and no figure that an order would change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgelab.metaeval.agreement.agreement import agreement, human_ceiling
from judgelab.metaeval.agreement.baselines import NAMES
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, between_raters
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.core.aggregation import Aggregation, score_per_rater_and_unit
from judgelab.metaeval.core.result import TIED
from judgelab.metaeval.core.statistic_defaults import LABELS, defaults_for_scale, defaults_for_scales
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.scales import scale_from_json
from tests.metaeval.test_beside import frame

VERDICT = scale_from_json({"kind": "categorical", "labels": ["supported", "contradicted", "unclear"]})
FOUR = scale_from_json({"kind": "categorical", "labels": list("abcd")})
S, C, U = 1.0, 2.0, 3.0
# The fourth response has no majority.
RATINGS = {
    "ann": [S, C, U, S, C, S],
    "bo": [S, C, U, C, C, S],
    "cid": [S, U, S, U, C, C],
    "judge": [S, U, U, S, C, C],
}
SCORES = frame(RATINGS, {"judge": "judge"})
OF_LABELS = ("kappa", "exact", "alpha")


def measured(
    scores: pd.DataFrame = SCORES, scale: Any = VERDICT, **options: Any
) -> dict[tuple[str, str], Any]:
    tables = unit_tables(
        scores, scales={"answers": scale}, words=pd.Series(np.ones(scores["response"].nunique()))
    )
    rows = agreement(
        scores,
        scales={"answers": scale},
        **{"coefficients": OF_LABELS, "resamples": 200, "tables": tables, **options},
    )
    return {(row.rater, row.coefficient): row.estimate for row in rows}


def test_a_judge_is_compared_with_the_majority_by_equal_labels_alone() -> None:
    """Majorities S C U - C S beside S U U S C C: 3 of 5 are equal, by chance .4 * .2 + .4 * .4 + .2 * .4."""
    estimates = measured()
    assert estimates["judge", "exact"].value == pytest.approx(0.6)
    assert estimates["judge", "kappa"].value == pytest.approx((0.6 - 0.32) / (1 - 0.32))
    # Of the 10 values, S is 3, C is 4 and U is 3: 1 - 24/90 of the pairs differ by chance.
    assert estimates["judge", "alpha"].value == pytest.approx(1 - 0.4 / (1 - 24 / 90))
    assert estimates["judge", "kappa"].n == 5


def test_a_response_without_a_majority_is_left_out_and_said() -> None:
    estimate = measured()["judge", "kappa"]
    assert estimate.params["n_tied"] == 1
    phrase = "1 {} left out because its raters have no majority"
    assert phrase.format("response") in map(str, left_out(estimate))
    assert phrase.format("pair") in map(str, left_out(estimate, of_pairs=True))


def test_trivial_baselines_of_labels() -> None:
    """Of 18 ratings, S and C are 7 each and U is 4; S, rated first, is right on 2 of 5 majorities."""
    estimates = measured()
    assert estimates[NAMES["one_answer"], "exact"].value == pytest.approx(0.4)
    assert estimates[NAMES["prevalence"], "exact"].value == pytest.approx((7 * 2 + 7 * 2 + 4 * 1) / (18 * 5))
    assert estimates[NAMES["one_answer"], "kappa"].value == estimates[NAMES["prevalence"], "kappa"].value == 0
    assert not any(rater in (NAMES["length"], NAMES["brevity"]) for rater, _ in estimates)


def test_labels_drawn_by_prevalence_are_equal_to_single_ratings_as_often_as_their_squares_sum_to() -> None:
    alone = frame({"ann": [S, S, S, C, C, U], "judge": [S] * 6}, {"judge": "judge"})
    value = measured(alone)[NAMES["prevalence"], "exact"].value
    assert value == pytest.approx((1 / 2) ** 2 + (1 / 3) ** 2 + (1 / 6) ** 2)


def test_nominal_alpha_of_the_raters() -> None:
    """18 of the 36 ordered pairs within a response differ; of all 18 * 17 pairs of ratings 96 are equal."""
    tables = unit_tables(SCORES, scales={"answers": VERDICT})
    humans = tables[0].humans
    differing = 4 + 4 + 6 + 4  # ordered pairs: responses 2, 3, 4 and 6
    observed, expected = differing / 2 / 18, 1 - (7 * 6 + 7 * 6 + 4 * 3) / (18 * 17)
    assert krippendorff_alpha(humans.unit, humans.score, level="nominal").value == pytest.approx(
        1 - observed / expected
    )


ORDERED = sorted(set(COEFFICIENTS) - set(OF_LABELS))


@pytest.mark.parametrize("level", ["none", "item", "sys", "group", "system"])
def test_what_needs_an_order_is_undefined_with_the_reason(level: str) -> None:
    grouped = SCORES.assign(group="g")
    options: Any = {
        "scales": {"answers": VERDICT},
        "levels": (level,),
        "resamples": 0,
        "coefficients": ORDERED,
    }
    for row in (*agreement(grouped, **options), *human_ceiling(grouped, **options)):
        assert row.estimate.value is None
        assert row.estimate.reason == "the labels of 'answers' have no order"


def test_no_judges_are_compared_and_no_ceiling_is_drawn_by_a_correlation() -> None:
    other = SCORES[SCORES["rater"] == "judge"].assign(rater="other")
    scores = pd.concat([SCORES, other], ignore_index=True)
    (result,) = contrasts(scores, scales={"answers": VERDICT}, coefficient="spearman", resamples=20)
    assert set(result.left_out.values()) == {"the labels of 'answers' have no order"}
    comparison = compare_with_ceiling(
        SCORES, scales={"answers": VERDICT}, level="none", coefficients=["pearson", "mae"], resamples=0
    )
    assert all(part.value is None for row in comparison.rows for part in (row.estimate, row.raters))


def test_agreement_among_raters_needs_no_order_or_is_undefined() -> None:
    (table,) = unit_tables(SCORES, scales={"answers": VERDICT})
    plain = between_raters(table, VERDICT, resamples=0)
    defined = {name for name, estimate in plain.items() if estimate.value is not None}
    assert defined == {"percent", "cohen", "fleiss", "conger", "gwet", "brennan_prediger", "alpha_nominal"}
    weighted = between_raters(table, VERDICT, weights="quadratic", resamples=0)
    assert {name for name, e in weighted.items() if e.value is not None} == {"percent", "alpha_nominal"}
    assert set(INTER_RATER_COEFFICIENTS) == set(plain)


def test_runs_and_repeats_count_by_their_most_frequent_label() -> None:
    unit, rater = np.array([0, 0, 0, 1, 1]), np.zeros(5, dtype=np.int64)
    each = score_per_rater_and_unit(unit, rater, np.array([3.0, 1, 3, 1, 3]), ordered=False)
    assert each.unit.tolist() == [0] and each.score.tolist() == [3.0]
    runs = pd.concat([SCORES, SCORES[SCORES["rater"] == "judge"]] * 2, ignore_index=True)
    assert measured(runs)["judge", "kappa"].value == measured()["judge", "kappa"].value


@pytest.mark.parametrize("how", ["mean", "median", "trimmed", "z_mean"])
def test_no_way_of_averaging_reaches_labels(how: str) -> None:
    (table,) = unit_tables(SCORES, Aggregation(how), scales={"answers": VERDICT})
    assert table.aggregation == Aggregation("majority")
    assert np.array_equal(table.human_score, [S, C, U, np.nan, C, S], equal_nan=True)


@pytest.mark.parametrize("how", ["dawid_skene", "mace"])
def test_models_of_raters_reach_labels_and_their_ties_are_counted(how: str) -> None:
    rows = {"ann": [S, C, S, C], "bo": [C, S, S, C], "judge": [S, C, S, C]}
    scores = frame(rows, {"judge": "judge"})
    (table,) = unit_tables(scores, Aggregation(how), scales={"answers": VERDICT})
    assert table.aggregation == Aggregation(how)
    assert np.array_equal(table.human_score, [np.nan, np.nan, S, C], equal_nan=True) and table.tied == 2
    (row,) = agreement(
        scores, scales={"answers": VERDICT}, coefficients=("exact",), resamples=0, tables=[table]
    )
    assert (row.estimate.value, row.estimate.n, row.estimate.params[TIED]) == (1, 2, 2)


def test_a_model_of_raters_that_has_not_converged_is_said_beside_the_figure() -> None:
    """Two raters by chance: EM finds no end to who of them spams. Of the majority nothing is said."""
    pairs = [(S, S)] * 6 + [(S, C)] * 10 + [(C, S)] * 11 + [(C, C)] * 13
    rows = {"ann": [a for a, _ in pairs], "bo": [b for _, b in pairs], "judge": [S, C] * 20}
    scores, notes = frame(rows, {"judge": "judge"}), {}
    for how in ("majority", "mace"):
        tables = unit_tables(scores, Aggregation(how), scales={"answers": VERDICT})
        (row,) = agreement(
            scores, scales={"answers": VERDICT}, coefficients=("exact",), resamples=0, tables=tables
        )
        notes[how] = "; ".join(map(str, left_out(row.estimate)))
        assert ("labels_not_converged" in row.to_json()) == (how == "mace")
    said = "the model of raters has not converged, so their labels are uncertain"
    assert said in notes["mace"] and said not in notes["majority"]


def test_a_judge_whose_scores_are_no_labels_is_refused() -> None:
    between = frame({**RATINGS, "judge": [1.5, 3, 3, 1, 2, 2]}, {"judge": "judge"})
    assert measured(between)["judge", "kappa"].reason == "1 of 6 scores are not labels of the scale"


def test_defaults_of_labels_and_beside_other_scales() -> None:
    defaults = defaults_for_scale(VERDICT)
    assert (defaults.coefficients, defaults.wording) == (("kappa", "exact"), LABELS)
    assert defaults.level(10) == "none" and defaults.aggregation == Aggregation("majority")
    two = scale_from_json({"kind": "categorical", "labels": ["left", "right"]})
    assert defaults_for_scale(two) == defaults
    five = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
    mixed = defaults_for_scales([VERDICT, five])
    assert mixed.coefficient == "alpha" and mixed.level(10) == "none"
    assert defaults_for_scales([VERDICT, scale_from_json({"kind": "binary"})]).coefficient == "kappa"


@settings(max_examples=25, deadline=None)
@given(
    ratings=st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=6, max_size=14),
    order=st.permutations([1, 2, 3, 4]),
)
def test_the_order_in_which_labels_are_listed_changes_no_figure(ratings: Any, order: list[int]) -> None:
    columns = dict(zip(("ann", "bo", "cid", "judge"), map(list, zip(*ratings, strict=True)), strict=True))
    renamed = {name: [float(order[label - 1]) for label in labels] for name, labels in columns.items()}
    before, after = (frame(scores, {"judge": "judge"}) for scores in (columns, renamed))
    options: Any = {"scales": {"answers": FOUR}, "coefficients": OF_LABELS, "resamples": 50}
    for first, second in (
        (measured(before, FOUR), measured(after, FOUR)),
        tuple(
            {(r.rater, r.coefficient): r.estimate for r in human_ceiling(scores, **options)}
            for scores in (before, after)
        ),
    ):
        assert first.keys() == second.keys()
        for key, estimate in first.items():
            assert second[key].reason == estimate.reason
            assert second[key].value == pytest.approx(estimate.value)
            assert second[key].ci == (estimate.ci and pytest.approx(estimate.ci))
