"""Trust at a glance: each answer follows from the sentences that the page, files and command line give."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgelab.analysis.trust.answer import criterion_statements, trust_statements
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.statements import Statement
from judgelab.analysis.trust.trust_table import PARTS, QUESTIONS, table_json, trust_table
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.databases import load_demo

POINTS = {"kind": "ordinal", "low": 1, "high": 5}


@pytest.mark.parametrize("judge", ["Demo judge A", "Demo judge B", "meteor"])
def test_no_answer_contradicts_the_sentences_on_its_criterion(store: Store, judge: str) -> None:
    load_demo(store, "news")
    trust = measure_trust(store, "demo-news", judge, resamples=200)
    table = trust_table(trust)
    assert list(table) == ["coherence", "consistency", "fluency", "relevance"]
    sentences_in_cells = {
        statement.text for cells in table.values() for cell in cells.values() for statement in cell.statements
    }
    for key, cells in table.items():
        measured = trust.criteria[key]
        assert all(cell.statements for cell in cells.values())
        if cells["rater"].mark == "yes":
            assert measured.verdict in ("as_good", "above") and cells["baseline"].mark == "yes"
        assert (cells["data"].mark == "no") == (
            measured.verdict == "unclear"
            or (cells["baseline"].mark == "unclear" and not measured.baseline_as_good)
        ), "data that leave the baseline open are too few"
        faults = [
            statement
            for statement in criterion_statements(trust, measured)
            if statement.about == "habits" or (statement.about in PARTS["biases"] and statement.good is False)
        ]
        assert (cells["biases"].mark == "no") == bool(faults)
        row = measured.beside
        assert row is not None and row.baseline is not None and row.baseline.difference.ci is not None
        low, high = row.baseline.difference.ci
        assert cells["baseline"].mark == ("yes" if low > 0 else "no" if high < 0 else "unclear")
        decided = measured.systems is not None and any(pair.decided for pair in measured.systems.pairs)
        assert cells["systems"].mark == "unclear" or decided, "an order that may be chance proves nothing"
        assert measured.systems is not None
        shared_items = [pair.human.n for pair in measured.systems.pairs]
        assert {(s.n, s.most) for s in cells["systems"].statements} == {
            (min(shared_items), max(shared_items))
        }
        assert (cells["systems"].n, cells["systems"].most) == (min(shared_items), max(shared_items))
        assert all(cell.n == 0 for cell in cells.values() if cell.mark == "not measured")
    of_one_criterion = {
        s.text for s in trust_statements(trust) if len(s.criteria) == 1 and s.about != "agreement"
    }
    assert of_one_criterion <= sentences_in_cells, "every sentence on one criterion stands in a cell"


def test_a_criterion_that_cannot_be_measured_says_why_in_every_cell(store: Store, tmp_path: Path) -> None:
    criteria = [Criterion("good", "Good", POINTS), Criterion("kind", "Kind", POINTS)]
    with store.writing() as session:
        create_project(session, name="P", criteria=criteria)
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for item in range(12):
        start = f"q{item},What?,word {item}"
        for number, rater in enumerate(("Ada", "Bo", "Cy")):
            lines += [f"{start},{rater},human,{key},{1 + (item + number) % 5}" for key in ("good", "kind")]
        lines.append(f"{start},judge,judge,good,{1 + item % 5}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    table = trust_table(measure_trust(store, "p", "judge", resamples=200))
    assert {cell.mark for cell in table["kind"].values()} == {"not measured"}
    assert {str(cell.statements[0].text) for cell in table["kind"].values()} == {
        "judge has no score on “Kind”."
    }
    assert table["good"]["systems"].mark == "not measured" and table["good"]["systems"].n == 0
    assert "confidence" not in table["good"], "no confidence is stored"
    cells = table_json(table)
    assert [cell["question"] for cell in cells[:5]] == [name for name in QUESTIONS if name != "confidence"]
    assert all(cell["why"] for cell in cells)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 5)])
def test_larger_errors_by_length_are_a_bias_and_parts_by_score_are_not_compared(
    store: Store, tmp_path: Path, low: int, high: int
) -> None:
    scale = {"kind": "ordinal", "low": low, "high": high} if high > 1 else {"kind": "binary"}
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", scale)])
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for item in range(90):
        truth = (low, high)[item % 2]
        judged = low + high - truth if item >= 60 and item % 4 < 2 else truth
        start = f"q{item},What?,{'word ' * (item + 1)}"
        lines += [f"{start},{rater},human,good,{truth}" for rater in ("Ada", "Bo")]
        lines.append(f"{start},judge,judge,good,{judged}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    trust = measure_trust(store, "p", "judge", resamples=200)
    cell = trust_table(trust)["good"]["biases"]
    assert cell.mark == "no"
    assert [str(s.text) for s in cell.statements if s.about == "parts"] == [
        "On “Good”, it differs more on responses of > 60 words."
    ]
    parts = trust.criteria["good"].parts
    if high == 1:
        assert "score" not in parts, "with two points, all differences would be in one part"
    else:
        assert {part.test.p for part in parts["score"].slices} == {None}


def test_imported_cells_without_a_score_have_the_reason_that_was_stored(store: Store, tmp_path: Path) -> None:
    with store.writing() as session:
        create_project(session, name="P", criteria=[Criterion("good", "Good", POINTS)])
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for item in range(12):
        start = f"q{item},What?,word {item}"
        lines += [f"{start},{rater},human,good,{1 + item % 5}" for rater in ("Ada", "Bo")]
        lines.append(f"{start},judge,judge,good,{('', '', '', 'ERROR')[item] if item < 4 else 1 + item % 5}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    (last,) = [s for s in trust_statements(measure_trust(store, "p", "judge")) if s.about == "unscored"]
    assert str(last.text) == (
        "4 judgments are unscored: no score in the file (3), 'ERROR' is not a number (1)."
    )


def test_a_sentence_about_several_criteria_says_the_range_of_its_n() -> None:
    counts = {"n": 236, "most": 241}
    assert Statement("agreement", "", None, (), **counts).count_text == "n = 236 to 241 responses"
    pairs = Statement("systems", "", None, (), 13, "item", most=20)
    assert pairs.count_text == "n = 13 to 20 items for a pair of systems"
    assert Statement("systems", "", None, (), 20, "item", most=20).count_text == "n = 20 items"


def test_the_pairs_of_systems_that_the_raters_tie_are_not_counted_as_ordered(store: Store) -> None:
    with store.writing() as session:
        create_project(session, name="Soup", criteria=[Criterion("right", "Right", POINTS)])
    rows = [
        f"q{n},Why?,{system},So {n} {system},{rater},{kind},right,{3 + n % 3 - lower}"
        for n in range(6)
        for system, lower in (("a", 0), ("b", 0), ("c", 1 + n % 2))
        for rater, kind in (("Ann", "human"), ("Ben", "human"), ("j", "judge"))
    ]
    head = "item_id,question,system,response,rater,rater_kind,criterion,score"
    import_files(store, "soup", [("f.csv", "\n".join([head, *rows]).encode())])
    trust = measure_trust(store, "soup", "j", resamples=200)
    (said, *_) = trust_table(trust)["right"]["systems"].statements
    assert (
        str(said.text)
        == "On “Right”, it puts the 2 pairs of systems that the raters do not tie in their order."
    )
