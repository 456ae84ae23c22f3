"""A paper's tables on a project's scores: who stands for which row, and what differs from the print."""

from __future__ import annotations

import csv
import io

import pytest

from judgelab.analysis.agreement.agreement_table import group_table
from judgelab.metaeval.core.result import Estimate
from judgelab.replication import export
from judgelab.replication.cells import Block, Cell, Line, ReplayedTable, count_replicated
from judgelab.replication.datasets import whole_mean
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from judgelab.store.scoring.metric_scores import NewMetricScore, all_responses, save_scores
from tests.replication.conftest import Make

LLAMA = {"model": "meta/Llama-3-8B", "origin": "run"}


def _line(block: Block, label: str) -> dict[str, Cell]:
    line = next(line for line in block.lines if line.label == label)
    return {f"{h.group_heading} {h.label}".strip(): c for h, c in zip(block.columns, line.cells, strict=True)}


@pytest.fixture
def elect(make: Make) -> None:
    make(
        "soup",
        study="elect",
        groups={"Automotive": 40, "garden": 40, "Books": 30},
        judges={
            "x": {"noise": 0.05, "protocol": "elect", "options": {"shots": 1}, "samples": 10, **LLAMA},
            "y": {"noise": 0.9, "protocol": "direct", "options": {}, **LLAMA},
            "elect": {"noise": 0.9, "protocol": "elect", "options": {"shots": 3}, **LLAMA},
            "z": {"noise": 0.3, "protocol": "direct", "options": {}, "model": "gpt-4o-2024", "origin": "run"},
            "llama_geval": {"noise": 0.4},
        },
    )


def test_judges_are_known_by_protocol_and_options_and_each_model_has_a_block(
    elect: None, store: Store
) -> None:
    table_1, table_2 = study_tables(store, ["soup"], resamples=0)
    blocks = {block.model: block for block in table_2.blocks}
    assert set(blocks) == {"meta/Llama-3-8B", "gpt-4o-2024", ""}
    llama = _line(blocks["meta/Llama-3-8B"], "Automotive")
    assert (llama["ELECT ρ"].rater, llama["DP ρ"].rater) == ("x", "y")
    assert llama["G-Eval ρ"].value is None and "G-Eval" in str(llama["G-Eval ρ"].estimate.reason)
    # Nothing is known of an imported judge but the name under which its scores were published.
    assert _line(blocks[""], "Automotive")["G-Eval ρ"].rater == "llama_geval"
    expected = {
        (row.group, row.coefficient): row.estimate.value
        for row in group_table(store, "soup", resamples=0)
        if row.rater == "x"
    }
    assert llama["ELECT ρ"].value == pytest.approx(expected["Automotive", "spearman"])
    assert llama["ELECT ρ"].published == 0.607
    # The paper's own model stands in its own column of table 1 and in no other.
    gpt = next(block for block in table_1.blocks if block.model == "gpt-4o-2024")
    assert _line(gpt, "Automotive")["GPT-4o ρ"].rater == "z"
    assert _line(gpt, "Automotive")["Llama ρ"].value is None


def test_an_average_names_the_categories_it_covers(elect: None, store: Store) -> None:
    table = study_tables(store, ["soup"], numbers=["2"], resamples=0)[0]
    block = next(block for block in table.blocks if block.model == "meta/Llama-3-8B")
    # Two of ten categories are there: their own mean, beside the printed mean of the same two.
    printed = [cell for line, _, cell in block.cells() if line.label and not line.label.startswith("Mean of")]
    counts = count_replicated(table, block)  # a mean that the project adds is no printed number
    assert counts.published == sum(cell.published is not None for cell in printed)
    assert counts.compared == sum(cell.outside is not None for cell in printed)
    mean_of_two = _line(block, "Mean of “Automotive” and “Patio, lawn and garden”")["ELECT ρ"]
    singles = [_line(block, label)["ELECT ρ"].value for label in ("Automotive", "Patio, lawn and garden")]
    assert mean_of_two.value == pytest.approx(sum(v for v in singles if v is not None) / 2)
    assert mean_of_two.published == pytest.approx((0.607 + 0.682) / 2)
    assert _line(block, "Average")["ELECT ρ"].value is None
    own = next(line for line in block.lines if line.label == "Books")
    assert own.is_added and own.cells[0].published is None and own.cells[0].value is not None


def test_systems_are_compared_as_in_qa_eval(make: Make, store: Store) -> None:
    judge = {"protocol": "qa_eval", "options": {"shots": 9, "explain": True}, "samples": 3, "origin": "run"}
    make(
        "answers",
        study="qa_eval",
        groups={"": 60},
        systems=("DPR", "FiD", "mine"),
        judges={"j": {"noise": 0.2, "model": "zephyr-7b-beta", **judge}},
    )
    table_1, table_2, _ = study_tables(store, ["answers"], resamples=200)
    block = table_1.blocks[0]
    human, judged = (_line(block, "DPR")[name] for name in ("Human", "Few-shot Zephyr-7B"))
    assert human.value is not None and judged.value is not None
    assert human.estimate.n == 60 and 0 < human.value < 100 and human.published == 58.8
    assert [line.label for line in block.lines if line.is_added] == ["mine"]
    zephyr = [line for line in table_2.blocks[0].lines if line.label == "Zephyr-7B"]
    few = dict(zip((h.label for h in table_2.blocks[0].columns), zephyr[1].cells, strict=True))
    labels = ("DPR", "FiD", "mine")
    gaps = []
    for label in labels:
        row = _line(block, label)
        gaps.append(abs((row["Human"].value or 0) - (row["Few-shot Zephyr-7B"].value or 0)))
    assert few["MAE"].value == pytest.approx(sum(gaps) / 3)
    assert zephyr[0].cells[0].value is None  # a judge with examples is no zero-shot judge


@pytest.mark.parametrize(
    ("published", "ci", "outside"),
    [(0.60, (0.55, 0.65), False), (0.70, (0.55, 0.65), True), (0.6504, (0.55, 0.65), False),
     (None, (0, 1), None),
     (0.6, None, None)],
)  # fmt: skip
def test_a_difference_is_marked_where_the_print_lies_outside_the_interval(
    published: float | None, ci: tuple[float, float] | None, outside: bool | None
) -> None:
    assert Cell(published, Estimate(0.6, ci=ci, n=9)).outside is outside


def test_exports_hold_every_number_and_no_foreign_commands(elect: None, store: Store) -> None:
    tables = study_tables(store, ["soup"], resamples=200)
    rows = list(csv.DictReader(io.StringIO(export.to_csv(tables))))
    assert len(rows) == sum(len(list(table.cells())) for table in tables)
    exported = next(
        r for r in rows if r["row"] == "Automotive" and r["over"] == "ELECT" and r["rater"] == "x"
    )
    assert (
        float(exported["low"]) < float(exported["value"]) < float(exported["high"]) and exported["n"] == "40"
    )
    # Far better than the next best, and on the same 40 responses.
    assert exported["lead"] == "ahead" and "†" in export.to_markdown(tables[1])
    assert [r["rater"] for r in rows if r["row"] == "Automotive" and r["lead"] and r["table"] == "2"] == [
        "x",
        "x",
    ]
    nasty = Line("a_b \\input{x} | $1", tables[0].blocks[0].lines[0].cells)
    block = Block("m", tables[0].blocks[0].columns, (nasty,))
    table = ReplayedTable("s", "1", "50 % & more", "Head", 3, "", (block,))
    latex = export.to_latex(table)
    assert r"a\_b \textbackslash{}input\{x\} | \$1" in latex and r"50 \% \& more" in latex
    assert latex.count(r"\toprule") == 1 and r"\bottomrule" in latex
    assert "a_b \\input{x} \\| $1" in export.to_markdown(table)
    counts = count_replicated(tables[1])
    assert 0 < counts.compared <= counts.filled and counts.outside <= counts.compared


def test_data_sets_are_told_by_their_groups_and_the_mean_needs_all_of_them(make: Make, store: Store) -> None:
    options = {"panel": True, "static": True, "k": 4, "clustering": "dynamic", "batch": True}
    judge = {"protocol": "role_panel", "model": "m", "origin": "run"}
    make(
        "news",
        study="drpe",
        groups={"cnn": 30, "bbc": 30},
        judges={
            "four": {"noise": 0.1, "options": options, **judge},
            "two": {"noise": 0.3, "options": {**options, "k": 2}, **judge},
            "alone": {"noise": 0.5, "options": {**options, "batch": False}, **judge},
        },
    )
    table_1, table_2, roles = study_tables(store, ["news"], resamples=200)
    drpe = _line(table_1.blocks[0], "DRPE")
    assert drpe["CNN2022"].rater == "four" and drpe["CNN2022"].estimate.n == 30
    assert drpe["SummEval"].value is None and "1 of 3 data sets" in str(drpe["AVG"].estimate.reason)
    assert _line(table_2.blocks[0], "without batch prompting")["BBC2022"].rater == "alone"
    line = _line(roles.blocks[0], "DRPE")
    assert [line[f"CNN2022 k = {k}"].rater for k in (0, 2, 4, 6)] == ["", "two", "four", ""]
    assert roles.blocks[0].answered
    make(
        "summeval",
        study="drpe",
        groups={"dm": 30},
        judges={"four": {"noise": 0.1, "options": options, **judge}},
    )
    assert not study_tables(store, ["summeval"], numbers=["figure 6"], resamples=0)[0].blocks[0].answered


def test_the_mean_over_data_sets_has_an_interval_from_theirs() -> None:
    parts = [Cell(None, Estimate(v, ci=(v - 0.1, v + 0.2), n=50)) for v in (0.5, 0.6, 0.7, 0.8)]
    mean = whole_mean(parts)
    assert mean.value == pytest.approx(0.65) and mean.n == 200
    # The distances of four independent intervals: their root of squares, a quarter of it.
    assert mean.ci == pytest.approx((0.65 - 0.05, 0.65 + 0.1))


def test_a_metric_names_the_encoder_it_was_computed_with(elect: None, store: Store) -> None:
    with store.writing() as session:
        project = find_project(session, "soup").id
        responses = all_responses(session, project)
        scores = [NewMetricScore(response, number % 7 / 7, None) for number, response in enumerate(responses)]
        save_scores(session, project, "bertscore_f1", options={"encoder": "/models/tiny-bert"}, scores=scores)
    (table,) = study_tables(store, ["soup"], numbers=["1"], resamples=0)
    assert "BERTScore (here with tiny-bert)" in {head.group_heading for head in table.blocks[0].columns}


@pytest.mark.parametrize(
    ("origin", "demo", "compared"),
    [("run", False, True), ("scripted", False, False), ("imported", False, False), ("run", True, False)],
)
def test_stand_ins_are_not_compared_with_what_was_printed(
    make: Make, store: Store, origin: str, demo: bool, compared: bool
) -> None:
    judge = {"noise": 0.1, "protocol": "elect", "options": {"shots": 1}, "samples": 10, "model": "m"}
    make("soup", study="elect", groups={"Automotive": 40}, judges={"x": {**judge, "origin": origin}})
    if demo:
        with store.writing() as session:
            project = find_project(session, "soup")
            update_project(session, project.id, settings={**project.settings, "demo": True})
    (table,) = study_tables(store, ["soup"], numbers=["2"], resamples=200)
    counts, cell = count_replicated(table), _line(table.blocks[0], "Automotive")["ELECT ρ"]
    assert cell.value is not None and (cell.outside is not None) == compared
    assert (counts.compared, counts.stand_ins) == ((2, 0) if compared else (0, 2))


def test_scores_that_the_authors_published_are_no_stand_in(elect: None, store: Store) -> None:
    table = study_tables(store, ["soup"], numbers=["2"], resamples=200)[0]
    block = next(block for block in table.blocks if block.model == "")
    cell = _line(block, "Automotive")["G-Eval ρ"]
    assert cell.rater == "llama_geval" and cell.stand_in == "" and cell.outside is not None
