import json

import pandas as pd
import pytest

from judgelab.analysis.filters.effect_table import load_estimator
from judgelab.analysis.filters.filter_effect import ALPHA, R
from judgelab.analysis.filters.filter_preview import preview_on_ratings
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.metaeval.coefficients.between_raters import between_raters
from judgelab.metaeval.core.units import unit_tables
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import find_project
from tests.databases import load_demo, new_sqlite

STARS = {"stars": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
RATERS = (("ana", 1), ("bo", 1), ("cy", 2))
HUNDRED = {"correctness": scale_from_json({"kind": "numeric", "low": 0, "high": 100})}


def frame(rows, criterion):
    """The long frame from (item, system, rater, score)."""
    ratings = pd.DataFrame(rows, columns=["item", "system", "rater", "score"])
    response = pd.factorize(ratings["item"] + " " + ratings["system"])[0]
    return ratings.assign(
        response=response,
        group="",
        criterion=criterion,
        rater_kind="human",
        run=pd.NA,
        sample=pd.NA,
        rated_at=pd.NaT,
    )


@pytest.fixture(scope="module")
def cebab(datasets):
    path = datasets / "alttest-labels" / "cebab_stars_human_annotations.json"
    labels = json.loads(path.read_text())
    rows = [
        (item, "", rater, float(score)) for rater, scores in labels.items() for item, score in scores.items()
    ]
    return frame(rows, "stars")


@pytest.fixture(scope="module")
def squality(datasets):
    table = pd.read_csv(datasets / "squality-human-eval" / "ratings_long.csv", dtype={"passage_id": str})
    item = table["passage_id"] + "-" + table["question_no"].astype(str)
    rows = zip(item, table["system"], table["worker"], table["correctness"].astype(float), strict=True)
    return frame(list(rows), "correctness")


def test_the_random_worker_of_cebab_goes_and_the_sums_add_up(cebab):
    preview = preview_on_ratings(cebab, FilterPolicy(), criterion="stars", scales=STARS, resamples=50)
    assert [rater.rater for rater in preview.removed] == ["w40"]
    assert preview.stages["after_items"].value == pytest.approx(0.862622, abs=1e-6)
    # A scale of points is ordinal; at the interval level the same ratings give 0.6809 and 0.8474.
    alpha = [preview.alpha[stage].value for stage in ("before", "after_items")]
    assert alpha == pytest.approx([0.678839, 0.845573], abs=1e-6)
    losses = preview.losses
    assert sum(loss.ratings for loss in losses) + preview.kept.ratings == preview.total.ratings == 2193
    assert sum(loss.answers for loss in losses) + preview.kept.answers == preview.total.answers == 711


def test_alpha_is_that_of_the_raters_page_and_a_repeat_of_a_rater_is_no_second_rating():
    rows = [
        (f"i{n // 2}", f"s{n % 2}", rater, float(1 + (n * k + n // 3) % 5))
        for n in range(40)
        for rater, k in RATERS
    ]
    ratings = frame(rows, "stars")
    options = {"criterion": "stars", "scales": STARS, "resamples": 200}
    preview = preview_on_ratings(ratings, FilterPolicy(), **options).alpha["before"]
    (table,) = unit_tables(ratings)
    of_raters_page = between_raters(table, STARS["stars"], coefficients=["alpha_ordinal"], resamples=200)[
        "alpha_ordinal"
    ]
    assert preview.ci is not None and preview.ci[0] < preview.value < preview.ci[1]
    assert (preview.value, *preview.ci) == pytest.approx((of_raters_page.value, *of_raters_page.ci))
    with_repeats = pd.concat([ratings, ratings[ratings["rater"] == "ana"]], ignore_index=True)
    repeated = preview_on_ratings(with_repeats, FilterPolicy(), **options).alpha["before"]
    assert (repeated.value, repeated.ci) == (preview.value, preview.ci)


def test_removing_responses_with_one_rating_changes_neither_agreement_nor_its_interval():
    """Items of single ratings count for neither coefficient, so the resamples must be the same."""
    twice = [
        (f"i{n}", "s", rater, float(1 + (n * k + n // 3) % 5)) for n in range(30) for rater, k in RATERS[1:]
    ]
    once = [(f"j{n}", "s", "bo", float(1 + n % 5)) for n in range(15)]
    rows = [row for pair in zip(twice, [*once, *[None] * len(twice)], strict=False) for row in pair if row]
    preview = preview_on_ratings(
        frame(rows, "stars"),
        FilterPolicy(threshold=-1.0, conflict_scope="off", unassessed="keep"),
        criterion="stars",
        scales=STARS,
    )
    assert preview.total.answers - preview.kept.answers == 15
    before, after = preview.stages["before"], preview.stages["after_items"]
    assert before.ci is not None and (before.value, before.ci) == (after.value, after.ci)
    before, after = preview.alpha["before"], preview.alpha["after_items"]
    assert before.ci is not None and (before.value, before.ci) == (after.value, after.ci)


def test_the_effect_on_the_results_has_the_intervals_of_the_preview(store: Store):
    load_demo(store, "kitchen")
    policy = FilterPolicy(threshold=0.4)
    preview = preview_filter(store, "demo-kitchen", policy, criterion="answers")
    estimator = load_estimator(store, "demo-kitchen", policy, criterion="answers")
    for effect, stage in ((estimator.measure(None), "before"), (estimator.measure(policy), "after_items")):
        assert effect.people[R].ci == pytest.approx(preview.stages[stage].ci)
        assert effect.people[ALPHA].ci == pytest.approx(preview.alpha[stage].ci)


def test_any_threshold_in_the_stated_range_takes_out_the_same(cebab):
    preview = preview_on_ratings(cebab, FilterPolicy(), criterion="stars", scales=STARS, resamples=10)
    for threshold in (preview.same_from + 1e-6, preview.same_to):
        preview_at = preview_on_ratings(
            cebab, FilterPolicy(threshold=threshold), criterion="stars", scales=STARS, resamples=10
        )
        assert [rater.rater for rater in preview_at.removed] == ["w40"]
    beyond = preview_on_ratings(
        cebab, FilterPolicy(threshold=preview.same_to + 1e-6), criterion="stars", scales=STARS, resamples=10
    )
    assert len(beyond.removed) > 1


def test_pairwise_and_leave_one_out_part_over_w6_of_squality(squality):
    pairwise = preview_on_ratings(
        squality, FilterPolicy(), criterion="correctness", scales=HUNDRED, resamples=50
    )
    loo = preview_on_ratings(
        squality, FilterPolicy(method="loo"), criterion="correctness", scales=HUNDRED, resamples=50
    )
    assert [rater.rater for rater in pairwise.removed] == ["w6"]
    assert pairwise.removed[0].before.value == pytest.approx(0.3934, abs=1e-4)
    assert loo.removed == ()
    assert pairwise.stages["after_raters"].value == pytest.approx(0.777940, abs=1e-6)


def test_every_estimate_has_an_interval_that_holds_it(squality):
    preview = preview_on_ratings(
        squality, FilterPolicy(), criterion="correctness", scales=HUNDRED, resamples=200
    )
    estimates = [*preview.stages.values(), *(rater.before for rater in preview.raters)]
    estimates += [rater.after for rater in preview.raters if rater.after]
    for estimate in estimates:
        assert estimate.ci[0] <= estimate.value <= estimate.ci[1]


def test_a_rule_for_another_criterion_leaves_this_one_alone(squality):
    policy = FilterPolicy(criterion="overall")
    preview = preview_on_ratings(squality, policy, criterion="correctness", scales=HUNDRED, resamples=10)
    assert preview.removed == () and preview.kept == preview.total.__class__("kept", 300, 900)


def test_a_rule_that_empties_the_data_says_so(squality):
    policy = FilterPolicy(threshold=0.9, passes="one_pass")
    preview = preview_on_ratings(squality, policy, criterion="correctness", scales=HUNDRED, resamples=10)
    assert preview.stopped and preview.kept.ratings == 0
    assert preview.distribution.after == (0.0,) * 10


def test_one_rater_alone_is_not_assessed_and_stays():
    one_rater = frame([(f"q{n}", "a", "Ada", n % 4) for n in range(8)], "stars")
    preview = preview_on_ratings(
        one_rater, FilterPolicy(min_annotations=1), criterion="stars", scales=STARS, resamples=10
    )
    (rater,) = preview.raters
    assert rater.kept and rater.before.value is None and "no other rater" in rater.reason


def test_reasons_call_criteria_as_people_do(tmp_path):
    store = open_store(new_sqlite(tmp_path / "demo.db"))
    load_demo(store, "news")
    with store.reading() as session:
        criteria = find_project(session, "demo-news").criteria
    assert all(criterion.key != criterion.label for criterion in criteria)
    for chosen in criteria:
        preview = preview_filter(
            store, "demo-news", FilterPolicy(criterion="all", threshold=0.9), criterion=chosen.key
        )
        reasons = " ".join([preview.stopped or "", *(rater.reason for rater in preview.raters)])
        named = [criterion for criterion in criteria if criterion.label in reasons]
        assert named and not any(f"{criterion.key}:" in reasons for criterion in criteria)
        assert not any(f"under {criterion.key}," in reasons for criterion in criteria)
    store.close()
