"""The worked examples of the filter, and the filter on ratings of real people."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.annotation.filters.criterion_filter import decide_raters, ratings_by_criterion
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.scales import scale_from_json

ROOT = Path(__file__).resolve().parents[2]
SETS = Path(os.environ.get("JUDGELAB_DATASETS") or ROOT.parent / "shared" / "datasets")
GOLDEN = SETS / "stats-golden" / "quality_filter.json"
OPTION = {"rounds": "passes", "conflict_fraction": "conflict"}
ZERO_TO_THREE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})
STARS = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
PERCENT = scale_from_json({"kind": "numeric", "low": 0, "high": 100})


def runs() -> list[Any]:
    if not GOLDEN.exists():
        return [pytest.param(None, None, marks=pytest.mark.skip(reason="the verification sets are not here"))]
    cases = json.loads(GOLDEN.read_text())["cases"]
    return [
        pytest.param(
            case, run, id=f"{case['name']}-{'-'.join(map(str, run['options'].values())) or 'default'}"
        )
        for case in cases
        for run in case["runs"]
    ]


def ratings_of(rows: list[str]) -> pd.DataFrame:
    parts = [row.split() for row in rows]
    ratings = pd.DataFrame(parts, columns=["item", "rater", "score"])
    ratings["score"] = ratings["score"].astype(float)
    ratings["response"] = ratings.groupby("item", sort=False).ngroup()
    return ratings.assign(criterion="quality", system="", rater_kind="human", group="", rated_at=pd.NaT)


def units_with(outcome: FilterOutcome, words: str) -> list[str]:
    units = outcome.units[~outcome.units["kept"]]
    return sorted(units.loc[units["reason"].str.contains(words), "item"])


@pytest.mark.parametrize(("case", "run"), runs())
def test_worked_example(case: dict[str, Any], run: dict[str, Any]) -> None:
    policy = FilterPolicy(**{OPTION.get(key, key): value for key, value in run["options"].items()})
    ratings, expected = ratings_of(case["rows_item_worker_score"]), run["expected"]
    outcome = apply_filter(ratings, policy, scales={"quality": ZERO_TO_THREE})

    assert sorted(v.rater for v in outcome.raters if not v.kept) == expected["removed_workers"]
    assert units_with(outcome, "left") == expected["items_too_few"]
    assert units_with(outcome, "conflict") == expected["items_conflict"]
    assert units_with(outcome, "removed rater") == expected["items_all_removed"]
    means = outcome.kept.groupby("item")["score"].mean()
    assert means.to_dict() == pytest.approx(expected["kept_items"], abs=1e-6)
    after = outcome.agreement["after_items"]
    assert after.value == pytest.approx(expected["mean_pairwise_r_after"], abs=1e-6)
    assert after.n == expected["pairs_after"]


@pytest.mark.parametrize(("case", "run"), runs())
def test_worked_example_round_by_round(case: dict[str, Any], run: dict[str, Any]) -> None:
    policy = FilterPolicy(**{OPTION.get(key, key): value for key, value in run["options"].items()})
    ratings = ratings_of(case["rows_item_worker_score"])
    code, names = pd.factorize(ratings["rater"])
    criterion_ratings = ratings_by_criterion(ratings, code.astype(np.int64))["quality"]
    removal = decide_raters(criterion_ratings, policy, raters=len(names)).removal
    rounds = [
        {
            str(names[rater]): None
            if np.isnan(removal_round.scores.score[rater])
            else removal_round.scores.score[rater]
            for rater in np.flatnonzero(removal_round.present)
        }
        for removal_round in removal.rounds
    ]
    expected = run["expected"]["worker_scores_by_round"]
    assert len(rounds) == len(expected)
    for scores_of_round, expected_scores in zip(rounds, expected, strict=True):
        assert scores_of_round == pytest.approx(expected_scores, abs=1e-6)


@pytest.fixture
def alttest(datasets: Path) -> Callable[[str], pd.DataFrame]:
    def load(name: str) -> pd.DataFrame:
        path = datasets / "alttest-labels" / f"{name}_human_annotations.json"
        labels = json.loads(path.read_text())
        return ratings_of(
            [f"{item} {rater} {score}" for rater, scores in labels.items() for item, score in scores.items()]
        )

    return load


@pytest.fixture
def squality(datasets: Path) -> Callable[[str], pd.DataFrame]:
    wide = pd.read_csv(datasets / "squality-human-eval" / "ratings_long.csv")
    keys = wide["passage_id"].astype(str) + "-" + wide["question_no"].astype(str) + "-" + wide["system"]
    return lambda column: ratings_of(
        [f"{k} {w} {s}" for k, w, s in zip(keys, wide["worker"], wide[column], strict=True)]
    )


def alpha(ratings: pd.DataFrame) -> float | None:
    return krippendorff_alpha(ratings["response"], ratings["score"], level="interval").value


def scores(outcome: FilterOutcome) -> dict[str, float | None]:
    return {verdict.rater: verdict.agreement for verdict in outcome.raters}


@pytest.mark.parametrize(("method", "score"), [("pairwise", -0.0662), ("loo", -0.0777)])
@pytest.mark.parametrize("passes", ["one_pass", "worst_first", "fixpoint"])
def test_only_the_random_worker_of_cebab_is_removed(
    alttest: Callable[[str], pd.DataFrame], method: str, passes: str, score: float
) -> None:
    ratings = alttest("cebab_stars")
    policy = FilterPolicy(method=method, passes=passes)
    outcome = apply_filter(ratings, policy, scales={"quality": STARS})
    (removed,) = [v for v in outcome.raters if not v.kept]
    assert removed.rater == "w40" and removed.agreement == pytest.approx(score, abs=5e-5)
    assert outcome.kept_items == 711 and outcome.stopped is None
    assert outcome.agreement["after_items"].value == pytest.approx(0.862622, abs=1e-6)
    assert alpha(ratings) == pytest.approx(0.6809, abs=5e-5)
    assert alpha(outcome.kept) == pytest.approx(0.8474, abs=5e-5)


def test_squality_correctness_loses_a_worker_under_pairwise_only(
    squality: Callable[[str], pd.DataFrame],
) -> None:
    ratings, scales = squality("correctness"), {"quality": PERCENT}
    pairwise = apply_filter(ratings, FilterPolicy(conflict=1.0), scales=scales)
    (removed,) = [v for v in pairwise.raters if not v.kept]
    assert removed.rater == "w6" and removed.agreement == pytest.approx(0.3934, abs=5e-5)
    assert pairwise.kept_items == 300
    assert pairwise.agreement["before"].value == pytest.approx(0.585694, abs=1e-6)
    assert pairwise.agreement["after_items"].value == pytest.approx(0.777940, abs=1e-6)
    loo = apply_filter(ratings, FilterPolicy(method="loo", conflict=1.0), scales=scales)
    assert all(v.kept for v in loo.raters)
    assert scores(loo)["w6"] == pytest.approx(0.4089, abs=5e-5)


def test_squality_overall_keeps_everybody(squality: Callable[[str], pd.DataFrame]) -> None:
    outcome = apply_filter(squality("overall"), FilterPolicy(conflict=1.0), scales={"quality": PERCENT})
    expected = {"w2": 0.7438, "w3": 0.8065, "w6": 0.8476, "w8": 0.8294}
    assert scores(outcome) == pytest.approx(expected, abs=5e-5)
    assert outcome.agreement["after_items"].value == pytest.approx(0.806823, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "passes", "removed", "few", "conflict", "by_raters", "kept_answers", "after", "alpha_after"),
    [
        ("pairwise", "one_pass", 9, 589, 0, 1076, 33, 0.712983, 0.6561),
        ("pairwise", "worst_first", 5, 930, 6, 231, 531, 0.584817, 0.4359),
        ("loo", "one_pass", 9, 242, 0, 1449, 7, None, 0.4658),
        ("loo", "worst_first", 5, 998, 1, 449, 250, 0.581475, 0.5000),
    ],
)
def test_ten_thousand_prompts_depend_on_the_order_of_removal(
    alttest: Callable[[str], pd.DataFrame], method: str, passes: str, removed: int, few: int, conflict: int,
    by_raters: int, kept_answers: int, after: float | None, alpha_after: float,
) -> None:  # fmt: skip
    ratings = alttest("10k_prompts")
    outcome = apply_filter(ratings, FilterPolicy(method=method, passes=passes), scales={"quality": STARS})
    assert sum(not v.kept for v in outcome.raters) == removed
    expected = {"by_raters": by_raters, "too_few": few, "conflict": conflict, "kept": kept_answers}
    assert outcome.losses.answers == expected
    assert sum(outcome.losses.ratings.values()) == len(ratings) == 3844
    assert outcome.agreement["after_items"].value == pytest.approx(after, abs=1e-6)
    assert alpha(outcome.kept) == pytest.approx(alpha_after, abs=5e-5)
    assert outcome.stopped is not None
