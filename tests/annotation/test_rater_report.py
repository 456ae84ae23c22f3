import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.filters.apply_filter import FilterPolicy, apply_filter
from judgelab.annotation.raters.pace import NO_ORDER, NO_TIMES
from judgelab.annotation.raters.rater_flags import rater_flags
from judgelab.annotation.raters.rater_report import rater_reports
from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.coefficients.rater_intervals import leave_one_out_intervals
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import Rated
from judgelab.scales import scale_from_json
from tests.examples import examples

SCALES = {"good": scale_from_json({"kind": "ordinal", "low": 0, "high": 3})}
START = datetime(2025, 5, 5, 9, tzinfo=UTC)


def work(scores, *, timed=True, repeats=None, seconds=None, comments=None, criterion="good"):
    """Return one row per score: `scores` by rater, None for a unit not rated, NaN for cannot judge."""
    rows = []
    for person, (rater, given_scores) in enumerate(scores.items(), start=1):
        for occasion, values in ((0, given_scores), (1, (repeats or {}).get(rater, []))):
            for position, score in enumerate(values):
                if score is None:
                    continue
                rated_at = START + timedelta(minutes=position + 600 * occasion) if timed else START
                comment = (comments or {}).get(rater, {}).get(position, "")
                times = None if seconds is None else seconds[rater]
                rows.append(
                    (
                        person,
                        rater,
                        f"q{position}",
                        f"r{position}",
                        f"r{position}",
                        position,
                        "a",
                        "data",
                        criterion,
                        score,
                    )
                )
                rows[-1] += (occasion, times, rated_at, comment, "browser", False, 120.0)
    columns = ["person", "rater", "item", "screen", "unit", "response", "system", "purpose", "criterion"]
    columns += ["score", "occasion", "seconds", "rated_at", "comment", "origin", "surplus", "length"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["rated_at"] = pd.to_datetime(frame["rated_at"], utc=True)
    return frame.astype({"score": "float64", "seconds": "float64"})


def crowd(*, units=40, seed=1):
    """Return scores by three careful raters, a random one, and one with the scale reversed."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, units)
    careful = {
        name: np.clip(truth + rng.choice([-1, 0, 0, 0, 1], units), 0, 3).tolist() for name in ("A", "B", "C")
    }
    return careful | {"Random": rng.integers(0, 4, units).tolist(), "Turned": (3 - truth).tolist()}


def reports(frame, **options):
    return {report.rater: report for report in rater_reports(frame, scales=SCALES, resamples=100, **options)}


def words(report):
    return {flag.key for flag in rater_flags(report, SCALES)}


def test_pairwise_and_leave_one_out_are_those_of_the_filter():
    scores = {name: given_scores for name, given_scores in crowd().items()}
    by_name = reports(work(scores))
    ratings = work(scores).assign(group="", rater_kind="human", run=pd.NA, sample=pd.NA)[list(SCORE_COLUMNS)]
    for method, figure in (("pairwise", "pairwise"), ("loo", "leave_one_out")):
        outcome = apply_filter(ratings, FilterPolicy(method=method), scales=SCALES)
        for verdict in outcome.raters:
            estimate = getattr(by_name[verdict.rater].criteria["good"], figure)
            assert estimate.value == pytest.approx(verdict.agreement_before)


def test_a_rater_outside_the_panel_is_compared_with_it_and_affects_no_other():
    everybody = crowd()
    careful = {name: everybody[name] for name in ("A", "B", "C")}
    panel = {"good": ["A", "B", "C"]}
    without_outsiders, with_outsiders = reports(work(careful)), reports(work(everybody), panel=panel)
    for name in careful:
        for figure in ("pairwise", "leave_one_out", "offset"):
            before, after = (
                getattr(by_name[name].criteria["good"], figure)
                for by_name in (without_outsiders, with_outsiders)
            )
            assert before.value == pytest.approx(after.value)
    mean = np.mean(list(careful.values()), axis=0)
    reversed_rater = with_outsiders["Turned"].criteria["good"]
    assert reversed_rater.leave_one_out.value == pytest.approx(np.corrcoef(everybody["Turned"], mean)[0, 1])
    assert reversed_rater.offset.value == pytest.approx(np.mean(np.array(everybody["Turned"]) - mean))


def test_the_interval_of_a_rater_outside_the_panel_is_that_of_the_panel_with_them():
    everybody = {name: given_scores for name, given_scores in crowd().items() if name != "Random"}
    report = reports(work(everybody), panel={"good": ["A", "B", "C"]})["Turned"].criteria["good"]
    matrix = np.array(list(everybody.values()), dtype=float).T
    unit, rater = np.nonzero(np.isfinite(matrix))
    rated = Rated(unit, rater, matrix[unit, rater])
    item = np.argsort(np.argsort([f"q{n}" for n in range(40)]))  # items are drawn in the order of their names
    expected = leave_one_out_intervals(rated, item, ItemDraws(40, 100, 0), raters=4)[3]
    assert report.leave_one_out.ci == pytest.approx(expected.ends)


def test_only_the_random_and_the_reversed_rater_are_flagged():
    by_name = reports(work(crowd()), panel={"good": ["A", "B", "C"]})
    assert {name for name, report in by_name.items() if words(report)} == {"Random", "Turned"}
    assert "agreement" in words(by_name["Random"]) and "reversed" in words(by_name["Turned"])


def test_an_upper_end_that_rounds_to_the_threshold_has_the_digits_that_show_it_below() -> None:
    report = reports(work(crowd()))["Random"]
    near = Estimate(0.14, ci=(-0.12, 0.398), n=40, params={"partners": 6})
    criterion = replace(report.criteria["good"], pairwise=near)
    flags = rater_flags(replace(report, criteria={"good": criterion}), SCALES)
    assert [str(flag.reason) for flag in flags if flag.key == "agreement"] == [
        "mean r with 6 other raters 0.14 [−0.12, 0.398], whole interval below 0.400"
    ]


@examples(10)
@given(st.integers(0, 10_000))
def test_careful_raters_get_no_flag_for_agreement(seed):
    honest = {name: given_scores for name, given_scores in crowd(seed=seed).items() if len(name) == 1}
    for report in reports(work(honest)).values():
        assert not words(report) & {"agreement", "reversed", "alike", "leaning"}


def test_spread_modal_share_and_what_cannot_be_judged():
    scores = {"A": [0, 3, 3, float("nan")], "B": [1, 2, 3, 1]}
    report = reports(work(scores))["A"].criteria["good"]
    assert (report.ratings, report.cannot) == (3, 1)
    assert report.spread == pytest.approx(np.std([0, 3, 3], ddof=1))
    assert report.others_spread == pytest.approx(np.std([1, 2, 3, 1], ddof=1))
    assert (report.modal_score, report.modal_share.value) == (3, pytest.approx(2 / 3))


def test_scores_in_blocks_and_a_single_score_are_flagged():
    scores = crowd() | {"Blocks": [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10, "Flat": [2] * 40}
    by_name = reports(work(scores))
    assert "straight" in words(by_name["Blocks"]) and "one score" in words(by_name["Flat"])
    assert "straight" not in words(by_name["Flat"])


def test_the_flag_for_one_label_names_it():
    scale = scale_from_json({"kind": "categorical", "labels": ["supported", "contradicted", "unclear"]})
    frame = work({"A": [1, 2, 3] * 8, "Flat": [2] * 24})
    by_name = {report.rater: report for report in rater_reports(frame, scales={"good": scale}, resamples=100)}
    flags = rater_flags(by_name["Flat"], {"good": scale})
    assert [str(flag.reason) for flag in flags if flag.key == "one score"] == [
        "100 % of 24 ratings are contradicted"
    ]


def test_repeats_are_compared_with_the_first_scores_and_affect_nothing_else():
    scores = crowd()
    repeats = {"A": scores["A"][:8], "B": [3 - s for s in scores["B"][:8]]}
    with_repeats, without_repeats = reports(work(scores, repeats=repeats)), reports(work(scores))
    consistent, reversed_repeats = (
        with_repeats["A"].criteria["good"].repeats,
        with_repeats["B"].criteria["good"].repeats,
    )
    assert consistent.exact.value == 1 and consistent.reliability.value == pytest.approx(1)
    assert reversed_repeats.reliability.value < 0 and reversed_repeats.exact.n == 8
    assert with_repeats["A"].criteria["good"].ratings == 40
    assert (
        with_repeats["C"].criteria["good"].leave_one_out
        == without_repeats["C"].criteria["good"].leave_one_out
    )
    assert with_repeats["C"].criteria["good"].repeats.exact.reason == "no response or pair was rated twice"


def test_becoming_milder_is_a_drift_of_that_share_of_the_scale():
    base = [1, 2] * 20
    milder = [score - 1 + 2 * n / 39 for n, score in enumerate(base)]
    report = reports(work({"A": base, "B": base, "Milder": milder}))["Milder"]
    assert report.score_drift.value == pytest.approx(2 / 3)
    assert "drift" in words(report)


def test_ratings_without_times_have_neither_runs_nor_drift_but_agreement():
    report = reports(work(crowd(), timed=False))["A"]
    assert report.criteria["good"].straight.reason == NO_ORDER
    assert report.score_drift.reason == NO_ORDER and report.pace.median.reason == NO_TIMES
    assert report.criteria["good"].leave_one_out.value is not None


@pytest.mark.parametrize("interval", ["20us", "0s"])
def test_the_time_of_an_import_is_not_a_time_of_rating(interval):
    frame = work(crowd()).assign(origin="import")
    offsets = pd.to_timedelta(interval) * np.arange(len(frame))
    at_import = frame.assign(rated_at=frame["rated_at"].iloc[0] + offsets)
    for report in reports(at_import).values():
        assert (
            report.pace.median.reason == report.pace.fast.reason == NO_TIMES and report.pace.sittings is None
        )
        assert report.criteria["good"].straight.reason == NO_ORDER
        assert not {"fast", "speeding", "straight", "drift"} & words(report)
    # A file's own times, a minute apart, still count, and so do those of the browser beside an import.
    assert reports(frame)["A"].pace.median.value == 60
    mixed_work = pd.concat([at_import[at_import["rater"] != "A"], work({"A": crowd()["A"]})])
    assert reports(mixed_work)["A"].pace.median.value == 60


def test_haste_is_flagged():
    seconds = dict.fromkeys(crowd(), 40.0) | {"Random": 3.0}
    assert "fast" in words(reports(work(crowd(), seconds=seconds))["Random"])
    assert "fast" not in words(reports(work(crowd(), seconds=seconds))["A"])


def test_checks_are_counted_by_purpose_and_a_missed_attention_check_is_a_flag():
    rows = [("A", "gold", n < 9) for n in range(10)] + [("Random", "gold", n < 2) for n in range(10)]
    rows += [("A", "attention", True), ("Random", "attention", False), ("Random", "training", False)]
    checks = pd.DataFrame(rows, columns=["rater", "purpose", "passed"])
    by_name = reports(work(crowd()), checks=checks)
    assert by_name["A"].gold.value == pytest.approx(0.9) and by_name["A"].attention.value == 1
    assert {"gold", "attention"} <= words(by_name["Random"])
    assert not {"gold", "attention"} & words(by_name["A"])
    assert by_name["B"].gold.reason == "none rated yet"


def test_two_raters_with_the_same_scores_are_similar():
    scores = crowd()
    by_name = reports(work(scores | {"Again": scores["C"]}))
    assert [similar.other for similar in by_name["Again"].alike] == ["C"]
    assert [similar.other for similar in by_name["C"].alike] == ["Again"]
    flag = next(candidate for candidate in rater_flags(by_name["C"], SCALES) if candidate.key == "alike")
    assert flag.word == "like Again" and "100 % of 40 shared ratings equal to those of Again" in flag.reason


def test_raters_similar_under_one_criterion_only_are_listed_with_it():
    scores, other_scores = crowd(), crowd(seed=2)
    good = work(scores | {"Again": scores["C"]})
    clear = work(other_scores | {"Again": crowd(seed=3)["C"]}, criterion="clear")
    scales = SCALES | {"clear": SCALES["good"]}
    all_work = pd.concat([good, clear.assign(unit="c" + clear["unit"])], ignore_index=True)
    by_name = {report.rater: report for report in rater_reports(all_work, scales=scales, resamples=20)}
    (similar,) = by_name["Again"].alike
    assert (similar.other, similar.criterion, similar.shared, similar.equal) == ("C", "good", 40, 1.0)
    flag = next(candidate for candidate in rater_flags(by_name["C"], scales) if candidate.key == "alike")
    assert flag.criterion == "good" and "100 % of 40 shared ratings" in flag.reason


def test_one_rater_alone_has_reasons_instead_of_figures():
    report = reports(work({"A": [1, 2, 3]}))["A"].criteria["good"]
    assert report.pairwise.reason == report.leave_one_out.reason == report.offset.reason
    assert "no other rater rated" in report.offset.reason


def test_too_few_shared_responses_have_that_reason():
    report = reports(work({"A": [1, 2, 3, 0], "B": [1, 2, 3, 1]}))["A"].criteria["good"]
    assert "fewer than 5 responses" in report.pairwise.reason
    assert report.offset.value == pytest.approx(-0.25)


def test_training_items_are_not_in_the_report():
    frame = work(crowd())
    training = frame.assign(purpose="training", unit="t" + frame["unit"], screen="t" + frame["screen"])
    assert (
        reports(pd.concat([frame, training]))["A"].criteria["good"].leave_one_out
        == reports(frame)["A"].criteria["good"].leave_one_out
    )


def test_without_work_there_are_no_reports():
    assert reports(work({})) == {}


def test_only_the_random_worker_of_cebab_is_below_the_threshold(datasets):
    labels = json.loads((datasets / "alttest-labels" / "cebab_stars_human_annotations.json").read_text())
    items = sorted({item for given_scores in labels.values() for item in given_scores})
    scores = {rater: [given_scores.get(item) for item in items] for rater, given_scores in labels.items()}
    scales = {"good": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
    all_reports = rater_reports(work(scores, timed=False), scales=scales, resamples=100)
    flagged = {report.rater: {flag.key for flag in rater_flags(report, scales)} for report in all_reports}
    assert "agreement" in flagged["w40"]
    assert [name for name, keys in flagged.items() if "agreement" in keys] == ["w40"]
