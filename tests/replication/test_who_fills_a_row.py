"""Who may fill a printed row: a judge by what it saw, a metric by its options, a mean by its groups."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.preparation.step import prepare
from judgelab.replication import export
from judgelab.replication.cells import Block, Cell
from judgelab.replication.planning import plan_study
from judgelab.replication.study_judges import ModelSource
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from judgelab.store.models import JudgeRow
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.metric_scores import NewMetricScore, all_responses, save_scores
from tests.replication.conftest import Make

GPT4 = {"model": "gpt-4-1106-preview", "origin": "run", "samples": 3}
TUNED = {"protocol": "otb", "options": {}, "model": "ft:gpt-3.5-turbo:org::1", "origin": "run", "samples": 3}


def _line(block: Block, label: str) -> dict[str, Cell]:
    line = next(line for line in block.lines if line.label == label)
    return {f"{h.group_heading} {h.label}".strip(): c for h, c in zip(block.columns, line.cells, strict=True)}


def _meta(evidence: str) -> dict[str, Any]:
    return {"noise": 0.2, "protocol": "meta", "options": {"evidence": evidence}, **GPT4}


def test_the_meta_evaluator_of_the_paper_was_shown_the_tuned_judge_and_nothing_else(
    make: Make, store: Store
) -> None:
    judges = {
        "tuned": {"noise": 0.2, **TUNED},
        "two": _meta("repscore,smog"),
        "plain judge": _meta("repscore,smog,two"),
        "more": _meta("repscore,smog,tuned,rouge1"),
        "three": _meta("tuned,smog,repscore"),
    }
    make("bio", study="bioasq", groups={"b1": 20, "b2": 20}, judges=judges)
    (table,) = study_tables(store, ["bio"], numbers=["1"], resamples=0)
    block = next(block for block in table.blocks if block.model == GPT4["model"])
    assert _line(block, "GPT-4 as meta evaluator")["Recall ρ"].rater == "three"
    own = {line.label for line in block.lines if line.is_added}
    assert own == {"two", "plain judge", "more"}
    with store.writing() as session:
        session.query(JudgeRow).filter_by(name="three").delete()
    (table,) = study_tables(store, ["bio"], numbers=["1"], resamples=0)
    assert GPT4["model"] not in {block.model for block in table.blocks}


def test_the_meta_evaluator_is_planned_with_the_tuned_judge_or_refused(make: Make, store: Store) -> None:
    make("bio", study="bioasq", groups={"b1": 20}, judges={"a": {"noise": 0.2, **GPT4, "protocol": "rts"}})
    rule = ModelSource("scripted", None, "rule")
    refused = {run.title: run.refused for run in plan_study(store, "bio", rule).refused}
    assert (
        "Fine-tuned" in refused["Meta-evaluator"] and "run it as a judge first" in refused["Meta-evaluator"]
    )
    with store.writing() as session:
        row = session.query(JudgeRow).filter_by(name="a").one()
        for name, value in TUNED.items():
            setattr(row, name, value)
        responses = all_responses(session, row.project_id)
        scores = [NewMetricScore(response, 0.5, None) for response in responses]
        for metric in ("repscore", "smog"):
            save_scores(session, row.project_id, metric, options={}, scores=scores)
    plan = plan_study(store, "bio", rule)
    meta = next(run for run in plan.missing if run.title == "Meta-evaluator")
    assert meta.spec.options["evidence"] == "repscore,smog,a"


def test_the_learned_judge_has_a_row_of_its_own(make: Make, store: Store) -> None:
    learned = {"noise": 0.3, "protocol": "", "model": "ridge", "origin": "learned"}
    judges = {"learned": learned, "tuned": {"noise": 0.2, **TUNED}}
    make("bio", study="bioasq", groups={"b1": 20, "b2": 20}, judges=judges)
    (table,) = study_tables(store, ["bio"], numbers=["1"], resamples=0)
    (block,) = table.blocks
    assert _line(block, "Fine-tuned GPT-3.5")["Recall ρ"].rater == "tuned"
    assert _line(block, "learned")["Recall ρ"].rater == "learned"
    assert _line(block, "learned")["Recall ρ"].published is None


@pytest.mark.parametrize(("usual", "other"), [("max", "mean"), ("mean", "max")])
def test_bertscore_stands_in_its_column_only_as_a_mean_over_references(
    make: Make, store: Store, usual: str, other: str
) -> None:
    make("soup", study="elect", groups={"Automotive": 20}, judges={})

    def score(name: str, references: str) -> None:
        with store.writing() as session:
            project = find_project(session, "soup").id
            numbers = [
                NewMetricScore(response, number % 7 / 7, None)
                for number, response in enumerate(all_responses(session, project))
            ]
            save_scores(session, project, name, options={"references": references}, scores=numbers)

    score("bertscore_f1", usual)
    (table,) = study_tables(store, ["soup"], numbers=["1"], resamples=0)
    cell = _line(table.blocks[0], "Automotive")["BERTScore ρ"]
    if usual == "max":
        assert cell.value is None and "--option references=mean" in str(cell.estimate.reason)
        score(f"bertscore_f1 (references={other})", other)
        (table,) = study_tables(store, ["soup"], numbers=["1"], resamples=0)
        cell = _line(table.blocks[0], "Automotive")["BERTScore ρ"]
        assert cell.rater == "bertscore_f1 (references=mean)"
        maximum = _line(table.blocks[0], "Automotive")["bertscore_f1 ρ"]
        assert maximum.value is not None and maximum.published is None
    else:
        assert cell.rater == "bertscore_f1" and cell.published == 0.509


def test_a_mean_over_categories_needs_a_number_in_each_of_them(make: Make, store: Store) -> None:
    judge = {"protocol": "direct", "options": {}, "model": "Llama-3-8B", "origin": "run", "samples": 10}
    judges = {
        "whole": {"noise": 0.2, **judge},
        "part": {"noise": 0.2, **judge, "protocol": "geval", "only": ("pet",)},
    }
    make("soup", study="elect", groups={"Automotive": 20, "garden": 20, "pet": 20}, judges=judges)
    (table,) = study_tables(store, ["soup"], numbers=["2"], resamples=0)
    means = _line(table.blocks[0], "Mean of “Automotive”, “Patio, lawn and garden” and “Pet supplies”")
    assert means["DP ρ"].value is not None and means["DP ρ"].rater == "whole"
    undefined = means["G-Eval ρ"].estimate
    assert undefined.value is None and str(undefined.reason).startswith("only 1 of 3 groups have a value")
    assert _line(table.blocks[0], "Pet supplies")["G-Eval ρ"].value is not None


def test_a_mean_over_batches_says_how_many_of_them_it_covers(make: Make, store: Store) -> None:
    judges = {
        "tuned": {"noise": 0.2, **TUNED, "only": ("b1",)},
        "all": {"noise": 0.2, **TUNED, "protocol": "rts"},
    }
    make("bio", study="bioasq", groups={"b1": 20, "b2": 20}, judges=judges)
    (table,) = study_tables(store, ["bio"], numbers=["1"], resamples=0)
    cell = _line(table.blocks[0], "Fine-tuned GPT-3.5")["Recall ρ"]
    assert (cell.estimate.groups_used, sum(cell.estimate.groups_undefined.values())) == (1, 1)
    assert "(20; 1 of 2)" in export.to_markdown(table)


def test_four_examples_fill_the_row_of_elect_where_one_is_not_there(make: Make, store: Store) -> None:
    judge = {"protocol": "elect", "model": "Llama-3-8B", "origin": "run", "samples": 10}
    judges = {f"e{shots}": {"noise": 0.2, "options": {"shots": shots}, **judge} for shots in (4, 1)}
    make("soup", study="elect", groups={"Automotive": 20}, judges={"e4": judges["e4"]})
    make("both", study="elect", groups={"Automotive": 20}, judges=judges)
    for slug, name in (("soup", "e4"), ("both", "e1")):
        (table,) = study_tables(store, [slug], numbers=["2"], resamples=0)
        assert _line(table.blocks[0], "Automotive")["ELECT ρ"].rater == name


def test_what_the_tables_vary_is_planned_with_the_presets(make: Make, store: Store) -> None:
    rule = ModelSource("scripted", None, "rule")
    make("p", study="linkage", groups={"": 4}, judges={"a": {"noise": 0.5}}, systems=tuple("uvwxyz"))
    prepare(store, "p", "references", {"pattern": "3210", "draw": "1-2"})
    specs = [run.spec for run in plan_study(store, "p", rule).missing if run.spec.protocol == "linkage"]
    shots_and_draws = sorted((run.options["shots"], run.options["draw"]) for run in specs)
    # Tables 7 and 8 vary the number of examples with the lists of the first draw only.
    assert shots_and_draws == [(0, 1), (0, 2), (1, 1), (3, 1), (3, 2), (5, 1)]
    make("news", study="drpe", groups={"cnn": 4}, judges={"a": {"noise": 0.5}})
    plan = plan_study(store, "news", rule)
    titles = {run.title for run in (*plan.missing, *plan.refused)}
    assert {f"{name}, k {k}" for name in ("DRPE", "DRPE without static roles") for k in (2, 6)} <= titles
