"""The report files of a project of comparisons: figures by hand, and the same again from their own data."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from judgelab.analysis.comparison.choice_agreement import ACCURACY, choice_agreement
from judgelab.reporting import pack
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.methods import methods
from judgelab.reporting.paper_tables import paper_tables
from judgelab.store.db.engine import Store
from judgelab.store.judging.unscored_counts import UnscoredCounts
from tests.command import judgelab
from tests.compared import pairs_project


@pytest.fixture
def folder(store: Store, tmp_path: Path) -> Path:
    """The report files of the project of pairs."""
    pack.write_pack(store, pairs_project(store), tmp_path / "made")
    return tmp_path / "made"


def test_votes_and_majorities_are_those_worked_by_hand(folder: Path) -> None:
    choices = pd.read_csv(folder / "tables/choices.csv", keep_default_na=False).set_index("item_id")
    assert list(choices["majority"]) == ["a", "a", "a", "b", "b", "b", "b", "tie", "", ""]
    q5, q8 = choices.loc["q5"], choices.loc["q8"]  # O O T, and T N O, by Ann, Bea and Cid
    assert (q5["system_a"], q5["votes_a"], q5["votes_tie"], q5["votes_b"]) == ("new", 0, 1, 2)
    assert (q8["raters"], q8["votes_a"], q8["votes_tie"], q8["votes_b"]) == (3, 1, 1, 1)


def test_the_tables_have_the_figures_of_agree(folder: Path, store: Store) -> None:
    beside = pd.read_csv(folder / "tables/beside.csv").set_index(["rater", "coefficient"])
    found = choice_agreement(store, "pairs")
    for judge in found.judges:
        if judge.kind == "judge" and judge.name != "lost-judge":
            estimate = judge.vs_raters[ACCURACY].estimate
            row = beside.loc[(judge.name, ACCURACY)]
            assert (row["value"], row["n"]) == (pytest.approx(estimate.value), estimate.n)
            assert (row["ci_low"], row["ci_high"]) == pytest.approx(estimate.ci)
    raters = beside.loc[("raters (leave one out)", ACCURACY)]
    assert raters["value"] == pytest.approx(found.ceiling[ACCURACY].value)
    strengths = pd.read_csv(folder / "tables/strengths.csv").set_index(["by", "system"])
    by_raters = next(row for row in found.strengths if row.rater == "raters").strengths
    for system, strength in by_raters.strength.items():
        assert strengths.loc[("raters", system), "strength"] == pytest.approx(strength.value)
    # New, tie, old: Ann 5, 2, 3; Bea 5, 2, 3; Cid 2, 2, 6.
    assert strengths.loc[("raters", "new"), "win_rate"] == pytest.approx((12 + 6 / 2) / 30)


def test_the_methods_say_how_choices_were_counted(store: Store) -> None:
    slug = pairs_project(store)
    facts = gather_facts(store, slug)
    words = methods(facts, version="0")
    assert "10 pairs of responses by 2 systems to 10 items were compared on one criterion: Score." in words
    assert "Each pair was compared by 3 raters, 30 choices in total." in words
    assert "All comparisons by 3 raters were imported; the file does not say" in words
    assert "“longer response”" not in words and "ratio" not in words
    assert "“points-judge” scored single responses; the higher score is the choice" in words
    assert "1 judgment without a choice is counted as missing." in words
    assert "is non-inferior with a margin of 10 points" in words
    assert "response was rated" not in words and "ratings" not in words.replace("Quality of the ratings", "")


def test_the_files_are_computed_again_from_their_own_data(folder: Path, tmp_path: Path) -> None:
    commands = [shlex.split(line) for line in (folder / "commands.sh").read_text().splitlines()]
    imported, _, reported = (words[1:] for words in commands if words[:1] == ["judgelab"])
    address = f"sqlite:///{tmp_path / 'again.db'}"
    assert judgelab(address, *imported[:-1], str(folder / "data")).returncode == 0
    second, at = tmp_path / "again", reported.index("again")
    assert judgelab(address, *reported[:at], str(second), *reported[at + 1 :]).returncode == 0
    tables = sorted(path.name for path in (folder / "tables").glob("*.csv"))
    assert {"agreement.csv", "beside.csv", "choices.csv", "strengths.csv", "trust.csv"} <= set(tables)
    for name in tables:
        assert (second / "tables" / name).read_text() == (folder / "tables" / name).read_text(), name
    assert (second / "methods.md").read_text() == (folder / "methods.md").read_text()


def test_the_table_says_that_judgments_without_a_choice_are_all_counted(store: Store) -> None:
    facts = gather_facts(store, pairs_project(store))
    for table in paper_tables(facts, "score"):
        assert not any("without a choice" in note for note in table.notes), "no judge in it has any"
    unscored = {("k-judge", "score"): UnscoredCounts(unscored=2)}
    facts = replace(
        facts,
        scores=replace(facts.scores, unscored_by_criterion=unscored),
    )
    for table in paper_tables(facts, "score"):
        assert any(
            "“Without a choice” is the number of a judge's judgments that contain no choice" in note
            for note in table.notes
        )
        assert table.table["n"].str.contains("(and 2 without a choice)", regex=False).any()
