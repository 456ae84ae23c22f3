"""LINKAGE's own figures on a project: draws of one judge, the best answer found, sizes of the collection."""

from __future__ import annotations

import statistics

import pytest

from judgelab.imports.service import import_files
from judgelab.preparation.step import prepare
from judgelab.protocols import protocols
from judgelab.replication.ablations import grid_table
from judgelab.replication.material import load
from judgelab.replication.measures import MeasureRequest, measures
from judgelab.replication.planning import plan_study, start
from judgelab.replication.study_judges import ModelSource
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.models import ItemRow, ReferenceList
from judgelab.store.projects.ablations import AblationInfo
from judgelab.store.projects.projects import find_project
from judgelab.studies.tables import CellRecipe
from tests.replication.conftest import Make

SPEARMAN = CellRecipe(level="item", coefficient="spearman")


def judge(noise: float, draw: int, **options: object) -> dict:
    settings = {"list": "references", "draw": draw, **options}
    return {"noise": noise, "protocol": "linkage", "options": settings, "model": "m", "origin": "run"}


def test_draws_of_one_judge_are_put_together_and_other_judges_left_out(make: Make, store: Store) -> None:
    judges = {"a": judge(0.2, 2), "b": judge(0.4, 1), "c": judge(0.9, 3, shots=3), "d": judge(0.5, 3)}
    make("p", study="linkage", groups={"": 30}, judges=judges, systems=("x", "y", "z", "w"))
    material = load(store, "p", resamples=0)
    three_judges = MeasureRequest(SPEARMAN, "a", "judge", ("b", "c", "d"))
    single = [
        measures.get("agreement")(material, MeasureRequest(SPEARMAN, name, "judge")).value
        for name in ("b", "a", "d")
    ]
    mean, sd = (measures.get(name)(material, three_judges) for name in ("draws_mean", "draws_sd"))
    assert mean.value == pytest.approx(statistics.mean(single)) and mean.n == 3
    assert sd.value == pytest.approx(statistics.stdev(single))
    single_spread = measures.get("draws_sd")(material, MeasureRequest(SPEARMAN, "a", "judge"))
    assert single_spread.value is None and single_spread.reason == "a single draw has no spread"
    best = measures.get("best_found")(material, MeasureRequest(CellRecipe(), "a", "judge"))
    assert best.value is not None and best.value > best.params["chance"]
    assert measures.get("questions")(material, MeasureRequest(CellRecipe())).value == 30
    sizes = [
        measures.get("responses_an_item")(
            material, MeasureRequest(CellRecipe(options={"grade": grade}))
        ).value
        for grade in range(4)
    ]
    assert sum(filter(None, sizes)) == pytest.approx(4)


def test_a_system_that_comes_later_is_judged_alone_beside_the_same_lists(make: Make, store: Store) -> None:
    make("p", study="linkage", groups={"": 4}, judges={"a": judge(0.5, 9)}, systems=tuple("uvwxyz"))
    prepare(store, "p", "references", {"pattern": "3210", "draw": "1-2"})
    rule = ModelSource("scripted", None, "rule")
    before = {run.title: run for run in plan_study(store, "p", rule).missing}
    assert start(store, "p", list(before.values())) and not plan_study(store, "p", rule).missing
    rows = [f"-{number},late,A late answer {number}" for number in range(4)]
    lines = "\n".join(["item_id,system,response", *rows]).encode()
    import_files(store, "p", [("late.csv", lines)], kind="items")
    with store.reading() as session:
        frame = response_frame(session, find_project(session, "p").id)
    late = tuple(frame.loc[frame["system"] == "late", "response"])
    after = {run.title: run for run in plan_study(store, "p", rule).missing}
    assert after.keys() == before.keys() and any("references 2" in title for title in after)
    for title, run in after.items():
        assert run.selection.responses == late and run.estimate is not None and run.estimate.units == 4
        assert run.existing_judge and {**run.spec.options}.items() >= dict(before[title].spec.options).items()


def test_lists_of_other_lengths_are_compared_on_the_answers_that_all_of_them_left_to_judge(
    make: Make, store: Store
) -> None:
    # As where a list of eight takes more answers out of the pool than one of four: one group is left.
    def seeing(pattern: str) -> dict:
        return {"options": protocols.get("linkage").settle({"list": pattern}), "samples": 1}

    judges = {
        "four": {**judge(0.3, 1), **seeing("3210")},
        "eight": {**judge(0.5, 1), **seeing("33221100"), "only": ("trec-dl-nf a",)},
    }
    groups = {"trec-dl-nf a": 20, "trec-dl-nf b": 20}
    make("trec", study="linkage", groups=groups, judges=judges, systems=("x", "y", "z"))
    with store.writing() as session:
        project = find_project(session, "trec")
        for pattern in ("3210", "33221100"):
            values = {"source": "graded", "pattern": pattern, "draw": 1, "seed": 0, "recipe": {}}
            item = session.query(ItemRow).first()
            assert item is not None
            session.add(ReferenceList(project_id=project.id, item_id=item.id, name=pattern, **values))
    material = load(store, "trec", resamples=0)
    of_all_groups = measures.get("agreement")(material, MeasureRequest(SPEARMAN, "four", "judge"))
    (table,) = study_tables(store, ["trec"], numbers=["6"], resamples=0)
    spearman = {line.label: line.cells[1].estimate for line in table.blocks[0].lines}
    cells = {label: estimate for label, estimate in spearman.items() if estimate.value is not None}
    assert set(cells) == {"TREC-DL-NF: 3210", "TREC-DL-NF: 33221100"}
    assert {cell.n for cell in cells.values()} == {60} and of_all_groups.n == 120
    half = measures.get("agreement")(
        material.of_groups(["trec-dl-nf a"]), MeasureRequest(SPEARMAN, "four", "judge")
    )
    assert cells["TREC-DL-NF: 3210"].value == pytest.approx(half.value)
    axes = (("list", ("3210", "33221100")),)
    grid = AblationInfo("g", "linkage", "product", axes, {}, {}, None, "", "", None, "m")
    assert [
        ablation.estimate.n for ablation in grid_table(material, grid, level="item", coefficient="spearman")
    ] == [
        60,
        60,
    ]
