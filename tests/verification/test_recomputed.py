"""What commands and pack print, recomputed from the files as they were downloaded (`plain.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgelab.cli.demo import SAMPLE_DATA
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite
from tests.verification import plain
from tests.verification.conftest import Bring

STARS, HALVES = range(1, 6), (0, 1)
figure = pytest.approx


def printed(store: Store, *words: str) -> Any:
    """Return what a command prints with `--json`."""
    process = judgelab(store.url, *words, "--json")
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def only_row(rows: list[dict[str, Any]], **keys: object) -> dict[str, Any]:
    """Return the only row with these entries."""
    (match,) = [row for row in rows if all(row.get(key) == value for key, value in keys.items())]
    return match


@pytest.fixture(scope="module")
def labels(datasets: Path) -> pd.DataFrame:
    return pd.read_csv(datasets / "qa-eval-nq301" / "labels_12systems.csv")


@pytest.mark.datasets
def test_accuracies_of_systems(qa_eval: Store, labels: pd.DataFrame, datasets: Path) -> None:
    predictions = pd.read_json(datasets / "qa-eval-nq301" / "predictions_12systems.jsonl", lines=True)
    scores = [
        plain.exact_and_f1(*row) for row in zip(predictions["prediction"], predictions["answer"], strict=True)
    ]
    metrics = pd.DataFrame(scores, columns=["exact_match", "token_f1"]).groupby(predictions["system"]).mean()
    human = labels.groupby("system")["human"].mean()
    for metric in metrics:
        systems = printed(qa_eval, "means", "p", metric)["systems"]
        assert {row["system"]: row["judge_only"]["value"] for row in systems} == figure(
            metrics[metric].to_dict()
        )
        assert {row["system"]: row["human"]["value"] for row in systems} == figure(human.to_dict())
        assert {row["rated_responses"] for row in systems} == {301}


@pytest.mark.datasets
def test_one_number_per_system(qa_eval: Store, labels: pd.DataFrame) -> None:
    words = ("agreement", "p", "--level", "system", "--coefficient", "spearman", "--coefficient", "kendall")
    rows = printed(qa_eval, *words)["rows"]
    means = labels.groupby("system").mean(numeric_only=True)
    for name in ("spearman", "kendall"):
        for rater, column in (("gpt4_zero_shot", "gpt4_zero_shot"), ("bem", "bem"), ("exact_match", "em")):
            row = only_row(rows, rater=rater, coefficient=name)
            assert row["value"] == figure(plain.correlation(means["human"], means[column], name))
            assert row["n"] == 12


@pytest.mark.datasets
def test_kappa_of_the_verdicts(qa_eval: Store, labels: pd.DataFrame) -> None:
    rows = printed(qa_eval, "agreement", "p", "--coefficient", "kappa", "--coefficient", "exact")["rows"]
    kappas = {
        judge: plain.kappa(labels["human"], labels[judge], HALVES)
        for judge in ("gpt4_zero_shot", "text_davinci_003", "bem")
    }
    for judge, expected in kappas.items():
        row = only_row(rows, rater=judge, coefficient="kappa")
        assert (row["value"], row["n"], row["unscored"]) == (figure(expected), 3612, 0)
        share_equal = (labels["human"] == labels[judge]).mean()
        assert only_row(rows, rater=judge, coefficient="exact")["value"] == figure(share_equal)
    right = labels["human"].mean()
    always = only_row(rows, rater="baseline: always the same answer", coefficient="exact")
    assert always["value"] == figure(max(right, 1 - right))
    assert only_row(rows, rater="baseline: always the same answer", coefficient="kappa")["value"] == 0
    random_answers = only_row(rows, rater="baseline: random answers by prevalence", coefficient="exact")
    assert random_answers["value"] == figure(right**2 + (1 - right) ** 2)
    (pair,) = printed(qa_eval, "compare", "p", "gpt4_zero_shot", "bem")["criteria"][0]["contrasts"]
    assert pair["difference"]["value"] == figure(kappas["gpt4_zero_shot"] - kappas["bem"])


@pytest.fixture(scope="module")
def experts(datasets: Path) -> pd.DataFrame:
    rated = pd.read_csv(datasets / "summeval" / "ratings_experts.csv")
    return rated.pivot(index=["doc_id", "system"], columns="rater")


@pytest.fixture(scope="module")
def judges(datasets: Path) -> pd.DataFrame:
    judged = pd.read_csv(datasets / "summeval" / "judges_alttest.csv")
    return judged.pivot(index=["doc_id", "system"], columns="judge")


@pytest.fixture(scope="module")
def words(datasets: Path) -> pd.Series:
    texts = pd.read_json(datasets / "summeval" / "summaries.jsonl", lines=True)
    return texts.set_index(["doc_id", "system"])["summary"].str.split().str.len()


@pytest.mark.datasets
def test_within_items_the_judge_the_raters_and_length_on_the_same_targets(
    summeval: Store, experts: pd.DataFrame, judges: pd.DataFrame, words: pd.Series
) -> None:
    named = ("--coefficient", "spearman", "--coefficient", "kendall")
    output = printed(summeval, "agreement", "p", "--criterion", "coherence", "--beside", *named)
    ratings, people = experts["coherence"], experts["coherence"].mean(axis=1)
    for judge in ("gpt-4o", "mistral-v03"):
        own = judges["coherence"][judge]
        for name in ("spearman", "kendall"):
            values = plain.within(people, own, "doc_id", name)
            row = only_row(output["rows"], rater=judge, coefficient=name)
            assert row["value"] == figure(np.mean(values))
        beside = only_row(output["beside"], rater=judge, coefficient="spearman")
        means: dict[str, list[float]] = {"judge": [], "raters": [], "words": []}
        for rater in ratings:
            others_ratings = plain.others(ratings, rater)
            sides = {"judge": own, "raters": ratings[rater], "words": words}
            for who, side in sides.items():
                means[who].append(np.mean(plain.within(others_ratings, side, "doc_id", "spearman")))
        assert beside["value"] == figure(np.mean(means["judge"]))
        assert beside["raters"] == figure(np.mean(means["raters"]))
        assert beside["difference"] == figure(np.mean(means["judge"]) - np.mean(means["raters"]))
        assert beside["baseline_value"] == figure(abs(np.mean(means["words"])))
    constant = (judges["coherence"]["mistral-v03"].groupby("doc_id").nunique() == 1).sum()
    row = only_row(output["rows"], rater="mistral-v03", coefficient="spearman")
    assert row["undefined_reasons"] == {"judge_constant": constant}


@pytest.mark.datasets
def test_within_systems_and_one_number_per_system(
    summeval: Store, experts: pd.DataFrame, judges: pd.DataFrame
) -> None:
    people, own = experts["relevance"].mean(axis=1), judges["relevance"]["gemini_pro"]
    words = ("--coefficient", "pearson", "--coefficient", "kendall", "--criterion", "relevance")
    by_system = (side.groupby("system").mean() for side in (people, own))
    first, second = by_system
    for level, name, expected in (
        ("sys", "pearson", np.mean(plain.within(people, own, "system", "pearson"))),
        ("sys", "kendall", np.mean(plain.within(people, own, "system", "kendall"))),
        ("system", "pearson", plain.correlation(first, second)),
        ("system", "kendall", plain.correlation(first, second, "kendall")),
    ):
        rows = printed(summeval, "agreement", "p", "--level", level, *words)["rows"]
        assert only_row(rows, rater="gemini_pro", coefficient=name)["value"] == figure(expected), (
            level,
            name,
        )


@pytest.mark.datasets
def test_pooled_coefficients_of_points(
    summeval: Store, experts: pd.DataFrame, judges: pd.DataFrame, words: pd.Series
) -> None:
    named = [
        word
        for name in ("pearson", "qwk", "kappa", "alpha", "exact", "mae")
        for word in ("--coefficient", name)
    ]
    rows = printed(summeval, "agreement", "p", "--level", "none", "--criterion", "coherence", *named)["rows"]
    people, own = experts["coherence"].mean(axis=1), judges["coherence"]["gpt-4o"]
    columns = pd.concat([people, own], axis=1, keys=["people", "judge"])
    for name, expected in (
        ("pearson", plain.correlation(people, own)),
        ("qwk", plain.kappa(people, own, STARS, "quadratic")),
        ("kappa", plain.kappa(people, own, STARS)),
        ("alpha", plain.alpha(columns.assign(people=plain.points(people)), "ordinal")),
        ("exact", (plain.points(people) == own).mean()),
        ("mae", (people - own).abs().mean()),
    ):
        assert only_row(rows, rater="gpt-4o", coefficient=name)["value"] == figure(expected), name
    length = only_row(rows, rater="baseline: word count", coefficient="pearson")
    assert length["value"] == figure(plain.correlation(people, words))


@pytest.mark.datasets
def test_the_experts_among_themselves(summeval: Store, experts: pd.DataFrame) -> None:
    rows = printed(summeval, "raters", "p", "--coefficient", "alpha_ordinal", "--coefficient", "mean_r")[
        "rows"
    ]
    pairs = printed(summeval, "raters", "p", "--pairs")["criteria"]
    for criterion in ("coherence", "fluency"):
        ratings = experts[criterion]
        values = {row["coefficient"]: row["value"] for row in rows if row["criterion"] == criterion}
        r = np.mean(list(plain.pairwise(ratings).values()))
        assert values == figure({"alpha_ordinal": plain.alpha(ratings, "ordinal"), "mean_r": r})
        for pair in only_row(pairs, criterion=criterion)["pairs"]:
            sides = (ratings[pair["first"]], ratings[pair["second"]])
            assert pair["value"] == figure(plain.kappa(*sides, STARS, "quadratic"))
            assert pair["n"] == 1600


@pytest.mark.datasets
def test_rouge_2(summeval: Store, experts: pd.DataFrame, datasets: Path) -> None:
    score_project(summeval, "p", ["rouge2"], options={"references": "mean", "stemmer": True})
    folder = datasets / "summeval"
    references = pd.read_json(folder / "documents.jsonl", lines=True).set_index("doc_id")["references"]
    texts = pd.read_json(folder / "summaries.jsonl", lines=True).set_index(["doc_id", "system"])["summary"]
    own = pd.Series({key: plain.rouge2(text, references[key[0]]) for key, text in texts.items()})
    own.index = own.index.set_names(["doc_id", "system"])
    means = printed(summeval, "means", "p", "rouge2", "--criterion", "relevance")["systems"]
    assert {row["system"]: row["judge_only"]["value"] for row in means} == figure(
        own.groupby("system").mean().to_dict()
    )
    people = experts["relevance"].mean(axis=1)
    assert {row["system"]: row["human"]["value"] for row in means} == figure(
        people.groupby("system").mean().to_dict()
    )


@pytest.mark.datasets
def test_squality(bring: Bring, datasets: Path) -> None:
    store = bring("squality-human-eval", preset="squality-human-eval")
    long = pd.read_csv(datasets / "squality-human-eval" / "ratings_long.csv")
    columns = ["passage_id", "question_no", "system"]
    ratings = long.pivot(index=columns, columns="worker", values="correctness")
    output = printed(store, "quality", "p", "--criterion", "correctness")
    before, (excluded, remaining) = plain.pairwise(ratings), plain.quality_rule(ratings, 0, 100)
    assert [rater["rater"] for rater in output["raters"] if not rater["kept"]] == excluded == ["w6"]
    for rater in output["raters"]:
        assert rater["agreement_before"] == figure(plain.mean_r(before, rater["rater"]))
    after = np.mean(list(plain.pairwise(remaining).values()))
    assert output["agreement"]["before"] == figure(np.mean(list(before.values())))
    assert output["agreement"]["after_items"] == figure(after)
    assert output["kept_items"] == len(remaining) == 300
    loo = printed(store, "quality", "p", "--criterion", "correctness", "--method", "loo")["raters"]
    for rater in loo:
        others_ratings = plain.others(ratings, rater["rater"])
        assert rater["agreement_before"] == figure(plain.correlation(ratings[rater["rater"]], others_ratings))
    rows = printed(store, "raters", "p", "--coefficient", "alpha_interval")["rows"]
    assert only_row(rows, criterion="correctness")["value"] == figure(plain.alpha(ratings, "interval"))
    means = printed(store, "means", "p", "--criterion", "correctness")["systems"]
    assert {row["system"]: row["human"]["value"] for row in means} == figure(
        ratings.mean(axis=1).groupby("system").mean().to_dict()
    )


@pytest.mark.datasets
def test_cebab(bring: Bring, datasets: Path) -> None:
    files = [f"alttest-labels/cebab_stars_{who}_annotations.json" for who in ("human", "llm")]
    store = bring(*files, preset="alttest-labels", create_missing=True)
    ratings, judges = (pd.DataFrame(json.loads((datasets / name).read_text())) for name in files)
    output = printed(store, "quality", "p")
    excluded, remaining = plain.quality_rule(ratings, 1, 5)
    assert [rater["rater"] for rater in output["raters"] if not rater["kept"]] == excluded == ["w40"]
    assert only_row(output["raters"], rater="w40")["agreement"] == figure(
        plain.mean_r(plain.pairwise(ratings), "w40")
    )
    assert output["agreement"]["after_items"] == figure(np.mean(list(plain.pairwise(remaining).values())))
    judge, people = judges["gpt-4o"], ratings.mean(axis=1)
    beside = only_row(
        printed(store, "agreement", "p", "--beside")["beside"], rater="gpt-4o", coefficient="spearman"
    )
    rests = {rater: plain.others(ratings, rater) for rater in ratings}
    raters_rho = [
        plain.correlation(others_mean, ratings[rater], "spearman") for rater, others_mean in rests.items()
    ]
    own = [
        plain.correlation(others_mean, judge.reindex(others_mean.index), "spearman")
        for others_mean in rests.values()
    ]
    assert (beside["raters"], beside["value"]) == (figure(np.mean(raters_rho)), figure(np.mean(own)))
    assert beside["baseline"] is None  # the set has no texts, so that no length is known
    (pair,) = printed(store, "compare", "p", "gpt-4o", "mistral-v03")["criteria"][0]["contrasts"]
    rho = [plain.correlation(people, judges[name], "spearman") for name in ("gpt-4o", "mistral-v03")]
    assert pair["difference"]["value"] == figure(rho[0] - rho[1])
    (trusted,) = printed(store, "trust", "p", "gpt-4o", "--epsilon", "0.1")["criteria"]
    rate, advantage = plain.stand_in(ratings, judge, 0.1)
    assert trusted["alternative"]["winning_rate"]["value"] == figure(rate)
    assert trusted["alternative"]["advantage"]["value"] == figure(advantage)
    r, k = np.mean(list(plain.pairwise(ratings).values())), ratings.notna().sum(axis=1).mean()
    assert trusted["reliability"]["of_mean"]["value"] == figure(k * r / (1 + (k - 1) * r))
    for pair_row in printed(store, "raters", "p", "--pairs")["criteria"][0]["pairs"][:8]:
        shared = ratings[[pair_row["first"], pair_row["second"]]].dropna()
        assert pair_row["n"] == len(shared)
        if pair_row["value"] is not None:
            assert pair_row["value"] == figure(
                plain.kappa(*(shared[name] for name in shared), STARS, "quadratic")
            )


def test_the_demo_project_by_command_and_in_the_pack(tmp_path: Path) -> None:
    """By the rule: who goes, what each figure stands on, unscored replies, raters alone and in common."""
    store = open_store(new_sqlite(tmp_path / "p.db"))
    load_demo(store, "kitchen")
    rated = pd.read_csv(SAMPLE_DATA / "kitchen" / "ratings.csv")
    ratings = rated.pivot(index=["item_id", "system"], columns="rater", values="score")
    excluded, remaining = plain.quality_rule(ratings, 0, 3)
    people = remaining.mean(axis=1)
    judged = pd.read_json(SAMPLE_DATA / "kitchen" / "judgments.jsonl", lines=True)
    judge = judged[judged["rater"] == "Demo judge A"].set_index(["item_id", "system"])["score"]
    common = people[judge.reindex(people.index).notna()]

    rule = printed(store, "quality", "demo-kitchen")
    assert sorted(rater["rater"] for rater in rule["raters"] if not rater["kept"]) == sorted(excluded)
    assert rule["kept_items"] == len(remaining)
    assert rule["agreement"]["after_items"] == figure(np.mean(list(plain.pairwise(remaining).values())))

    pack = tmp_path / "pack"
    process = judgelab(store.url, "report", "demo-kitchen", str(pack), "--no-data")
    assert process.returncode == 0, process.stderr
    rows = pd.read_csv(pack / "tables" / "agreement.csv").to_dict("records")
    for name in ("spearman", "pearson", "kendall"):
        agreement = only_row(rows, rater="Demo judge A", coefficient=name)
        assert agreement["value"] == figure(plain.correlation(common, judge.reindex(common.index), name))
    assert (agreement["n"], agreement["n_missing"]) == (len(common), len(people) - len(common))
    assert agreement["unscored"] == judge.isna().sum()
    qwk = only_row(rows, rater="Demo judge A", coefficient="qwk")["value"]
    assert qwk == figure(plain.kappa(common, judge.reindex(common.index), range(4), "quadratic"))
    systems = pd.read_csv(pack / "tables" / "systems.csv").set_index("system")["mean"]
    assert systems.to_dict() == figure(people.groupby("system").mean().to_dict())

    means = printed(store, "means", "demo-kitchen", "Demo judge A")
    where = {row["system"]: row for row in means["systems"]}
    for system, human_means in people.groupby("system"):
        assert (where[system]["human"]["value"], where[system]["human"]["n"]) == (
            figure(human_means.mean()),
            len(human_means),
        )
        shared = common.xs(system, level="system")
        assert where[system]["human_where_judged"]["value"] == figure(shared.mean())
        assert where[system]["human_where_judged"]["n"] == len(shared)
    apart = people.unstack()[["writer", "extractor"]].dropna()
    (gap,) = means["differences"]
    assert gap["human"]["value"] == figure((apart["writer"] - apart["extractor"]).mean())
    assert gap["human"]["n"] == len(apart)

    claim = printed(store, "more", "demo-kitchen", "Demo judge A")
    assert claim["present"]["value"] == figure(plain.stand_in(remaining, judge, 0.2)[0])
    store.close()
