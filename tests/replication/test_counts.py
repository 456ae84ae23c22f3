"""Every count that a figure of a study notes stands beside it: in text, files and JSON, on the page."""

from __future__ import annotations

import csv
import io
import json

import pytest
from sqlalchemy import delete, select

from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.protocols import protocols
from judgelab.replication import export
from judgelab.replication.ablations import common_words, grid_table
from judgelab.replication.figures import spread, systems
from judgelab.replication.material import load
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.models import ItemRow, JudgeRow, Judgment, ResponseRow, Run, Verdict
from judgelab.store.projects.ablations import AblationInfo
from judgelab.ui.study.answer import intervals_phrase
from tests.command import judgelab
from tests.replication.conftest import Make

LLAMA = {"model": "meta/Llama-3-8B", "origin": "run", "samples": 10}


def lose(store: Store, judge: str, states: list[str], group: str = "Automotive") -> None:
    """Take the scores of the judge's first judgments in a group away: replies without one, failed calls."""
    with store.writing() as session:
        judgments = session.scalars(
            select(Judgment)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(ResponseRow, ResponseRow.id == Judgment.response_id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(JudgeRow.name == judge, ItemRow.group == group)
            .order_by(Judgment.id)
        )
        for judgment, state in zip(judgments, states, strict=False):
            judgment.state = state
            session.execute(delete(Verdict).where(Verdict.judgment_id == judgment.id))


@pytest.fixture
def elect(make: Make, store: Store) -> Store:
    """Two categories; of Automotive one reply of ELECT held no score and two calls failed."""
    judges = {
        "x": {"noise": 0.2, "protocol": "elect", "options": protocols.get("elect").settle({}), **LLAMA},
        "y": {"noise": 0.9, "protocol": "direct", "options": {}, **LLAMA},
    }
    make("soup", study="elect", groups={"Automotive": 20, "Books": 20}, judges=judges)
    lose(store, "x", ["unscored", "failed", "failed"])
    return store


def test_a_table_says_what_each_of_its_numbers_leaves_out(elect: Store) -> None:
    lose(elect, "y", ["unscored", "failed", "failed"])
    (table,) = study_tables(elect, ["soup"], numbers=["1"], resamples=0)
    cells = {(line.label, head.label): cell for _block, line, head, cell in table.cells() if cell.rater}
    cell = cells["Automotive", "ρ"]
    assert (cell.estimate.n, cell.lost) == (17, UnscoredCounts(unscored=1, failed=2))
    missing = "no score for 3 rated responses (1 unscored, 2 failed in all)"
    assert cell.left_out == [missing]
    incomplete = next(entry for entry in table.to_json()["cells"] if entry["left_out"])
    assert (incomplete["unscored"], incomplete["failed"], incomplete["n_missing"]) == (1, 2, 3)
    rows = [row for row in csv.DictReader(io.StringIO(export.to_csv([table]))) if row["left_out"]]
    assert rows and all(row["failed"] == "2" and row["n_missing"] == "3" for row in rows)
    for text in (export.to_markdown(table), export.to_latex(table)):
        assert "no score for 3 rated responses" in text and "2 failed" in text
    output = judgelab(elect.url, "study", "soup", "--table", "1").stdout
    line = next(text for text in output.splitlines() if "ρ" in text and "(17)" in text)
    assert line.endswith(f"({missing})")


@pytest.mark.parametrize(("lost", "automotive"), [(3, {"ELECT": 17, "DP": 17}), (20, {"DP": 20})])
def test_settings_are_compared_on_what_all_with_scores_in_a_category_have_scored(
    elect: Store, lost: int, automotive: dict[str, int]
) -> None:
    """A setting without a score in a category leaves it to the others."""
    lose(elect, "x", ["failed"] * lost)
    (table,) = study_tables(elect, ["soup"], numbers=["2"], resamples=0)
    sizes: dict[str, dict[str, int]] = {"Automotive": {}, "Books": {}}
    for _block, line, head, cell in table.cells():
        if cell.estimate.value is not None and head.label == "ρ" and line.label in sizes:
            sizes[line.label][head.group_heading] = cell.estimate.n
    assert sizes == {"Automotive": automotive, "Books": {"ELECT": 20, "DP": 20}}
    (common,) = table.blocks[0].common
    assert (common.used, common.scored) == (37, 40) if lost == 3 else (40, 40)
    assert "only responses that every setting has scored" in export.to_markdown(table)


def test_a_number_of_one_system_counts_that_systems_missing_scores(make: Make, store: Store) -> None:
    judge = {"protocol": "qa_eval", "options": {"shots": 9, "explain": True}, "samples": 3, "origin": "run"}
    make(
        "answers",
        study="qa_eval",
        groups={"": 20},
        systems=("DPR", "FiD"),
        judges={"j": {"noise": 0.2, "model": "zephyr-7b-beta", **judge}},
    )
    lose(store, "j", ["unscored", "unscored", "unscored"], group="")
    (table,) = study_tables(store, ["answers"], numbers=["1"], resamples=0)
    cells = {line.label: cell for _block, line, _head, cell in table.cells() if cell.rater == "j"}
    assert [cells[name].estimate.n for name in ("DPR", "FiD")] == [18, 19], "judged in turn"
    assert [cells[name].lost.unscored for name in ("DPR", "FiD")] == [2, 1]


def test_the_note_on_intervals_says_how_those_of_the_table_were_made(make: Make, store: Store) -> None:
    make("answers", study="qa_eval", groups={"": 20}, systems=("DPR", "FiD"), judges={})
    means, ranking, _figure = study_tables(store, ["answers"], resamples=50)
    assert intervals_phrase(means.blocks[0], resamples=50) == "95 % intervals: Wilson"
    assert intervals_phrase(ranking.blocks[0], resamples=50).startswith("95 % intervals from 50 resamples")


def test_no_count_of_a_number_is_without_its_words(make: Make, store: Store) -> None:
    """Whatever a cell's estimate counts, its sentence names the number."""
    judges = {
        name: {
            **LLAMA,
            "noise": noise,
            "protocol": name,
            "options": protocols.get(name).settle({}),
            "samples": 1,
        }
        for name, noise in (("linkage", 0.3), ("pointwise", 0.6))
    }
    make("trec", study="linkage", groups={"trec-dl-nf": 12}, judges=judges, systems=("x", "y", "z"))
    lose(store, "pointwise", ["failed"] * 5, group="trec-dl-nf")
    counts = ("n_missing", "judge_tied", "items_left_out", "n_without_system", "systems_left_out")
    counted = set()
    for table in study_tables(store, ["trec"], resamples=0):
        for *_place, cell in table.cells():
            if cell.value is None:
                continue
            sentence = " ".join(left_out(cell.estimate))
            undefined = sum(cell.estimate.groups_undefined.values())
            for name, n in {
                **{count: cell.estimate.params.get(count) for count in counts},
                "groups": undefined,
            }.items():
                if n:
                    counted.add(name)
                    groups = (cell.estimate.groups_used or 0) + undefined
                    assert (f"of {groups} groups" if name == "groups" else f"{n} ") in sentence, (
                        table.number,
                        name,
                    )
    assert {"n_missing", "groups"} <= counted


def test_figures_and_ablations_say_what_they_stand_on(elect: Store) -> None:
    material = load(elect, "soup", resamples=0)
    assert material.without_score("x") == UnscoredCounts(unscored=1, failed=2)
    assert material.of_groups(["Books"]).without_score("x") == UnscoredCounts()
    (_people, x) = spread(material, ["x"]).raters
    assert (x.n, x.lost) == (37, UnscoredCounts(unscored=1, failed=2))
    data = json.loads(judgelab(elect.url, "spread", "soup", "--json").stdout)
    assert next(rater for rater in data["raters"] if rater["name"] == "x")["failed"] == 2
    line = next(text for text in judgelab(elect.url, "spread", "soup").stdout.splitlines() if text[0] == "x")
    assert line.endswith("(1 unscored; 2 failed)")
    (dot,) = systems(material, "x").dots
    assert (dot.human_n, dot.judge_n) == (40, 37)
    grid = AblationInfo(
        "g", "elect", "product", (("shots", (1, 2)),), {}, {}, 10, "", "", None, LLAMA["model"]
    )
    with_two, without = grid_table(material, grid, level="none", coefficient="spearman")
    assert with_two.left_out == ["1 unscored", "2 failed"] and with_two.common == (37, 37)
    assert without.left_out == [] and "37 of the 37 rated responses" in common_words([with_two, without])
