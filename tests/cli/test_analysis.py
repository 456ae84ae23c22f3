"""`judgelab quality` and `judgelab agreement` on the sample data, with the JSON that scripts depend on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.analysis.data.saved_filters import list_filters
from judgelab.analysis.disagreement.conflicts import decide_conflict, find_conflicts
from judgelab.cli.analysis import OWN_INTERVAL_BESIDE
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.service import create_run
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.people import people
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite
from tests.runs.judging import judge
from tests.runs.projects import flasks, rate


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = new_sqlite(tmp_path_factory.mktemp("cli") / "a.db")
    store = open_store(url)
    load_demo(store, "kitchen")
    store.close()
    return url


def test_quality_names_who_goes_and_why(address: str) -> None:
    result = judgelab(address, "quality", "demo-kitchen", "--json")
    assert result.returncode == 0, result.stderr
    outcome = json.loads(result.stdout)
    assert {row["rater"] for row in outcome["raters"] if not row["kept"]} == {"Jory", "Mirren"}
    for rater in outcome["raters"]:
        assert rater.keys() >= {"rater", "criterion", "agreement", "reason", "kept"}
        assert rater["kept"] or "is below 0.40" in rater["reason"]
    for item in outcome["items"]:
        assert item.keys() >= {"item", "system", "criterion", "reason", "kept"}
    assert outcome["kept_items"] == sum(item["kept"] for item in outcome["items"])
    assert outcome["agreement"].keys() == {"before", "after_raters", "after_items"}
    assert outcome["agreement"]["before"] < outcome["agreement"]["after_raters"]


def test_quality_says_what_goes_why_and_what_that_does_to_agreement(address: str) -> None:
    words = ("quality", "demo-kitchen", "--threshold", "0.4")
    outcome = json.loads(judgelab(address, *words, "--json").stdout)
    output = judgelab(address, *words).stdout
    ratings, answers = outcome["losses"]["ratings"], outcome["losses"]["answers"]
    assert (
        f"{ratings['by_raters']} ratings ({answers['by_raters']} responses) removed with their" in output
        or (
            not answers["by_raters"]
            and f"{ratings['by_raters']} ratings removed with their raters." in output
        )
    )
    assert f"{ratings['kept']} ratings ({answers['kept']} responses) kept." in output
    before, after = outcome["agreement"]["before"], outcome["agreement"]["after_items"]
    assert f"mean r between raters {before:.2f} [" in output or f"raters {before:.2f} before" in output
    assert f"{after:.2f} after" in output


def test_beside_measures_judges_against_what_the_people_are_measured_against(address: str) -> None:
    words = ("agreement", "demo-kitchen", "--level", "none", "--coefficient", "spearman", "--policy", "none")
    data = json.loads(judgelab(address, *words, "--beside", "--json").stdout)
    vs_all = {row["rater"]: row for row in data["rows"] if row["rater_kind"] != "human"}
    vs_others = {row["rater"]: row for row in data["beside"]}
    assert vs_all.keys() == vs_others.keys()
    rows = [row for row in vs_others.values() if row["difference_ci"] is not None]
    assert rows and all(row["difference_ci"][0] < row["difference"] < row["difference_ci"][1] for row in rows)
    assert all(row["difference_reason"] or row["difference"] is not None for row in vs_others.values())
    assert all(row["n"] <= vs_all[name]["n"] for name, row in vs_others.items())
    output = judgelab(address, *words, "--beside").stdout
    row = rows[0]
    difference = float(f"{row['value']:.4f}") - float(f"{row['raters']:.4f}")
    assert f", difference {difference:+.4f}" in output.split("but one, as raters are:")[1], "as printed"
    assert row["difference"] == pytest.approx(row["value"] - row["raters"])
    assert row["baseline_difference"] == pytest.approx(row["value"] - row["baseline_value"])
    assert f"baseline: word count {row['baseline_value']:.4f}" in output
    assert OWN_INTERVAL_BESIDE in output and OWN_INTERVAL not in output
    assert "beside" not in json.loads(judgelab(address, *words, "--json").stdout)
    assert "at most" not in judgelab(address, *words).stderr
    within_items = judgelab(
        address, "agreement", "demo-kitchen", "--level", "item", "--coefficient", "spearman"
    )
    assert "note: items have at most 2 responses" in within_items.stderr and "--beside" in within_items.stdout


def test_a_saved_rule_is_used_by_agreement_until_told_otherwise(address: str) -> None:
    saved = judgelab(address, "quality", "demo-kitchen", "--threshold", "-1", "--save", "everybody stays")
    assert saved.returncode == 0, saved.stderr
    words = ("agreement", "demo-kitchen", "--level", "none", "--coefficient", "spearman", "--json")
    in_use = json.loads(judgelab(address, *words).stdout)
    assert in_use["filter"]["name"] == "everybody stays"
    output = judgelab(address, *words[:-1]).stdout
    assert output.endswith("Ratings: “everybody stays”, version 1.\n")
    for command in (
        ("means", "demo-kitchen", "rouge1"),
        ("patterns", "demo-kitchen", "--judge", "Demo judge A"),
        ("more", "demo-kitchen", "rouge1", "rouge2"),
        ("compare", "demo-kitchen"),
        ("trust", "demo-kitchen", "Demo judge A"),
    ):
        output = judgelab(address, *command).stdout
        assert output.endswith("Ratings: “everybody stays”, version 1.\n"), command
    unfiltered = json.loads(judgelab(address, *words, "--policy", "none").stdout)
    assert unfiltered["filter"] is None
    careful = json.loads(judgelab(address, *words, "--policy", "ELECT's filter").stdout)
    assert careful["filter"]["name"] == "ELECT's filter"
    assert _rho(careful) != _rho(unfiltered)


def test_decisions_enter_only_when_asked_and_are_said(address: str, tmp_path: Path) -> None:
    store = open_store(address)
    try:
        conflict = find_conflicts(store, "demo-kitchen", criterion="answers", policy="none")[0]
        with store.writing() as session:
            olga = people.find_or_create(session, "Olga", role="owner")
        decide_conflict(
            store, "demo-kitchen", response=conflict.response, criterion="answers", score=1, person_id=olga
        )
    finally:
        store.close()
    words = ("agreement", "demo-kitchen", "--level", "none", "--coefficient", "mae", "--policy", "none")
    plain = json.loads(judgelab(address, *words, "--json").stdout)
    with_decisions = json.loads(judgelab(address, *words, "--decisions", "--json").stdout)
    assert (
        plain["decisions"] is None
        and with_decisions["decisions"] == 1
        and _rho(plain) != _rho(with_decisions)
    )
    output = judgelab(address, *words, "--decisions").stdout
    assert output.endswith("Ratings: no quality filter, 1 adjudicated score in place of ratings.\n")
    refused = judgelab(address, "export", "demo-kitchen", str(tmp_path / "out"), "--decisions")
    assert refused.returncode == 1 and "add --gold" in refused.stderr


def _rho(agreement: dict[str, list[dict[str, object]]]) -> dict[object, object]:
    return {row["rater"]: row["value"] for row in agreement["rows"]}


def test_agreement_rows_have_the_pinned_keys_and_several_coefficients_follow_one_flag(address: str) -> None:
    result = judgelab(
        address, "agreement", "demo-kitchen", "--coefficient", "spearman", "qwk", "mae", "--json"
    )
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    keys = {"rater", "rater_kind", "criterion", "level", "coefficient", "value", "reason", "ci", "n"}
    assert all(row.keys() >= keys | {"groups_used", "groups_undefined"} for row in rows)
    assert {row["coefficient"] for row in rows} == {"spearman", "qwk", "mae"}
    assert {row["level"] for row in rows} == {"none"}, "two responses an item cannot be ranked"
    undefined = [row for row in rows if row["value"] is None]
    assert undefined and all(row["reason"] for row in undefined)


def test_a_judge_of_one_criterion_has_no_average_and_the_reason_stands_there(store: Store) -> None:
    slug = flasks(store, 6, criteria=("clarity", "truth"))
    for key in ("clarity", "truth"):
        rate(store, slug, {n: float(n % 4) for n in range(1, 7)}, criterion=key)
    rule = JudgeSpec("direct", "rule", backend="scripted", samples=1)
    judge(store, create_run(store, slug, rule, Selection(criteria=("truth",))))
    words = ("agreement", slug, "--level", "none", "--coefficient", "spearman")
    rows = json.loads(judgelab(store.url, *words, "--json").stdout)["rows"]
    by_criterion = {row["criterion"]: row for row in rows if row["rater_kind"] == "judge"}
    assert by_criterion.keys() == {"truth", "average"} and by_criterion["truth"]["value"] is not None
    assert by_criterion["average"]["value"] is None and by_criterion["average"]["n"] == 0
    assert by_criterion["average"]["reason"] == "no score under clarity"
    (line,) = [
        text
        for text in judgelab(store.url, *words).stdout.splitlines()
        if "average" in text and "direct rule" in text
    ]
    assert "undefined: no score under clarity" in line


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("agreement", "demo-kitchn"), "Did you mean 'demo-kitchen'?"),
        (
            ("agreement", "demo-kitchen", "--criterion", "fluency"),
            "no criterion named 'fluency'; known: answers.",
        ),
        (("agreement", "demo-kitchen", "--policy", "strict"), "no quality filter named 'strict'"),
        (("quality", "demo-kitchen", "--control", "hit", "--hit-alpha", "2"), "hit_alpha must be between"),
        (("agreement", "demo-kitchen", "--coefficient", "speerman"), "'speerman' is not one of"),
        (("quality",), "Missing argument"),
    ],
)
def test_a_mistake_ends_with_one_sentence_and_exit_code_1(
    address: str, words: tuple[str, ...], sentence: str
) -> None:
    result = judgelab(address, *words)
    assert result.returncode == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr and result.stdout == ""


def test_the_effect_of_a_rule_stands_beside_no_rule_with_its_warning(address: str) -> None:
    result = judgelab(address, "quality", "demo-kitchen", "--effect", "--json")
    assert result.returncode == 0, result.stderr
    (effect,) = json.loads(result.stdout)["effect"]
    unfiltered, rule = effect["all_ratings"], effect["rule"]
    assert rule["people"]["alpha"]["value"] > unfiltered["people"]["alpha"]["value"]
    assert set(rule["judges"]) == set(unfiltered["judges"]) == set(rule["change"]) - {"r", "alpha"}
    for estimate in (*rule["people"].values(), *rule["judges"].values()):
        assert estimate["n"] > 0 and (estimate["ci"] is not None or estimate["value"] is None)
    assert effect["seed"] == 0 and len(effect["grid"]) == 20
    # The same filter makes even random raters look as if they agreed.
    assert 0.1 < effect["random_raters_r"]["value"] < rule["people"]["r"]["value"]
    assert "usually raises agreement" in effect["warning"]
    output = judgelab(address, "quality", "demo-kitchen", "--effect").stdout
    assert "raters scoring at random" in output and "report the figures without the filter too" in output
    assert "with the mean of all raters who are kept, not of all but one" in output
    assert "not ahead in" not in output
    assert "Order and leads of systems: from means after each item's" in output
    assert "Filter: removes raters whose mean r with the other raters is below 0.40 (5 shared" in output


def test_a_locked_rule_names_its_sha256_and_is_not_replaced_without_a_reason(store: Store) -> None:
    slug = flasks(store, 3, criteria=("clarity",))
    locked = judgelab(store.url, "quality", slug, "--save", "main", "--lock", "--json")
    assert locked.returncode == 0, locked.stderr
    rule = json.loads(locked.stdout)["rule"]
    assert rule["locked_ratings"] == 0 and len(rule["sha256"]) == 64 and rule["intact"]
    rate(store, slug, {n: float(n % 4) for n in range(1, 4)}, criterion="clarity")
    words = ("quality", slug, "--threshold", "0.2", "--save", "loose")
    refused = judgelab(store.url, *words)
    assert refused.returncode == 1 and "has been locked since" in refused.stderr
    assert judgelab(store.url, *words, "--reason", "one rater fell ill").returncode == 0
    in_use = json.loads(judgelab(store.url, "agreement", slug, "--json").stdout)
    assert in_use["filter"]["name"] == "loose" and "one rater fell ill" in in_use["filter_note"]


def test_before_the_first_rating_a_filter_can_be_locked_but_not_saved(store: Store) -> None:
    slug = flasks(store, 3, criteria=("clarity",))
    shown = judgelab(store.url, "quality", slug)
    assert shown.returncode == 0 and shown.stdout.startswith("There are no ratings yet.\nFilter: removes ")
    measures = "mean r with the other raters or mean kappa with the other raters is below 0.40"
    assert f"raters whose {measures}" in shown.stdout
    saved = judgelab(store.url, "quality", slug, "--save", "main")
    assert saved.returncode == 1 and saved.stdout == ""
    assert saved.stderr == (
        "There are no ratings yet. Nothing was saved; add --lock to lock the filter before the first.\n"
    )
    assert not list_filters(store, slug)
    locked = judgelab(store.url, "quality", slug, "--save", "main", "--lock")
    assert locked.returncode == 0 and "before the first rating" in locked.stdout


def test_agreement_takes_another_way_of_putting_ratings_together(address: str) -> None:
    words = ("agreement", "demo-kitchen", "--level", "none", "--coefficient", "spearman", "--policy", "none")
    mean = json.loads(judgelab(address, *words, "--json").stdout)
    median = json.loads(judgelab(address, *words, "--aggregate", "median", "--json").stdout)
    assert (mean["aggregate"], median["aggregate"]) == ("mean", "median")
    assert _rho(mean) != _rho(median)
    text = judgelab(address, *words, "--aggregate", "median").stdout
    assert "median of the ratings" in text
    assert "compared with the median of all raters, raters with the median of the other raters" in text


def test_mace_labels_are_chosen_and_named_and_their_ties_are_counted(address: str, store: Store) -> None:
    words = ("agreement", "demo-kitchen", "--level", "none", "--coefficient", "spearman", "--policy", "none")
    by_mace = judgelab(address, *words, "--aggregate", "mace", "--json")
    assert by_mace.returncode == 0, by_mace.stderr
    assert json.loads(by_mace.stdout)["aggregate"] == "mace"
    text = judgelab(address, *words, "--aggregate", "mace").stdout
    assert "compared with the MACE label of all raters" in text and "ties are left out" in text

    slug = flasks(store, 3, criteria=("clarity",))
    rate(store, slug, {n: float(n % 4) for n in range(1, 4)}, criterion="clarity")
    saved = judgelab(store.url, "quality", slug, "--aggregate", "mace", "--save", "classes", "--json")
    assert saved.returncode == 0, saved.stderr
    assert json.loads(saved.stdout)["rule"]["aggregate"] == "mace"


def test_the_control_by_copies_takes_its_options(store: Store) -> None:
    words = ("--control", "hit", "--hit-test", "wilcoxon", "--hit-pairs", "3", "--hit-alpha", "0.01")
    slug = flasks(store, 3, criteria=("clarity",))
    rate(store, slug, {n: float(n % 4) for n in range(1, 4)}, criterion="clarity")
    saved = judgelab(store.url, "quality", slug, *words, "--save", "copies", "--json")
    assert saved.returncode == 0, saved.stderr
    rule = json.loads(saved.stdout)["policy"]
    assert (rule["hit_test"], rule["hit_pairs"], rule["hit_alpha"]) == ("wilcoxon", 3, 0.01)
