from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.metaeval.agreement.vs_ceiling_rows import BestBaseline, VsCeilingRow
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge
from judgelab.metaeval.inference.significance import Test
from judgelab.ui.shared import findings
from judgelab.ui.shared.agreement_answer import agreement_answer
from judgelab.ui.shared.comparison_answer import ranking_sentence

CEILING = Estimate(0.74, ci=(0.67, 0.79), n=217)
NOT_KNOWN = undefined("no response or pair has two human ratings")


def row(rater: str, value: float, ci: tuple[float, float], difference=(-0.04, (-0.10, 0.02))) -> VsCeilingRow:
    judge_difference, raters = Estimate(difference[0], ci=difference[1]), Estimate(value - difference[0])
    judge = Estimate(value, ci=ci, n=214)
    return VsCeilingRow(rater, "judge", "answers", "none", "spearman", judge, raters, judge_difference)


BEST = row("ELECT", 0.70, (0.62, 0.77))
FAR = row("Direct", 0.40, (0.30, 0.50), (-0.34, (-0.43, -0.23)))


def test_the_answer_names_the_best_judge_the_ceiling_and_what_may_be_chance():
    assert agreement_answer([FAR, BEST], CEILING) == (
        "Of 2 judges, **ELECT** **agrees best with the raters: ρ 0.70** [0.62, 0.77], n = 214. The raters "
        "agree with one another at **0.74** [0.67, 0.79]; the judge's difference from them, −0.04 "
        "[−0.10, 0.02], is not significant."
    )


def test_where_the_judge_scored_less_the_raters_are_named_on_the_same():
    with_fewer_responses = row("ELECT", 0.70, (0.62, 0.77), (-0.10, (-0.20, 0.01)))
    sentence = agreement_answer([with_fewer_responses], CEILING)
    assert (
        "The raters agree with one another at **0.80** on the same responses (at 0.74 [0.67, 0.79] on all); "
        "the judge's difference from them, −0.10"
    ) in sentence
    assert with_fewer_responses.raters_elsewhere(CEILING, digits=2) == pytest.approx(0.80)
    assert BEST.raters_elsewhere(CEILING, digits=2) is None, "0.70 + 0.04 is what is printed"
    assert with_fewer_responses.raters_elsewhere(NOT_KNOWN, digits=2) is None


def test_raters_with_another_interval_on_the_judge_s_responses_are_named_with_it():
    there = replace(BEST, raters=Estimate(0.741, ci=(0.66, 0.79)))
    assert (
        "The raters agree with one another at **0.74** [0.66, 0.79] on the same responses "
        "(at 0.74 [0.67, 0.79] on all);"
    ) in agreement_answer([there], CEILING)


def test_overlapping_intervals_are_not_ranked_as_if_settled():
    overlapping = row("G-Eval", 0.65, (0.55, 0.71))
    sentence = agreement_answer([overlapping, BEST], CEILING)
    assert "; its interval overlaps that of “G\\-Eval”." in sentence


def test_judges_with_the_same_value_are_tied_and_none_of_them_leads():
    same = row("Learned", 0.70 + 1e-16, (0.60, 0.75))
    sentence = agreement_answer([BEST, same, row("G-Eval", 0.65, (0.55, 0.71))], CEILING)
    assert "n = 214, tied with “Learned”; its interval overlaps that of “G\\-Eval”." in sentence
    placed = tuple(
        RankedJudge(name, "judge", Estimate(value, ci=(0.5, 0.9), n=9), 1, 9)
        for name, value in (("a", 0.70), ("b", 0.70), ("c", 0.65))
    )
    tied = "“a” and “b” are tied for first place (ρ **0.70**, n = 9 responses)."
    assert ranked(placed, ("a", "c", 0.2), ("b", "c", 0.2)) == (
        f"{tied} Not all of their leads over “c” are significant."
    )
    assert ranked(placed, ("a", "c", 0.2), ("b", "c", None)) == (
        f"{tied} Not all of their leads over “c” were tested."
    )


def test_all_the_others_behind_are_the_others():
    placed = tuple(
        RankedJudge(name, "judge", Estimate(value, ci=(0.5, 0.9), n=9), 1, 9)
        for name, value in (("a", 0.70), ("b", 0.50), ("c", 0.40))
    )
    assert ranked(placed, ("a", "b", 0.01), ("a", "c", 0.01)).endswith(
        " The 2 others are significantly behind."
    )
    assert ranked(placed[:2], ("a", "b", 0.01)).endswith(" “b” is significantly behind.")


def test_a_lead_without_a_test_is_not_said_to_be_insignificant():
    placed = tuple(
        RankedJudge(name, "judge", Estimate(value, ci=(0.5, 0.9), n=9), 1, 9)
        for name, value in (("a", 0.70), ("b", 0.68), ("c", 0.65), ("d", 0.30))
    )
    assert ranked(placed, ("a", "b", 0.2), ("a", "c", None), ("a", "d", 0.01)).endswith(
        "Its lead over “b” is not significant; its lead over “c” was not tested; 1 other is "
        "significantly behind."
    )
    assert ranked(placed[:2]).endswith(" Its lead over “b” was not tested."), "no pair at all"


def pair_table() -> None:
    from judgelab.metaeval.core.result import Estimate, undefined
    from judgelab.metaeval.inference.contrasts import Contrast, Contrasts, RankedJudge
    from judgelab.metaeval.inference.significance import Test
    from judgelab.ui.agree.compare_view import draw_pair_table

    reasons = ["equal scores", "equal scores", "one item", None]
    pairs = tuple(
        Contrast("a", f"b{k}", undefined("x"), Test("p", None if why else 0.2, n=9, reason=why), None)
        for k, why in enumerate(reasons)
    )
    placed = tuple(
        RankedJudge(name, "judge", Estimate(0.5, n=9), 1, 9) for name in ("a", *(f"b{k}" for k in range(4)))
    )
    draw_pair_table(Contrasts("q", "none", "spearman", placed, pairs, 9, 0, {}), tests_description="t test")


def test_pairs_without_a_test_are_counted_by_the_reason():
    at = AppTest.from_function(pair_table).run()
    captions = [caption.value.replace("\\", "") for caption in at.caption]
    assert "2 comparisons were not tested: equal scores." in captions
    assert "1 comparison was not tested: one item." in captions


def test_the_head_of_a_column_begins_with_a_capital_unless_it_is_a_letter():
    keys = ("exact", "qwk", "spearman", "kendall", "pearson", "kappa")
    heads = ["Exact agreement", "Quadratic-weighted κ", "ρ", "τ-b", "r", "κ"]
    assert [findings.symbol_heading(key) for key in keys] == heads


def ranked(placed: tuple[RankedJudge, ...], *pairs: tuple[str, str, float | None]) -> str:
    compared = tuple(
        Contrast(
            first,
            second,
            Estimate(0.02, n=9),
            Test("p", p, n=9),
            first if p is not None and p < 0.05 else None,
        )
        for first, second, p in pairs
    )
    found = Contrasts("q", "none", "spearman", placed, compared, 9, 0, {})
    return ranking_sentence(found, coefficient="spearman")


def test_without_two_raters_a_response_the_answer_says_so():
    rows = [replace(BEST, difference=NOT_KNOWN)]
    sentence = agreement_answer(rows, NOT_KNOWN)
    assert sentence.endswith(
        "The raters' own agreement can't be computed: no response or pair has two human ratings."
    )


def test_an_undefined_agreement_is_a_sentence_with_its_reason():
    rows = [replace(BEST, estimate=undefined("all its scores are the same"))]
    assert "can't be computed: all its scores are the same" in agreement_answer(rows, CEILING)


def test_no_judge_and_no_metric_is_said():
    assert agreement_answer([], None).startswith("No judge or metric")


def test_a_name_from_a_file_is_no_markdown():
    assert "![x]" not in agreement_answer([replace(BEST, rater="![x](http://e.org/x.png)")], CEILING)


def test_for_an_error_the_smallest_is_the_best_and_a_larger_one_is_below():
    small = replace(row("a", 0.2, (0.1, 0.3)), coefficient="mae")
    large = replace(row("b", 0.9, (0.8, 1.0), (0.5, (0.4, 0.6))), coefficient="mae")
    assert findings.rank_order([large, small]) == [1, 0]
    assert findings.verdict(large) == "below"


def beside_word_count(
    row: VsCeilingRow, value: float, ci: tuple[float, float], raters=(-0.3, -0.2)
) -> VsCeilingRow:
    assert row.estimate.value is not None
    least = BestBaseline(
        "length", Estimate(value), Estimate(row.estimate.value - value, ci=ci), Estimate(-0.25, ci=raters)
    )
    return replace(row, baseline=least)


def test_the_answer_never_leaves_out_the_best_baseline():
    better = beside_word_count(BEST, 0.312, (0.2, 0.5))
    sentence = agreement_answer([better], CEILING)
    assert sentence.endswith(
        " is significantly better than word count alone (0.31) on the same responses, by 0.39 [0.20, 0.50]."
    )
    assert findings.verdict(better) == "no significant difference"
    level = beside_word_count(BEST, 0.65, (0.0, 0.1))
    sentence = agreement_answer([level], CEILING)
    assert sentence.endswith(
        " is not significantly better than word count alone (0.65) on the same responses: "
        "difference +0.05 [0.00, 0.10]."
    )
    assert findings.verdict(level) == "not significantly better than a baseline", "a lower bound of 0 is none"
    word_count_agrees = beside_word_count(BEST, 0.65, (-0.1, 0.1), raters=(-0.09, 0.02))
    sentence = agreement_answer([word_count_agrees], CEILING)
    assert (
        "However, word count alone (0.65) agrees with the raters as well as they agree with one another"
        in sentence
    )
    above_raters = beside_word_count(row("ELECT", 0.80, (0.7, 0.9), (0.06, (0.01, 0.1))), 0.9, (-0.2, 0.0))
    assert findings.verdict(above_raters) == "not significantly better than a baseline"
    assert findings.verdict(beside_word_count(FAR, 0.1, (0.2, 0.4))) == "below"
    smaller = beside_word_count(above_raters, 0.9, (-0.2, -0.01))
    error = replace(smaller, coefficient="mae", difference=Estimate(-0.1, ci=(-0.2, -0.05)))
    assert findings.verdict(error) == "above", "for an error, a difference below 0 is the better"


def test_a_verdict_on_who_was_set_beside_no_baseline_is_not_favourable():
    assert findings.verdict(BEST) == "not significantly better than a baseline"


def test_an_undefined_row_comes_last_and_has_no_verdict():
    undefined_row = replace(BEST, estimate=undefined("x"), difference=undefined("x"))
    assert findings.rank_order([undefined_row, FAR, BEST]) == [2, 1, 0]
    assert findings.verdict(undefined_row) == "no value"


def test_a_judge_without_a_figure_is_not_counted_among_those_that_were_beaten():
    undefined_row = replace(FAR, rater="partial", estimate=undefined("no score under style"))
    assert "the only judge that can be compared, **agrees" in agreement_answer([undefined_row, BEST], CEILING)
    sentence = agreement_answer([undefined_row, FAR, BEST], CEILING)
    assert "Of 2 judges that can be compared, **ELECT** **agrees best" in sentence


def test_groups_used_are_counted_with_those_that_count_as_zero():
    undefined_groups = {"human_constant": 2, "judge_constant": 8}
    dropped = Estimate(
        0.5, groups_used=90, groups_undefined=undefined_groups, params={"constant_groups": "drop"}
    )
    assert findings.groups_used(dropped) == "90 of 100"
    assert findings.groups_used(replace(dropped, params={"constant_groups": "zero"})) == "98 of 100"
    assert findings.groups_used(Estimate(0.5)) == "–"


def test_the_matrix_in_one_sentence():
    same_score, within_one = Estimate(107 / 214, ci=(0.434, 0.567), n=214), Estimate(195 / 214, n=214)
    assert findings.matrix_finding("ELECT", same=same_score, near=within_one) == (
        "ELECT: same score as the raters' rounded mean on 50 % [43, 57] of responses, within one point on "
        "91 %, n = 214."
    )
    assert findings.matrix_finding("ELECT", same=same_score, near=None) == (
        "ELECT: the raters' answer (that of most, the upper of a tie) on 50 % [43, 57], n = 214."
    ), "two answers are never more than one apart"


def test_a_mean_over_criteria_counts_scores_not_responses():
    mean = Estimate(0.5, n=24, params={"criteria_used": 2, "criteria_undefined": 0})
    single = Estimate(0.5, n=12)
    line = {"level": "none", "coefficient": "spearman", "ratings": "all ratings", "constant_groups": "drop"}
    said = findings.recipe({"A": mean}, **line)
    assert "n = 24 scores. n counts a response once under each criterion." in said
    assert "n = 12." in findings.recipe({"A": single}, **line)
    assert "criterion" not in findings.recipe({"A": single}, **line)
    assert (findings.n_label("none", [mean]), findings.n_label("none", [single])) == ("n (scores)", "n")
    assert findings.n_with_unit("system", Estimate(0.5, n=3, params={"criteria_used": 2})) == "3 systems"
