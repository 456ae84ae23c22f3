"""Agreement of choices, worked by hand on ten pairs and on the published pairs of MT-bench."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from judgelab.analysis.comparison.choice_agreement import (
    ACCURACY,
    ChoiceAgreement,
    JudgeOfPairs,
    choice_agreement,
)
from judgelab.analysis.data.compared_pairs import compared_criteria
from judgelab.analysis.disagreement.choice_differences import choice_differences, implied_choices, pair_detail
from judgelab.errors import InvalidInput
from judgelab.imports.service import collect_files, import_files
from judgelab.metaeval.agreement.baselines import NAMES
from judgelab.metaeval.core.statistic_defaults import LONGER, ONE_ANSWER
from judgelab.runs import service
from judgelab.store.db.engine import Store
from judgelab.store.projects.overview import overview
from judgelab.store.projects.projects import create_project, find_project
from tests.compared import pairs_project


@pytest.fixture
def found(any_store: Store) -> ChoiceAgreement:
    return choice_agreement(any_store, pairs_project(any_store), resamples=50)


def of(found: ChoiceAgreement, name: str) -> JudgeOfPairs:
    return next(judge for judge in found.judges if judge.name == name)


def test_raters_against_the_majority_of_the_others(found: ChoiceAgreement) -> None:
    assert (found.pairs, found.choices, found.raters) == (10, 30, ("Ann", "Bea", "Cid"))
    assert found.undecided == 2, "T, N, O and N, T, O"
    # Ann 4 of 5 pairs on which the other two agree, Bea 4 of 5, Cid 4 of 6.
    assert found.ceiling[ACCURACY].value == pytest.approx((4 / 5 + 4 / 5 + 4 / 6) / 3)
    assert found.ceiling[ACCURACY].n == 8, "on the other two pairs, no two raters agree"
    assert found.accuracy(of(found, "k-judge")).n == 8


@pytest.mark.parametrize(
    ("name", "right", "implied"),
    [
        ("j-judge", 6, False),  # N T N O O O T T: two pairs with another winner in the other order are ties
        ("k-judge", 6, False),  # N N O O O N O T
        ("points-judge", 6, True),
    ],
)
def test_judges_against_the_majority_of_all_raters(
    found: ChoiceAgreement, name: str, right: int, implied: bool
) -> None:
    judge = of(found, name)
    accuracy = judge.with_majority[ACCURACY]
    assert (accuracy.value, accuracy.n) == (pytest.approx(right / 8), 8), "N N N O O O O T"
    assert judge.implied is implied


@pytest.mark.parametrize(
    ("key", "right"),
    [(LONGER, 3), (ONE_ANSWER, 3)],  # always the new one; each of the two wins 12 of 30 choices
)
def test_trivial_baselines_against_the_majority_of_all_raters(
    found: ChoiceAgreement, key: str, right: int
) -> None:
    baseline = next(each for each in found.baselines if each.name == NAMES[key])
    accuracy = baseline.with_majority[ACCURACY]
    assert (accuracy.value, accuracy.n) == (pytest.approx(right / 8), 8)


def test_the_best_baseline_is_of_all_the_trivial_ones(found: ChoiceAgreement) -> None:
    values = [found.accuracy(each).value for each in found.baselines]
    assert len(values) == 3 and found.best_baseline is found.baselines[0]
    assert values == sorted(values, key=lambda value: -(value or 0.0))
    assert not {judge.name for judge in found.judges} & {each.name for each in found.baselines}


def test_what_the_order_changes(found: ChoiceAgreement) -> None:
    order = of(found, "j-judge").order
    assert order is not None
    assert (order.consistency.value, order.consistency.n) == (pytest.approx(8 / 10), 10)
    assert (order.first_rate.value, order.first_rate.n) == (pytest.approx((5 + 6) / 18), 18)
    # The raters' winners are N N N O O O O. In the first order N is first: N N N, then O O O N; in the other
    # O is first: N O N, then O O O O.
    first, second = order.winner_first, order.winner_second
    assert (first.value, first.n, second.value, second.n) == (1.0, 7, pytest.approx(5 / 7), 7)
    assert of(found, "k-judge").order is None and of(found, "points-judge").order is None


def test_a_judge_without_a_choice_is_named_with_its_reason(found: ChoiceAgreement) -> None:
    lost = of(found, "lost-judge")
    assert lost.without_choice == 1 and lost.with_majority[ACCURACY].value is None
    assert "no two responses" in (lost.with_majority[ACCURACY].reason or "")
    assert found.to_json()["judges"][-1]["name"] == "lost-judge"


def test_judges_of_pairs_stand_before_metrics_the_best_first(found: ChoiceAgreement) -> None:
    values = [found.accuracy(judge).value for judge in found.judges if judge.kind == "judge"]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=True) and values[len(known) :] == [None]


def test_a_project_counts_its_comparisons(store: Store) -> None:
    slug = pairs_project(store, points=False)
    with store.reading() as session:
        counts = overview(session, find_project(session, slug).id, raters_wanted=3)
    assert (counts.comparisons, counts.comparing, counts.ratings) == (30, 3, 0)
    assert (counts.judges, counts.scored, counts.unscored) == (2, 30, 1)
    assert compared_criteria(store, slug) == ("score",)
    runs = {run.judge: run for run in service.list_runs(store, slug)}
    assert (runs["j-judge"].scored, runs["j-judge"].units) == (20, 20), "as Runs and Judge show"
    assert (runs["lost-judge"].scored, runs["lost-judge"].unscored) == (0, 1)


def test_without_comparisons_there_is_a_sentence(store: Store) -> None:
    with store.writing() as session:
        create_project(session, name="empty")
    with pytest.raises(InvalidInput, match="has no comparisons"):
        choice_agreement(store, "empty")


def test_pairs_are_listed_by_how_few_raters_chose_as_the_judge(store: Store) -> None:
    slug = pairs_project(store)
    rows = choice_differences(store, slug, criterion="score", judge="k-judge")
    assert len(rows) == 10 and rows["agreeing"].is_monotonic_increasing
    by_item = rows.set_index("item")
    q5 = by_item.loc["q5"]  # O, O, T by the raters, N by the judge
    assert (q5["n_first"], q5["n_tie"], q5["n_second"], q5["raters"], q5["judge"]) == (0, 1, 2, 3, 1)
    assert q5["agreeing"] == 0 and np.isnan(by_item.loc["q8"]["raters"])
    assert (q5["system_first"], q5["system_second"]) == ("new", "old")
    differing = rows[rows["raters"].notna() & (rows["raters"] != rows["judge"])]
    assert sorted(differing["item"]) == ["q2", "q5"]


def test_pairs_on_which_raters_chose_the_opposite_winner_come_before_ties(store: Store) -> None:
    with store.writing() as session:
        slug = create_project(session, name="p").slug
    head = "item_id,response_a,response_b,{who},choice\n"
    texts = [f"q{n},Why?,{system},{system} {n}" for n in range(3) for system in ("new", "old")]
    files = {
        "texts": "item_id,question,system,response\n" + "\n".join(texts),
        "people": head.format(who="rater") + "q0,new,old,Ann,a\nq1,new,old,Ann,a\nq2,new,old,Ann,a\n",
        "judges": head.format(who="judge") + "q0,new,old,J,tie\nq1,new,old,J,a\nq2,new,old,J,b\n",
    }
    for name, content in files.items():
        import_files(store, slug, [(f"{name}.csv", content.encode())])
    rows = choice_differences(store, slug, criterion="score", judge="J")
    assert rows["item"].tolist() == ["q2", "q0", "q1"]


def test_everybodys_choice_of_one_pair_is_told_with_its_reason(store: Store) -> None:
    slug = pairs_project(store)
    row = choice_differences(store, slug, criterion="score", judge="j-judge").set_index("item").loc["q1"]
    first, second = int(row["first"]), int(row["second"])
    detail = pair_detail(store, slug, criterion="score", first=first, second=second)
    assert (detail.first.text, detail.second.text) == ("because it is so 1", "so 1")
    sides = {first: "new", second: "old", None: "-"}
    told = [(c.name, c.kind, sides[c.chosen], sides[c.shown_first], c.reason) for c in detail.choices]
    assert told == [
        *((name, "human", "new", "-", "") for name in ("Ann", "Bea", "Cid")),
        ("j-judge", "judge", "new", "new", "reason 1"),
        ("j-judge", "judge", "old", "old", "reason 1"),
        ("k-judge", "judge", "new", "-", ""),
    ]
    implied = implied_choices(store, slug, criterion="score")
    assert set(implied["rater"]) == {"points-judge"} and set(implied["kind"]) == {"judge"}
    by_points = implied.set_index("first").loc[first]
    assert tuple(by_points[["second", "choice", "score_first", "score_second"]]) == (second, 1, 4, 2)
    lost = choice_differences(store, slug, criterion="score", judge="k-judge").set_index("item").loc["q0"]
    choices = pair_detail(
        store, slug, criterion="score", first=int(lost["first"]), second=int(lost["second"])
    ).choices
    assert [c.missing for c in choices if c.name == "lost-judge"] == ["the file has no choice"]


# Calderon, Reichart and Dror 2025, the authors' notebook: winning rate and advantage probability.
PUBLISHED = {
    **{"gemini_flash": (0, 0.7189), "gemini_pro": (0, 0.7645), "gpt-4o": (0, 0.7728)},
    **{"llama-31": (0, 0.6872), "gpt-4o-mini": (0, 0.7355), "mistral-v03": (0, 0.6832)},
}


def test_mt_bench_has_its_published_alternative_annotator_test(store: Store, datasets: Path) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files([datasets / "alttest-labels" / "mtbench"])
    import_files(store, "p", files, preset="mtbench-pairs")
    found = choice_agreement(store, "p", resamples=50)
    tests = {judge.name: judge.replacement for judge in found.judges if judge.replacement is not None}
    assert {
        name: (test.winning_rate.value, pytest.approx(test.advantage.value, abs=5e-5))
        for name, test in tests.items()
    } == PUBLISHED
    assert (found.pairs, found.choices, found.undecided) == (120, 246, 35)
