"""Judges against published worked examples: tests, ties, systems, stand-in, people and judge together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.coefficients.reliability import disattenuated, reliability
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.alternative_annotator import alternative_annotator
from judgelab.metaeval.inference.multiplicity import adjusted
from judgelab.metaeval.inference.significance import mcnemar, meng, steiger, williams
from judgelab.metaeval.judges.bradley_terry import bradley_terry, strengths
from judgelab.metaeval.judges.calibration import calibration
from judgelab.metaeval.judges.corrected_share import rogan_gladen
from judgelab.metaeval.judges.position import position_bias
from judgelab.metaeval.judges.prediction_powered import powered_mean
from judgelab.metaeval.judges.system_pairs import system_decisions
from judgelab.metaeval.judges.ties import difference_correlation, kendall_like, pair_counts, tie_calibration

Golden = Callable[[str], dict[str, Any]]
ALTTEST = {  # published in the authors' notebook: winning rate and advantage probability
    ("mtbench", "accuracy", 0.2): {
        "gemini_flash": (0, 0.7189), "gemini_pro": (0, 0.7645), "gpt-4o": (0, 0.7728),
        "llama-31": (0, 0.6872), "gpt-4o-mini": (0, 0.7355), "mistral-v03": (0, 0.6832),
    },
    ("cebab_stars", "neg_rmse", 0.1): {
        "gemini_flash": (0.6, 0.8215), "gemini_pro": (0.8, 0.8666), "gpt-4o": (0.9, 0.8986),
        "llama-31": (0.6, 0.8532), "gpt-4o-mini": (0.9, 0.8941), "mistral-v03": (0.5, 0.8291),
    },
}  # fmt: skip
SUMMEVAL = {
    "gemini_flash": 0.46, "gemini_pro": 0.44, "gpt-4o": 0.48,
    "llama-31": 0.58, "gpt-4o-mini": 0.54, "mistral-v03": 0.62,
}  # fmt: skip


def labels(
    humans: dict[str, dict[str, Any]], judge: dict[str, Any]
) -> tuple[Rated, np.ndarray, tuple[str, ...]]:
    """Human labels and a judge's as arrays; words become numbers."""
    items = sorted({item for labels_of_rater in humans.values() for item in labels_of_rater})
    number_of = {item: number for number, item in enumerate(items)}
    words: dict[Any, float] = {}

    def code(label: Any) -> float:
        return words.setdefault(label, float(len(words))) if isinstance(label, str) else float(label)

    rows = [
        (number_of[i], k, code(v))
        for k, labels_of_rater in enumerate(humans.values())
        for i, v in labels_of_rater.items()
    ]
    unit, rater, score = (np.array(column) for column in zip(*rows, strict=True))
    scores = np.full(len(items), np.nan)
    for item, label in judge.items():
        if item in number_of:
            scores[number_of[item]] = code(label)
    return Rated(unit, rater, score), scores, tuple(humans)


def test_dependent_correlations(golden: Golden) -> None:
    for example in golden("dependent_correlations")["examples"]:
        arguments = [example[key] for key in ("r12", "r13", "r23", "n")]
        computed = example["computed"]
        t = williams(*arguments)
        assert t.statistic == pytest.approx(computed["t"], abs=1e-9)
        assert t.p == pytest.approx(computed.get("p_two", 2 * computed.get("p_one", 0)), abs=1e-9)
        for test, key in ((steiger, "steiger_z"), (meng, "meng_z")):
            result = test(*arguments)
            assert (result.statistic, result.p) == pytest.approx(tuple(computed[key]), abs=1e-9)
    swapped = williams(0.4, 0.5, 0.1, 103)
    assert swapped.statistic == pytest.approx(-williams(0.5, 0.4, 0.1, 103).statistic)
    assert williams(0.5, 0.4, 1.0, 50).p is None and williams(0.5, 0.4, 0.1, 3).p is None


def test_corrections_of_benjamini_and_hochberg_1995(golden: Golden) -> None:
    file = golden("multiple_testing")
    for key, name in (("bonferroni",) * 2, ("holm",) * 2, ("fdr_bh", "bh"), ("fdr_by", "by")):
        p_values = adjusted(file["p"], name)
        assert p_values == pytest.approx(np.array(file["computed"][key]["adjusted"]), abs=1e-9)
        assert int((p_values < file["alpha"]).sum()) == file["computed"][key]["rejects"]
    assert np.isnan(adjusted([0.01, np.nan, 0.04], "holm")[1])
    assert adjusted([0.01, np.nan, 0.04], "holm")[[0, 2]] == pytest.approx([0.02, 0.04])
    assert len(adjusted([], "bh")) == 0


def test_ties_of_deutsch_2023(golden: Golden) -> None:
    ties = golden("wmt_levels_and_ties")["ties"]
    human, metric = np.array(ties["human"], float), np.array(ties["metric"], float)
    for epsilon, key in ((0.0, "eps0"), (2.0, "eps2")):
        counts, want = pair_counts(human, metric, epsilon=epsilon), ties["computed"][key]
        assert tuple(counts) == tuple(want[k] for k in ("C", "D", "T_h", "T_m", "T_hm"))
        assert counts.acc_eq == pytest.approx(want["acc_eq"]) and counts.tau_23 == pytest.approx(
            want["tau_23"]
        )
    best = tie_calibration(human, metric)
    assert (best.epsilon, best.accuracy.value) == pytest.approx((0.5, 0.7))
    assert best.uncalibrated.value == pytest.approx(0.6) and best.all_ties.value == pytest.approx(0.1)
    once = COEFFICIENTS["tau_c"].rows(human[None], metric[None])[0]
    assert once == pytest.approx(ties["computed"]["c"])


def test_other_pair_measures_of_the_wmt(golden: Golden) -> None:
    file = golden("wmt_levels_and_ties")
    like = file["kendall_like"]
    human, metric = np.array(like["human"], float), np.array(like["metric"], float)
    for threshold, key in ((25, "thresh25"), (1, "thresh1")):
        assert kendall_like(human, metric, threshold=threshold).value == pytest.approx(like["published"][key])
    levels = file["levels"]
    h, m = (np.array(levels[k], float) for k in ("human_sys_by_item", "metric_sys_by_item"))
    correlation = difference_correlation(h.ravel(), m.ravel(), np.tile(np.arange(3), 2))
    assert correlation.value == pytest.approx(levels["published"]["pdp_pearson_item"], abs=5e-4)


def test_soft_pairwise_accuracy_tries_all_signs(golden: Golden) -> None:
    spa = golden("wmt_levels_and_ties")["spa"]
    h, m = (np.array(spa[key], float) for key in ("human_sys_by_item", "metric_sys_by_item"))
    decisions = system_decisions(
        h.ravel(), m.ravel(), item=np.tile(np.arange(3), 2), system=np.repeat([0, 1], 3), names=("a", "b")
    )
    assert decisions.soft.value == pytest.approx(0.875)
    assert decisions.soft.value == pytest.approx(spa["published_random_1000_perms_seed4"], abs=0.02)
    assert (decisions.pairs[0].better, decisions.pairs[0].human_p) == ("b", pytest.approx(1 / 8))
    assert decisions.accuracy.value == 1.0 and not decisions.wrong


def test_tables_of_systems_of_qa_eval(golden: Golden) -> None:
    file = golden("qa_eval_table1_table2")
    scores = dict(zip(file["columns"], np.array(file["scores"]).T, strict=True))
    for judge, want in file["computed_from_rounded"].items():
        for name, key in (
            ("spearman",) * 2,
            ("kendall", "kendall_b"),
            ("tau_c", "kendall_c"),
            ("pearson",) * 2,
        ):
            value = COEFFICIENTS[name].rows(scores["human"][None], scores[judge][None])[0]
            assert value == pytest.approx(want[key], abs=1e-9)


def test_alternative_annotator_synthetic(golden: Golden) -> None:
    file = golden("alt_test_synthetic")
    humans = {name: {f"i{k:02}": v for k, v in enumerate(scores)} for name, scores in file["humans"].items()}
    rated, judge, names = labels(humans, {f"i{k:02}": v for k, v in enumerate(file["llm"])})
    for want in file["expected"]:
        result = alternative_annotator(
            rated, judge, names=names, scoring=want["scoring"], epsilon=want["epsilon"]
        )
        assert result.winning_rate.value == pytest.approx(want["winning_rate"])
        assert result.advantage.value == pytest.approx(want["advantage_prob"], abs=1e-9)
        for human in result.humans:
            assert human.test.p == pytest.approx(want["p_values"][human.rater], abs=1e-9)
            assert human.judge_as_good.value == pytest.approx(want["advantage"][human.rater], abs=1e-9)


@pytest.mark.parametrize("case", ALTTEST, ids=lambda case: case[0])
def test_alternative_annotator_as_published(datasets: Path, case: tuple[str, str, float]) -> None:
    name, scoring, epsilon = case
    folder = datasets / "alttest-labels"
    humans = json.loads((folder / f"{name}_human_annotations.json").read_text())
    judges = json.loads((folder / f"{name}_llm_annotations.json").read_text())
    for judge, (rate, advantage) in ALTTEST[case].items():
        rated, scores, names = labels(humans, judges[judge])
        result = alternative_annotator(rated, scores, names=names, scoring=scoring, epsilon=epsilon)
        assert result.winning_rate.value == pytest.approx(rate)
        assert result.advantage.value == pytest.approx(advantage, abs=5.1e-5)
        assert result.passed is (rate >= 0.5)


def test_alternative_annotator_compares_every_label_of_framing(datasets: Path) -> None:
    folder = datasets / "alttest-labels"
    humans = json.loads((folder / "framing_human_annotations.json").read_text())
    judge = json.loads((folder / "framing_llm_annotations.json").read_text())["llama-31"]
    usual = {
        name: {i: v for i, v in labelled.items() if v in ("yes", "no")} for name, labelled in humans.items()
    }
    for labelled, rate in ((humans, 0.5), (usual, 0.0)):  # published: .50, passed
        rated, scores, names = labels(labelled, judge)
        result = alternative_annotator(rated, scores, names=names, scoring="accuracy", epsilon=0.15)
        assert (result.winning_rate.value, result.passed) == (pytest.approx(rate), rate >= 0.5)


def test_alternative_annotator_of_summeval_pools_the_criteria(summeval: pd.DataFrame) -> None:
    unit = pd.factorize(summeval["response"].astype(str) + summeval["criterion"])[0]
    human = (summeval["rater_kind"] == "human").to_numpy()
    rater, names = pd.factorize(summeval.loc[human, "rater"])
    rated = Rated(unit[human], rater, summeval.loc[human, "score"].to_numpy())
    for judge, advantage in SUMMEVAL.items():
        own = (summeval["rater"] == judge).to_numpy()
        scores = np.full(int(unit.max()) + 1, np.nan)
        scores[unit[own]] = summeval.loc[own, "score"]
        result = alternative_annotator(rated, scores, names=tuple(names), epsilon=0.2)
        assert result.winning_rate.value == 0 and result.advantage.value == pytest.approx(
            advantage, abs=0.005
        )


def test_alternative_annotator_without_enough_units_says_so() -> None:
    rated = Rated(np.repeat(np.arange(5), 2), np.tile([0, 1], 5), np.ones(10))
    result = alternative_annotator(rated, np.ones(5), names=("a", "b"))
    assert result.passed is None and result.winning_rate.value is None and result.too_few == {"a": 5, "b": 5}
    assert result.winning_rate.reason == (
        "every rater scored fewer than 30 of the responses that the judge and another rater scored"
    )
    of_pairs = alternative_annotator(rated, np.ones(5), names=("a", "b"), of_pairs=True)
    assert of_pairs.winning_rate.reason == (
        "every rater compared fewer than 30 of the pairs that the judge and another rater compared"
    )
    of_few = alternative_annotator(rated, np.ones(5), names=("a", "b"), least=2, epsilon=0.0)
    assert of_few.humans[0].test.p is None and not of_few.humans[0].beaten


def test_bradley_terry_of_stiglers_journals(golden: Golden) -> None:
    file = golden("bradley_terry_citations")
    fit = bradley_terry(np.array(file["wins_row_over_col"]), file["journals"])
    value = np.array([fit.strength[name].value for name in file["journals"]])
    assert value - value[0] == pytest.approx(np.array(file["computed_log_ability_vs_first"]), abs=1e-6)
    turned = bradley_terry(np.array(file["wins_row_over_col"]).T, file["journals"])
    assert [turned.strength[n].value for n in file["journals"]] == pytest.approx(-value, abs=1e-6)


def test_bradley_terry_flags_a_fit_that_would_run_away() -> None:
    winner = bradley_terry(np.array([[0, 3], [0, 0]]), ["a", "b"])
    assert winner.prior > 0 and (winner.strength["a"].value or 0) > 0
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 2
    assert "never compared" in (bradley_terry(apart, list("abcd")).reason or "")
    first, second, won = np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1.0, 1.0, 0.5])
    resampled = strengths(first, second, won, ["a", "b"], item=np.arange(3), draws=ItemDraws(3, 50, 0))
    assert resampled.strength["a"].value == pytest.approx(0.0) and resampled.strength["a"].ci is not None


def test_people_and_a_judge_together(golden: Golden) -> None:
    file = golden("ppi_and_rogan_gladen")
    table, want = np.array(file["labelled_human_by_judge_2x2"]), file["expected"]
    human = np.repeat([0.0, 0.0, 1.0, 1.0], table.ravel())
    judge = np.repeat([0.0, 1.0, 0.0, 1.0], table.ravel())
    unlabelled = np.repeat(
        [1.0, 0.0], [file["unlabelled_positive"], file["unlabelled_n"] - file["unlabelled_positive"]]
    )
    assert powered_mean(human, judge, unlabelled, weight=0).powered.ci == pytest.approx(
        want["classical_lam0"], abs=1e-9
    )
    plain = powered_mean(human, judge, unlabelled, weight=1).powered
    assert plain.value == pytest.approx(want["ppi_lam1_point"]) and plain.ci == pytest.approx(
        want["ppi_lam1_ci"]
    )
    tuned = powered_mean(human, judge, unlabelled)
    assert tuned.powered.ci == pytest.approx(want["ppi_pp_tuned_ci"], abs=1e-9) and (tuned.gain or 0) > 1
    share = rogan_gladen(human > 0, judge > 0, unlabelled > 0)
    assert share.value == pytest.approx(want["rogan_gladen_point"]) and share.params["tpr"] == pytest.approx(
        want["tpr"]
    )
    assert "chance" in (rogan_gladen(human > 0, judge < 1, unlabelled > 0).reason or "")
    assert powered_mean(human[:1], judge[:1], unlabelled).powered.value is None


def test_calibration_and_position(golden: Golden) -> None:
    file = golden("calibration_and_position")
    ece = file["ece"]
    confidence, right = np.array(ece["confidence"]), np.array(ece["correct"], float)
    for bins, key in ((5, "ece_5_equal_width"), (10, "ece_10_equal_width")):
        calibrated = calibration(confidence, right, bins=bins, kind="width", least=1, resamples=50)
        assert calibrated.ece.value == pytest.approx(ece[key]) and calibrated.brier.value == pytest.approx(
            ece["brier"]
        )
        assert calibrated.by_chance.value is not None
    assert "200" in (calibration(confidence, right).ece.reason or "")
    position, slot = file["position"], {"A": "first", "B": "second", "T": "tie"}
    run1, run2 = ([slot[x] for x in position[run]] for run in ("run1", "run2_swapped"))
    want, bias = position["expected"], position_bias(run1, run2, human=run1)
    assert bias.consistency.value == pytest.approx(want["consistency"])
    assert bias.first_rate.value == pytest.approx(want["first_slot_rate_no_ties"], abs=1e-9)
    assert bias.first_test.p == pytest.approx(want["binom_two_sided_p"], abs=1e-9)
    assert [bias.always_first, bias.always_second] == want["mcnemar_discordant"]
    assert bias.accuracy_consistent.value == 1.0


def test_reliability_of_the_mean_of_raters() -> None:
    of_three = reliability(Estimate(0.5, ci=(0.4, 0.6), n=3), 3)
    assert of_three.of_mean.params["formula"] == "spearman_brown"
    assert (of_three.of_mean.value, of_three.ceiling.value) == pytest.approx((0.75, 0.8660254))
    assert disattenuated(Estimate(0.780), of_three.of_mean).value == pytest.approx(0.9007, abs=1e-4)
    assert disattenuated(Estimate(0.99), of_three.of_mean).value == 1.0
    assert reliability(Estimate(0.03), 2).ceiling.value is None


def test_mcnemar_is_the_sign_test_of_the_discordant() -> None:
    first, second = np.repeat([1, 1, 0, 0], [20, 8, 2, 5]), np.repeat([1, 0, 1, 0], [20, 8, 2, 5])
    comparison = mcnemar(first, second)
    assert (comparison.only_first, comparison.only_second) == (8, 2) and comparison.test.p == pytest.approx(
        0.109375
    )
    assert mcnemar([], []).test.p is None
