"""`judgelab raters` on the sample data."""

import json

import pytest

from judgelab.analysis.raters import rater_table
from judgelab.store.db.schema import open_store
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import find_project
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    url = new_sqlite(tmp_path_factory.mktemp("cli") / "a.db")
    store = open_store(url)
    load_demo(store, "kitchen")
    store.close()
    return url


def test_the_random_and_the_reversed_rater_are_named_and_nobody_else(address):
    result = judgelab(address, "raters", "demo-kitchen", "--json")
    assert result.returncode == 0, result.stderr
    table = json.loads(result.stdout)
    flags = {row["rater"]: {flag["key"] for flag in row["flags"]} for row in table["raters"] if row["flags"]}
    assert flags == {"Jory": {"fast", "agreement"}, "Mirren": {"reversed"}}
    assert table["beside"] == "kept" and table["rule"] == "ELECT's filter, version 1"
    for rater in table["raters"]:
        answers = rater["criteria"]["answers"]
        assert answers["leave_one_out"]["ci"][0] <= answers["leave_one_out"]["value"]
        assert rater["gold"]["value"] is None and rater["gold"]["reason"] == "none rated yet"


def test_the_text_has_a_line_a_rater_and_says_what_it_stands_on(address):
    result = judgelab(address, "raters", "demo-kitchen", "--beside", "all")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + 8 + 1
    assert "too fast" in next(line for line in lines if line.startswith("Jory"))
    assert "Compared with all raters" in lines[-1] and "never remove a rater" in lines[-1]


def test_cohorts_are_named_and_a_change_is_noticed(tmp_path):
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    load_demo(store, "kitchen")
    before = rater_table.rater_table_fingerprint(store, "demo-kitchen")
    with store.writing() as session:
        jory = people.find_or_create(session, "Jory")
        memberships.join(session, find_project(session, "demo-kitchen").id, jory, cohort="north")
    assert rater_table.rater_table_fingerprint(store, "demo-kitchen") != before
    store.close()
    found = json.loads(judgelab(url, "raters", "demo-kitchen", "--json").stdout)["raters"]
    assert {row["rater"]: row["cohort"] for row in found if row["cohort"]} == {"Jory": "north"}
    assert "Cohort north: Jory." in judgelab(url, "raters", "demo-kitchen").stdout


def test_an_unknown_project_is_the_users_mistake(address):
    result = judgelab(address, "raters", "demo-kitchn")
    assert result.returncode == 1 and "Did you mean 'demo-kitchen'" in result.stderr


def test_of_comparisons_who_always_names_one_side_spams(tmp_path):
    url = new_sqlite(tmp_path / "a.db")
    rows, texts = ["item_id,response_a,response_b,rater,choice"], ["item_id,system,question,response"]
    for n in range(24):
        texts += [f"q{n},{system},Why {n}?,{system} {n}" for system in ("alpha", "beta")]
        better = ("alpha", "beta", "tie")[n % 3]
        for rater in ("Ann", "Bo", "Cy"):
            rows.append(f"q{n},{'beta,alpha' if n % 2 else 'alpha,beta'},{rater},{better}")
        rows.append(f"q{n},alpha,beta,Dot,alpha")
    for name, lines in (("texts.csv", texts), ("choices.csv", rows)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    judgelab(url, "project", "create", "p")
    assert judgelab(url, "import", "p", str(tmp_path / "texts.csv")).returncode == 0
    imported = judgelab(url, "import", "p", str(tmp_path / "choices.csv"), "--kind", "preferences")
    assert imported.returncode == 0, imported.stderr
    table = json.loads(judgelab(url, "raters", "p", "--json").stdout)["raters"]
    found = {row["rater"]: next(iter(row["criteria"].values()))["p_spam"] for row in table}
    assert {spam["n"] for spam in found.values()} == {24}
    assert found["Dot"]["value"] > 0.8 and all(found[rater]["value"] < 0.1 for rater in ("Ann", "Bo", "Cy"))
    text = judgelab(url, "raters", "p").stdout
    assert "P(spam), n" in text and f"{found['Dot']['value']:.2f}, 24" in text
    assert (
        "P(spam) is the probability that a rater gives a label without regard to the response (MACE)" in text
    )
