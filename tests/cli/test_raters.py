"""`judgelab raters` on the sample data."""

import json

import pytest

from judgelab.store.db.schema import open_store
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
        assert rater["gold"]["value"] is None and rater["gold"]["reason"] == "none so far"


def test_the_text_has_a_line_a_rater_and_says_what_it_stands_on(address):
    result = judgelab(address, "raters", "demo-kitchen", "--beside", "all")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + 8 + 1
    assert "too fast" in next(line for line in lines if line.startswith("Jory"))
    assert "Compared with all raters" in lines[-1] and "never remove a rater" in lines[-1]


def test_an_unknown_project_is_the_users_mistake(address):
    result = judgelab(address, "raters", "demo-kitchn")
    assert result.returncode == 1 and "Did you mean 'demo-kitchen'" in result.stderr
