"""In which pairs a judge chooses differently from most raters, worked by hand on a small project."""

from __future__ import annotations

import json
from math import comb

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.disagreement.choice_differences import choice_differences
from judgelab.analysis.disagreement.patterns import DisagreementPatterns, disagreement_patterns
from judgelab.analysis.disagreement.shared_disagreements import shared_disagreements
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.command import judgelab
from tests.compared import pairs_project


def small_project(store: Store) -> str:
    """Twenty-three pairs of a response by x and one by y, which is one to three words shorter.

    Most raters choose x in pairs 0 to 9, y in 10 to 15, a tie in 16 to 20, and x in 22; in 21 they are
    divided. `long` always chooses x, but y in pair 0 if y is shown first; it saw 0 to 7 in both orders, then
    x first up to 12, y first from 13, and never 22. `also` chooses x in 10 to 14, and the metric there, too.
    """
    with store.writing() as session:
        slug = create_project(session, name="Small").slug
    texts = ["item_id,question,system,response"]
    for n in range(23):
        texts += [f"q{n},Why?,x,so{' so' * (1 + min(n, 20) // 7)}", f"q{n},Why?,y,so"]
    winners = [*["x"] * 10, *["y"] * 6, *["tie"] * 5]
    people = ["item_id,response_a,response_b,rater,choice"]
    people += [f"q{n},x,y,Ann,{winner}" for n, winner in enumerate([*winners, "x", "x"])]
    people += [f"q{n},x,y,Bea,{winner}" for n, winner in enumerate([*winners[:20], "", "y", "x"]) if winner]
    people += [f"q{n},x,y,Cid,y" for n in range(5)]
    judges = ["item_id,response_a,response_b,judge,choice,order"]
    judges += [f"q{n},x,y,long,x,{'x' if n < 13 else 'y'}" for n in range(22)]
    judges += [f"q{n},x,y,long,{'x' if n else 'y'},y" for n in range(8)]
    judges += [f"q{n},x,y,also,x," for n in range(10, 15)]
    metric = ["item_id,system,rater,rater_kind,criterion,score"]
    metric += [f"q{n},{system},length,metric,score,{n}" for n in range(16, 21) for system in "xy"]
    files = {"texts": texts, "people": people, "judges": judges, "metric": metric}
    for name, lines in files.items():
        import_files(store, slug, [(f"{name}.csv", "\n".join(lines).encode())])
    return slug


def of(store: Store, slug: str, judge: str = "long") -> DisagreementPatterns:
    return disagreement_patterns(store, slug, judge=judge, criterion="score", comparisons=True)


def counts(patterns: DisagreementPatterns, cut: str) -> dict[str, tuple[int, int]]:
    return {part.name: (part.far, part.n) for part in patterns.rates_by_cut.get(cut, ())}


def test_each_cut_counts_the_pairs_with_another_choice(any_store: Store) -> None:
    patterns = of(any_store, small_project(any_store))
    assert (patterns.n, patterns.n_large, patterns.missing, patterns.undecided) == (21, 12, 1, 1)
    assert patterns.left_out == ["no choice for 1 more pair", "no majority for 1 more pair"]
    assert counts(patterns, "choice") == {
        "the shorter response": (6, 6),
        "a tie": (5, 5),
        "the longer response": (1, 10),
    }
    assert counts(patterns, "length") == {"≤ 1": (1, 7), "2": (4, 7), "> 2": (7, 7)}
    # Only pair 0 was chosen differently in two orders; three, 10 to 12, show the other response first.
    assert counts(patterns, "order") == {
        "raters' choice shown first": (3, 5),
        "both orders, same choice": (0, 7),
    }
    assert counts(patterns, "raters") == {"unanimous": (10, 15), "divided": (1, 5)}
    assert patterns.in_no_part["raters"] == 1, "pair 20 has one rater"
    assert not counts(patterns, "system"), "there is one pair of systems"
    for cut, parts in patterns.rates_by_cut.items():
        assert sum(part.n for part in parts) + patterns.in_no_part[cut] == patterns.n


def test_the_tests_are_those_of_responses(any_store: Store) -> None:
    patterns = of(any_store, small_project(any_store))
    by_name = {part.name: part for part in patterns.rates_by_cut["choice"]}
    # One other table has the margins 10 and 12 of 21 and is as rare: none.
    longer = by_name["the longer response"]
    assert longer.test.p == pytest.approx(comb(12, 1) * comb(9, 9) / comb(21, 10))
    assert (longer.share.value, longer.elsewhere.value) == (pytest.approx(1 / 10), 1.0)
    tests = [part.test for parts in patterns.rates_by_cut.values() for part in parts]
    assert patterns.family is not None and patterns.family.tests == len(tests) == 10
    assert longer.test.adjusted == pytest.approx(10 * longer.test.p), "the smallest of ten"
    assert patterns.pairs is not None
    members = patterns.pairs.loc[list(patterns.members["choice", "the shorter response"])]
    assert members["item"].tolist() == [f"q{n}" for n in range(10, 16)]
    assert set(members["system"]) == {"x – y"}


def test_explain_counts_the_same_pairs(any_store: Store) -> None:
    slug = pairs_project(any_store)
    for judge in ("j-judge", "k-judge", "points-judge"):
        patterns = of(any_store, slug, judge)
        rows = choice_differences(any_store, slug, criterion="score", judge=judge)
        decided = rows[rows["raters"].notna()]
        assert (patterns.n, patterns.n_large) == (8, int((decided["raters"] != decided["judge"]).sum()))
        assert patterns.undecided == 2 and not patterns.rates_by_cut.get("order")


def test_judges_that_contradict_the_raters_together(any_store: Store) -> None:
    slug = small_project(any_store)
    shared = shared_disagreements(any_store, slug, criterion="score", comparisons=True)
    assert (shared.compared, shared.rated, shared.judges) == (5, 22, 2), "the metric is no judge"
    rows = shared.rows
    assert rows["item"].tolist() == [f"q{n}" for n in range(10, 15)]
    assert rows[["human", "raters", "agreeing", "median", "judges"]].drop_duplicates().values.tolist() == [
        [3.0, 2, 2, 1.0, "also, long"]
    ]


def test_the_filter_in_use_removes_raters_here_too(any_store: Store) -> None:
    slug = pairs_project(any_store, points=False)
    before = of(any_store, slug, "k-judge")
    save_filter(any_store, slug, "main", FilterPolicy(threshold=0.3, min_overlap=5))  # removes Cid
    after = of(any_store, slug, "k-judge")
    # Of Ann and Bea: pairs 3, 6, 8 and 9 have no majority.
    assert (before.n, before.undecided) == (8, 2)
    assert (after.n, after.undecided) == (6, 4)
    rows = choice_differences(any_store, slug, criterion="score", judge="k-judge")
    assert int(rows["raters"].notna().sum()) == after.n


def test_scores_are_the_default_where_there_are_both(any_store: Store) -> None:
    slug = small_project(any_store)
    found = disagreement_patterns(any_store, slug, judge="long", criterion="score", comparisons=None)
    assert found.pairs is not None, "nobody rated single responses"
    scores = "item_id,system,rater,criterion,score\nq0,x,Ann,score,1\nq0,x,Bea,score,5\n"
    import_files(any_store, slug, [("r.csv", scores.encode())])
    found = disagreement_patterns(any_store, slug, judge="long", criterion="score", comparisons=None)
    assert found.pairs is None and of(any_store, slug).n == 21
    with any_store.writing() as session:
        empty = create_project(session, name="Empty").slug
    with pytest.raises(InvalidInput, match="no comparisons"):
        of(any_store, empty)


def test_the_command_says_it(store: Store) -> None:
    slug = small_project(store)
    command = ("patterns", slug, "--judge", "long")
    text = judgelab(store.url, *command).stdout
    first, *lines = text.splitlines()
    assert first == (
        "long, score: chooses differently from most raters in 12 pairs  "
        "(n=21; no choice for 1 more pair; no majority for 1 more pair)"
    )
    assert "  by the raters' choice:" in lines and "  by the order shown to the judge:" in lines
    assert any("the shorter response: 6 of 6, 100%" in line and "judge minus" not in line for line in lines)
    assert "    in no subset, or in a subset of fewer than five: 1 pair" in lines
    assert "  q10, x – y: raters second (2 of 2 raters), judges first (also, long)" in lines
    assert "5 of 5 pairs with a majority that both judges compared (17 others left out)" in text
    assert "response" not in text.replace("the longer response", "").replace(
        "the shorter response", ""
    ).replace("response shown first", "")
    assert lines[-1] == "All comparisons are used (no filter)."
    data = json.loads(judgelab(store.url, *command, "--comparisons", "--json").stdout)
    assert (data["n"], data["count"], data["n_missing"], data["n_undecided"]) == (21, 12, 1, 1)
    assert data["parts"]["choice"][0]["test"]["p_adjusted"] is not None
    together = data["against_people"]["pairs"][0]
    assert (together["item"], together["first"], together["choice"]) == ("q10", "x", "second")
    assert "responses" not in data["against_people"]
