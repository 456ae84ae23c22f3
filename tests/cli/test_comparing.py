"""`judgelab compare`, `means`, `more` and `raters --coefficient` on the sample data, as scripts read them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.rated_at_random import recorded_random_sampling
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.cli.demo import FILTER_NAME, SAMPLE_DATA, sample_files
from judgelab.domain import Criterion
from judgelab.errors import NotFound
from judgelab.imports.service import import_files
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project, find_project
from tests.command import judgelab
from tests.databases import new_sqlite

PROJECT = "demo-kitchen"
A, B = "Demo judge A", "Demo judge B"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The kitchen project with two metrics, without the learned judge of the demo, which takes longer."""
    url = new_sqlite(tmp_path_factory.mktemp("cli") / "c.db")
    store = open_store(url)
    folder = SAMPLE_DATA / "kitchen"
    description = json.loads((folder / "project.json").read_text(encoding="utf-8"))
    criteria = [Criterion(**criterion) for criterion in description.pop("criteria")]
    with store.writing() as session:
        create_project(session, criteria=criteria, **description)
    for name, kind, _mapping in sample_files(folder):
        import_files(store, PROJECT, [(name, folder / name)], kind=kind)
    score_project(store, PROJECT, ["rouge1", "length"])
    save_filter(store, PROJECT, FILTER_NAME, FilterPolicy())
    store.close()
    return url


@pytest.fixture
def store(address: str) -> Store:
    return open_store(address)


def test_compare_gives_each_judge_its_place_and_each_pair_its_test(address: str) -> None:
    result = judgelab(
        address, "compare", PROJECT, A, B, "--coefficient", "spearman", "--level", "none", "--json"
    )
    assert result.returncode == 0, result.stderr
    comparison = json.loads(result.stdout)
    (criterion,) = comparison["criteria"]
    assert {row["rater"] for row in criterion["raters"]} == {A, B}
    for row in criterion["raters"]:
        assert row["value"] is not None and row["ci"] and row["cluster"] and row["n"] == criterion["n"]
    (contrast,) = criterion["contrasts"]
    low, high = contrast["difference"]["ci"]
    assert low < contrast["difference"]["value"] < high
    assert contrast["test"]["test"] == "perm_inputs" and 0 < contrast["test"]["p_adjusted"] <= 1
    assert criterion["units_not_scored_by_all"] > 0  # each judge left some responses unscored
    output = judgelab(address, "compare", PROJECT, "--baseline", "rouge1").stdout
    assert "Agreement is with the mean of all raters, not of all but one." in output
    assert f"{A} - rouge1" in output and f"{A} - {B}" not in output
    values = {
        match[1]: float(match[2]) for match in re.finditer(r"^  \S (\S.*?)  +(-?\d\.\d+)", output, re.M)
    }
    pairs = re.findall(r"^    (\S.*?) - (\S.*?)  +(-?\d\.\d+)", output, re.M)
    assert pairs and all(round(values[one] - values[two], 3) == float(gap) for one, two, gap in pairs)
    assert "Differences are between the rounded numbers printed" in output


def test_one_judge_alone_has_no_p_value_of_which_to_say_anything(store: Store) -> None:
    one_judge = compare_judges(store, PROJECT, raters=[A], resamples=0)
    assert one_judge.family == 0 and one_judge.to_json()["p_values"] == ""
    two_judges = compare_judges(store, PROJECT, raters=[A, B], resamples=0)
    assert two_judges.tests_description.endswith("there is only one test, so p is not corrected")
    three_judges = compare_judges(store, PROJECT, raters=[A, B, "rouge1"], resamples=0)
    assert "corrected jointly over" in three_judges.tests_description


def test_compare_names_who_is_not_there(address: str) -> None:
    result = judgelab(address, "compare", PROJECT, "Demo judge C")
    assert result.returncode == 1 and A in result.stderr


def test_means_ask_whether_the_sample_is_random_and_remember(address: str, store: Store) -> None:
    unknown = json.loads(judgelab(address, "means", PROJECT, "rouge1", "--json").stdout)
    assert {row["system"] for row in unknown["systems"]} == {"extractor", "writer"}
    assert unknown["labelled_at_random"] is None
    row = unknown["systems"][0]
    assert (
        row["unlabelled"] > 0
        and row["powered"]["value"] is None
        and "how the rated items were selected" in row["powered"]["reason"]
    )
    assert row["human"]["ci"]
    random = json.loads(judgelab(address, "means", PROJECT, "rouge1", "--random", "--json").stdout)
    assert all(row["powered"]["ci"] and row["powered"]["params"]["lambda"] >= 0 for row in random["systems"])
    assert random["differences"][0]["powered"]["value"] is not None
    with store.reading() as session:
        assert recorded_random_sampling(find_project(session, PROJECT).settings, "answers") is True
    later_means = json.loads(judgelab(address, "means", PROJECT, "rouge1", "--json").stdout)
    assert later_means["labelled_at_random"] is True and later_means["systems"] == random["systems"]


def test_more_answers_for_judges_for_a_stand_in_and_for_systems(address: str) -> None:
    judges = json.loads(judgelab(address, "more", PROJECT, A, "length", "--json").stdout)
    assert judges["claim"] == "judges" and judges["items"]["steps"] and judges["answer"]
    output = judgelab(address, "more", PROJECT, A, "length", "--level", "none", "--most", "60").stdout
    assert output.splitlines()[0].endswith("(spearman, none)")
    swapped = json.loads(judgelab(address, "more", PROJECT, "length", A, "--json").stdout)
    assert swapped["present"]["value"] == pytest.approx(-judges["present"]["value"])
    stand_in = json.loads(judgelab(address, "more", PROJECT, A, "--json", "--epsilon", "0.1").stdout)
    assert stand_in["claim"] == "stand_in" and stand_in["recipe"]["epsilon"] == 0.1
    words = ("more", PROJECT, "writer", "extractor", "--claim", "systems", "--most", "60")
    systems = json.loads(judgelab(address, *words, "--json").stdout)
    assert systems["items"]["most_tried"] == 60 and systems["raters"]["steps"]
    assert judgelab(address, *words).stdout.startswith("now: ")
    refused = judgelab(address, "more", PROJECT, A, "--claim", "systems")
    assert refused.returncode == 1 and "two names" in refused.stderr


def test_raters_among_themselves_in_any_coefficient(address: str) -> None:
    result = judgelab(
        address, "raters", PROJECT, "--coefficient", "fleiss", "--coefficient", "icc_a", "--json"
    )
    fleiss, icc = json.loads(result.stdout)["rows"]
    assert fleiss["ci"] and 0 < fleiss["value"] < 1
    assert icc["value"] is None and "all 6 raters" in icc["reason"]  # nobody rated everything
    all_coefficients = judgelab(address, "raters", PROJECT, "--coefficient", "all", "--beside", "all").stdout
    assert "alpha_ordinal" in all_coefficients and "kendall_w" in all_coefficients
    assert judgelab(address, "raters", PROJECT, "--coefficient", "flies").returncode == 1


def test_agreement_takes_the_further_coefficients(address: str) -> None:
    words = (
        "agreement",
        PROJECT,
        "--level",
        "none",
        "--coefficient",
        "somers",
        "weighted_tau",
        "ccc",
        "--json",
    )
    rows = json.loads(judgelab(address, *words).stdout)["rows"]
    values = {row["coefficient"]: row["value"] for row in rows if row["rater"] == A}
    assert set(values) == {"somers", "weighted_tau", "ccc"} and None not in values.values()


def test_systems_that_the_raters_put_level_have_no_order_and_ratings_may_be_missing(address: str) -> None:
    head = "item_id,question,system,response,rater,rater_kind,criterion,score\n"
    rows = [
        f"q{n},Q{n}?,{system},text {n}{system},{rater},{kind},{criterion},{score}"
        for n in range(6)
        for system in "AB"
        for rater, kind in (("Ann", "human"), ("Ben", "human"), ("J", "judge"))
        for criterion, score in (("c", 1 + (n + (kind == "judge") * (system == "B")) % 3), ("d", 2))
        if criterion == "c" or kind == "judge"
    ]
    file = Path(address.removeprefix("sqlite:///")).parent / "level.csv"
    file.write_text(head + "\n".join(rows))
    judgelab(address, "project", "create", "Level")
    assert judgelab(address, "import", "level", str(file)).returncode == 0
    output = judgelab(address, "trust", "level", "J").stdout
    assert re.search(r"no order to compare\. \(n = \d+ items\)", output) and re.search(
        r"\(n = \d+ responses\)", output
    )
    assert "No scored response has a rating on “d”" in output and "has no score on" not in output


def test_the_answer_about_a_judge_is_computed_and_says_what_is_not_possible(store: Store) -> None:
    judge = measure_trust(store, PROJECT, A, resamples=200)
    (criterion,) = judge.criteria.values()
    statements = {statement.about: statement for statement in trust_statements(judge)}
    assert (
        statements["agreement"].good is False and statements["stand_in"].good is criterion.alternative.passed
    )
    assert ("length" in statements) == ((criterion.verbosity.test.p or 1) < 0.05)
    assert set(criterion.parts) >= {"group", "system", "length", "score"}
    metric = measure_trust(store, PROJECT, "rouge1", resamples=50)
    assert metric.criteria["answers"].alternative.passed is None and not metric.criteria["answers"].parts
    assert "not on the criterion's scale" in " ".join(str(s.text) for s in trust_statements(metric))
    repeated = measure_trust(store, PROJECT, B, resamples=50).criteria["answers"].consistency
    assert repeated.icc.value is not None and 0 < (repeated.flips.value or 0) < 1
    with pytest.raises(NotFound, match="Demo judge A"):
        measure_trust(store, PROJECT, "Demo judge")


def test_agreement_among_people_has_a_row_for_every_coefficient(store: Store) -> None:
    agreement = inter_rater_agreement(store, PROJECT, resamples=0)
    assert all(
        estimate.value is not None or estimate.reason for estimate in agreement.criteria["answers"].values()
    )


def test_trust_answers_in_sentences_and_gives_every_figure(address: str) -> None:
    result = judgelab(address, "trust", PROJECT, A, "--coefficient", "kendall", "--json")
    assert result.returncode == 0, result.stderr
    trust = json.loads(result.stdout)
    assert trust["answer"][0]["about"] == "agreement" and trust["unscored"] == 2
    (criterion,) = trust["criteria"]
    assert criterion["beside"]["coefficient"] == "kendall" and criterion["alternative"]["humans"]
    assert {row["rater"] for row in criterion["alternative"]["humans"]} <= {
        "Alva",
        "Bram",
        "Cosima",
        "Dorian",
        "Elske",
        "Fenno",
    }
    assert criterion["systems"]["pairs"][0]["human"]["ci"] and criterion["parts"]["system"]["slices"]
    assert {row["question"]: row["mark"] for row in trust["table"]}["systems"] == "yes"
    text = judgelab(address, "trust", PROJECT, A).stdout
    assert text.startswith("On “Answers the question”, Demo judge A")
    assert "is non-inferior with a margin of 0.1" in text
    assert "\n\nAnswers the question\n  As good as a rater?                no (n = 78 responses)\n" in text
    assert "There are no comparisons" in judgelab(address, "strengths", PROJECT).stdout
