"""Patterns in disagreements: parts by an exact test, similar texts, judges together, words in reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from judgelab.analysis.disagreement.patterns import disagreement_patterns
from judgelab.analysis.disagreement.shared_disagreements import shared_disagreements
from judgelab.analysis.disagreement.similar_texts import text_groups
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.metaeval.judges.large_disagreements import (
    disagreement_rates,
    large_disagreement_from,
    same_score_within,
)
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging import rationales
from judgelab.store.judging.rationales import search_rationales
from judgelab.store.models import Rating
from judgelab.store.projects.projects import create_project, find_project
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite

KITCHEN = "demo-kitchen"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The demo project."""
    opened = open_store(new_sqlite(tmp_path_factory.mktemp("patterns") / "p.db"))
    load_demo(opened, "kitchen")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("scale", "far", "near"),
    [
        ({"kind": "ordinal", "low": 1, "high": 5}, 2.0, 0.5),
        ({"kind": "ordinal", "low": 0, "high": 3}, 2.0, 0.5),
        ({"kind": "binary"}, 1.0, 0.5),
        ({"kind": "numeric", "low": 0, "high": 1}, 0.5, 0.125),
        ({"kind": "numeric", "low": 0, "high": 100}, 50.0, 12.5),
    ],
)
def test_far_apart_and_close_together_go_by_the_scale(
    scale: dict[str, object], far: float, near: float
) -> None:
    parsed = scale_from_json(scale)
    assert (large_disagreement_from(parsed), same_score_within(parsed)) == (far, near)


def test_parts_are_compared_with_all_others_by_fishers_test() -> None:
    far = np.array([True] * 4 + [False] + [True] + [False] * 4)
    difference = np.where(far, 2.0, 0.0)
    part = np.array([0] * 5 + [1] * 5)
    first, second = disagreement_rates(difference, far, part, ["a", "b"])
    assert (first.name, first.far, first.n, first.share.value, first.elsewhere.value) == (
        "a",
        4,
        5,
        0.8,
        0.2,
    )
    assert first.difference == pytest.approx(1.6)
    # Of the tables with these margins 26 in 252 are as extreme on either side. Uncorrected, none is sure.
    assert first.test.p == second.test.p == pytest.approx(52 / 252) and not first.is_more_frequent
    assert disagreement_rates(difference, far, np.array([0] * 9 + [1]), ["a", "b"]) == []


def test_texts_that_share_their_words_lie_together_and_are_named_by_them() -> None:
    boats = [f"the harbour ferry sails number {n} every evening" for n in range(12)]
    bread = [f"flour yeast oven loaf number {n} with salted butter" for n in range(12)]
    grouped = text_groups([*boats, *bread], groups=2, seed=1)
    assert grouped is not None
    assert len(set(grouped.group[:12])) == 1 and len(set(grouped.group[12:])) == 1
    assert grouped.group[0] != grouped.group[-1]
    assert set(grouped.names[grouped.group[0]].split(", ")) <= set(
        "the harbour ferry sails every evening".split()
    )
    assert text_groups(boats[:5]) is None


def test_a_judge_that_errs_on_one_system_is_found_out(kitchen: Store) -> None:
    patterns = disagreement_patterns(kitchen, KITCHEN, judge="Demo judge A", criterion="answers")
    writer, extractor = patterns.rates_by_cut["system"]
    assert (writer.name, writer.far, extractor.far) == ("writer", 8, 0) and writer.is_more_frequent
    assert patterns.n_large == 8 == len(patterns.members["system", "writer"])
    tests = [part.test for rows in patterns.rates_by_cut.values() for part in rows]
    smallest = min(test.p for test in tests if test.p is not None)
    assert writer.test.p == pytest.approx(smallest) and writer.test.adjusted == pytest.approx(
        smallest * len(tests)
    )
    correction = f"p-values are corrected jointly over all {len(tests)} tests (Holm)"
    assert (
        patterns.family is not None and patterns.family.description == f"Fisher’s exact test; {correction}"
    ), "one family: all parts of all cuts"


def test_patterns_count_what_they_leave_out_and_the_command_says_it(kitchen: Store) -> None:
    patterns = disagreement_patterns(kitchen, KITCHEN, judge="Demo judge A", criterion="answers")
    assert patterns.left_out == ["no score for 2 rated responses (2 unscored in all)"]
    for cut, parts in patterns.rates_by_cut.items():
        assert sum(part.n for part in parts) + patterns.in_no_part[cut] == patterns.n
        assert all(part.n + part.elsewhere.n == patterns.n - patterns.in_no_part[cut] for part in parts)
    command = ("patterns", KITCHEN, "--judge", "Demo judge A")
    lines = judgelab(kitchen.url, *command).stdout.splitlines()
    (missing,) = patterns.left_out
    assert lines[0].endswith(f"on 8  (n={patterns.n}; {missing})")
    writer = patterns.rates_by_cut["system"][0]
    assert f"writer: 8 of {writer.n}, " in "\n".join(lines)
    assert (
        f"p {writer.test.adjusted:.3g}" in "\n".join(lines) and f"  p: {patterns.family.description}" in lines
    )
    data = json.loads(judgelab(kitchen.url, *command, "--json").stdout)
    assert (data["n"], data["n_missing"], data["unscored"], data["failed"]) == (patterns.n, 2, 2, 0)
    assert data["parts"]["system"][0]["test"]["p_adjusted"] == pytest.approx(writer.test.adjusted)
    tests = sum(map(len, patterns.rates_by_cut.values()))
    assert data["family"]["corrected_over"] == {"tests": tests, "criteria": ["answers"]}
    assert data["parts"]["system"][0]["far"] == 8 and data["in_no_part"] == dict(patterns.in_no_part)
    shared = shared_disagreements(kitchen, KITCHEN, criterion="answers")
    assert data["against_people"]["compared"] == shared.compared <= shared.rated


def test_judges_that_contradict_the_raters_together_are_listed(store: Store, kitchen: Store) -> None:
    assert shared_disagreements(kitchen, KITCHEN, criterion="answers").rows.empty
    scale = Criterion("ok", "OK", {"kind": "ordinal", "low": 0, "high": 3})
    with store.writing() as session:
        create_project(session, name="Small", criteria=(scale,))
    head = "item_id,system,{who},criterion,score\n"
    ratings = head.format(who="rater") + "q1,s,Ann,ok,3\nq1,s,Ben,ok,3\nq2,s,Ann,ok,0\nq3,s,Ann,ok,3\n"
    verdicts = "q1,s,A,ok,0\nq1,s,B,ok,0\nq2,s,A,ok,0\nq2,s,B,ok,0\nq3,s,A,ok,0\nq3,s,B,ok,3\n"
    files = {"ratings": ratings, "judgments": head.format(who="rater") + verdicts}
    for kind, content in files.items():
        import_files(store, "small", [(f"{kind}.csv", content.encode())], kind=kind, create_missing=True)
    shared = shared_disagreements(store, "small", criterion="ok")
    assert (shared.compared, shared.rated, shared.judges) == (3, 3, 2)
    rows = shared.rows
    assert rows[["item", "human", "median", "judges", "raters"]].values.tolist() == [
        ["q1", 3.0, 0.0, "A, B", 2]
    ]
    third_judge = head.format(who="rater") + "q1,s,C,ok,3\nq3,s,C,ok,0\n"  # one of three does not go along
    late_rating = head.format(who="rater") + "q3,s,Ben,ok,1\n"
    for kind, content in {"judgments": third_judge, "ratings": late_rating}.items():
        import_files(store, "small", [(f"more-{kind}.csv", content.encode())], kind=kind)
    rows = shared_disagreements(store, "small", criterion="ok").rows
    assert rows[["item", "human", "apart", "median", "judges"]].values.tolist() == [
        *(["q1", 3.0, 0.0, 0.0, "A, B"], ["q3", 2.0, 2.0, 0.0, "A, C"]),
    ]


def test_half_of_the_judges_are_not_enough(store: Store) -> None:
    scale = Criterion("ok", "OK", {"kind": "ordinal", "low": 0, "high": 3})
    with store.writing() as session:
        create_project(session, name="Halves", criteria=(scale,))
    scores_by_item = {"half": "0113", "most": "3111"}
    verdicts = [
        f"{item},s,{judge},ok,{score}"
        for item, scores in scores_by_item.items()
        for judge, score in zip("ABCD", scores, strict=True)
    ]
    files = {"ratings": ["half,s,Ann,ok,3", "most,s,Ann,ok,3"], "judgments": verdicts}
    for kind, rows in files.items():
        content = "\n".join(["item_id,system,rater,criterion,score", *rows])
        import_files(store, "halves", [(f"{kind}.csv", content.encode())], kind=kind, create_missing=True)
    shared = shared_disagreements(store, "halves", criterion="ok").rows
    assert shared[["item", "median", "judges"]].values.tolist() == [["most", 1.0, "B, C, D"]]


def test_reasons_are_found_by_all_their_words_whatever_their_case(kitchen: Store) -> None:
    with kitchen.reading() as session:
        project = find_project(session, KITCHEN).id
        hits = search_rationales(session, project, "WATER sound")
        assert [hit.rater for hit in hits] == ["Demo judge A"] and "Covers sound, water" in hits[0].text
        assert search_rationales(session, project, "  ") == []
        assert search_rationales(session, project, "100%_nothing") == []


def test_reasons_of_judges_leave_room_for_the_comments_of_raters(
    kitchen: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rationales, "MOST_HITS", 2)
    with kitchen.writing() as session:
        project = find_project(session, KITCHEN).id
        session.query(Rating).filter_by(id=1).update({"comment": "the end"})
        kinds = [hit.kind for hit in search_rationales(session, project, "e")]
        session.rollback()
    assert kinds.count("judge") == 2 and 1 <= kinds.count("human") <= 2
