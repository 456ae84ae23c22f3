"""A decision on a pair counts instead of its raters' choices wherever it is asked for, worked by hand.

Of the project of pairs, the raters say N N N O O O O T ? ? (? without a majority). Decided are q8 (new; T N O
by the raters) and q2 (old; N N O by the raters), so that the labels are N N O O O O O T N ?.
"""

from __future__ import annotations

import json
import shlex
from math import log
from pathlib import Path

import pandas as pd
import pytest

from judgelab.analysis.comparison.choice_agreement import ACCURACY, choice_agreement
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.measured_strengths import PEOPLE
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.metaeval.judges.bradley_terry import Strengths
from judgelab.reporting import pack
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.methods import methods
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.command import judgelab
from tests.compared import decide, pairs_project
from tests.databases import new_sqlite

JUDGE = "k-judge"  # N N N O O O N O T N N N: against the labels, 8 of 9
# New's points of its 10 pairs: the votes' mean, or the decision on q2 and q8.
NEW_POINTS = (1 + 1 + 0 + 1 / 3 + 0 + 1 / 6 + 1 / 3 + 1 / 2 + 1 + 1 / 2) / 10
NEW_WINS, CHOICES = 3 + 3 + 0 + 1 + 0 + 0.5 + 1 + 1.5 + 1 + 1.5, 26  # each of 8 pairs has 3 choices


def decided_project(store: Store) -> str:
    slug = pairs_project(store)
    for item, system in (("q8", "new"), ("q2", "old"), ("q9", "")):
        decide(store, slug, item, system)
    return slug


def of_people(rows: tuple[object, ...]) -> Strengths:
    (found,) = [row.strengths for row in rows if row.rater == PEOPLE]  # type: ignore[attr-defined]
    return found  # type: ignore[no-any-return]


def test_agree_trust_compare_and_report_have_one_figure(any_store: Store) -> None:
    slug = decided_project(any_store)
    found = choice_agreement(any_store, slug, decisions=True)
    judge = next(judge for judge in found.judges if judge.name == JUDGE)
    own = judge.vs_raters[ACCURACY]
    assert judge.with_majority[ACCURACY].value == pytest.approx(8 / 9)
    trust = measure_trust(any_store, slug, JUDGE, comparisons=True, decisions=True)
    assert trust.criteria["score"].beside == own
    assert (trust.n_decided, trust.to_json()["decisions"]) == (2, 2)
    without = measure_trust(any_store, slug, JUDGE, comparisons=True)
    assert without.n_decided is None and without.criteria["score"].beside != own
    facts = gather_facts(any_store, slug, comparisons=True, decisions=True)
    assert own in facts.vs_ceiling and facts.scores.n_decided == 2
    (of_all,) = [row for row in facts.rows if (row.rater, row.coefficient) == (JUDGE, ACCURACY)]
    assert of_all.estimate == judge.with_majority[ACCURACY]
    compared = compare_judges(any_store, slug, comparisons=True, decisions=True)
    (placed,) = [row for row in compared.criteria["score"].placed if row.rater == JUDGE]
    assert placed.estimate.value == pytest.approx(8 / 9) and compared.n_decided == 2
    assert facts.comparison is not None and facts.comparison.criteria["score"] == compared.criteria["score"]


def test_a_decision_is_the_only_choice_of_its_pair_for_systems(any_store: Store) -> None:
    slug = decided_project(any_store)
    means = estimate_means(any_store, slug, comparisons=True, decisions=True)
    assert {row.system: row.people.value for row in means.systems} == {
        "new": pytest.approx(NEW_POINTS),
        "old": pytest.approx(1 - NEW_POINTS),
    }
    assert means.n_decided == 2 and estimate_means(any_store, slug, comparisons=True).n_decided is None
    trust = measure_trust(any_store, slug, JUDGE, comparisons=True, decisions=True).criteria["score"]
    assert trust.systems is not None
    (pair,) = trust.systems.pairs
    assert (pair.better, pair.human.value) == ("old", pytest.approx(1 - 2 * NEW_POINTS))
    table = strength_table(any_store, slug, decisions=True)
    fitted = of_people(table.rows)
    # With two systems, the strengths differ by the logarithm of wins to losses.
    lead = log(NEW_WINS / (CHOICES - NEW_WINS))
    assert fitted.strength["new"].value == pytest.approx(lead / 2)
    assert (fitted.games["new"], fitted.wins["new"]) == (CHOICES, NEW_WINS)
    assert (table.n_decided, table.to_json()["decisions"]) == (2, 2)
    agree = choice_agreement(any_store, slug, decisions=True, resamples=50)
    assert agree.strengths == table.rows and strength_table(any_store, slug).rows != table.rows


def test_a_decision_counts_although_the_filter_removes_its_raters(store: Store) -> None:
    slug = decided_project(store)
    save_filter(store, slug, "strict", FilterPolicy(min_annotations=4))
    assert [row for row in strength_table(store, slug).rows if row.rater == PEOPLE] == []
    assert of_people(strength_table(store, slug, decisions=True).rows).games["new"] == 2
    trust = measure_trust(store, slug, JUDGE, comparisons=True, decisions=True, resamples=50)
    assert trust.criteria["score"].n == 2


def test_the_report_says_so_and_is_computed_again_from_its_own_data(store: Store, tmp_path: Path) -> None:
    slug, folder = decided_project(store), tmp_path / "made"
    pack.write_pack(store, slug, folder, comparisons=True, decisions=True)
    words = (folder / "methods.md").read_text()
    assert (
        "2 pairs were decided by an adjudicator; the decision replaces the raters' choices. A judge" in words
    )
    assert "adjudicator" not in methods(gather_facts(store, slug), version="0")
    choices = pd.read_csv(folder / "tables/choices.csv", keep_default_na=False).set_index("item_id")
    assert choices["decision"].to_dict() == {f"q{n}": {2: "b", 8: "a"}.get(n, "") for n in range(10)}
    assert list(choices["majority"]) == ["a", "a", "a", "b", "b", "b", "b", "tie", "", ""]
    strengths = pd.read_csv(folder / "tables/strengths.csv").set_index(["by", "system"])
    assert strengths.loc[("raters", "new"), "win_rate"] == pytest.approx(NEW_WINS / CHOICES)
    commands = [shlex.split(line) for line in (folder / "commands.sh").read_text().splitlines()]
    imported, counted, reported = (line[1:] for line in commands if line[:1] == ["judgelab"])
    address, again = f"sqlite:///{tmp_path / 'again.db'}", tmp_path / "again"
    assert judgelab(address, *imported[:-1], str(folder / "data")).returncode == 0
    printed = judgelab(address, *counted[: counted.index(">")]).stdout
    (criterion,) = json.loads(printed)["criteria"]
    assert criterion["n_decided"] == 2
    assert judgelab(address, *[str(again) if word == "again" else word for word in reported]).returncode == 0
    for table in sorted((folder / "tables").glob("*.csv")):
        assert (again / "tables" / table.name).read_text() == table.read_text(), table.name
    assert (again / "methods.md").read_text() == words


def test_the_commands_take_decisions(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    slug = decided_project(store)
    store.close()
    used = "2 adjudicated pairs have their decision in place of the raters' majority."
    for command in (("trust", slug, JUDGE), ("compare", slug), ("means", slug), ("strengths", slug)):
        pairs = () if command[0] == "strengths" else ("--comparisons",)
        result = judgelab(url, *command, *pairs, "--decisions")
        assert result.returncode == 0 and used in result.stdout, result.stderr
        assert "adjudicated" not in judgelab(url, *command, *pairs).stdout
    (criterion,) = json.loads(judgelab(url, "choices", slug, "--decisions", "--json").stdout)["criteria"]
    choices = next(judge for judge in criterion["judges"] if judge["name"] == JUDGE)["vs_raters"][ACCURACY]
    trust = json.loads(judgelab(url, "trust", slug, JUDGE, "--comparisons", "--decisions", "--json").stdout)
    assert trust["criteria"][0]["beside"] == choices and trust["decisions"] == 2
