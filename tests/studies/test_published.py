"""Printed numbers: rows and averages agree with one another, as far as the papers' own do."""

from __future__ import annotations

import math

import pytest
from scipy.stats import kendalltau, spearmanr

from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.protocols import protocols
from judgelab.studies import studies
from judgelab.studies.tables import PublishedTable, published_tables

COUNTS = {
    "elect": {"1": 70, "2": 88},
    # A kappa and Combined stand in two columns each: the paper leaves open how they were made.
    "bioasq": {"1": 10 * 5 + 5 * 5 * 2 + 10 * 2, "2": 2},
    "drpe": {"1": 36, "2": 20, "figure 6": 4},
    "linkage": {
        "1": 12, "2": 90, "3": 36, "4": 20, "5": 12, "6": 32, "7": 12, "8": 12, "9": 30, "10": 30,
    },
    "qa_eval": {"1": 132, "2": 22, "3": 12},
}  # fmt: skip


def _table(study: str, number: str) -> PublishedTable:
    return next(table for table in published_tables(study) if table.number == number)


@pytest.mark.parametrize("study", COUNTS)
def test_every_table_of_the_papers_is_there_with_all_its_numbers(study: str) -> None:
    counts = {t.number: sum(v is not None for r in t.rows for v in r.values) for t in published_tables(study)}
    assert counts == COUNTS[study]


@pytest.mark.parametrize(("number", "categories"), [("1", 6), ("2", 10)])
def test_averages_of_elect_are_those_of_its_rows(number: str, categories: int) -> None:
    table = _table("elect", number)
    *rows, average = table.rows
    assert (len(rows), average.label) == (categories, "Average")
    for column in range(len(table.columns)):
        values = [row.values[column] for row in rows]
        assert math.fsum(v for v in values if v is not None) / categories == pytest.approx(
            average.values[column], abs=6e-4
        )


def test_averages_of_bioasq_are_those_of_its_criteria() -> None:
    table = _table("bioasq", "1")
    for row in table.rows:
        for kind in ("ρ", "κ"):
            single = [v for c, v in zip(table.columns, row.values, strict=True) if c.label == kind]
            if None not in single:
                *criteria, average = (float(v) for v in single if v is not None)
                assert sum(criteria) / 4 == pytest.approx(average, abs=1.1e-3), (row.label, kind)


def test_averages_of_drpe_are_those_of_its_data_sets_but_for_one_slip() -> None:
    for number in ("1", "2"):
        for row in _table("drpe", number).rows:
            if None in row.values:  # the other reading of the five runs, which the paper does not print
                assert row.label.endswith("of the mean score")
                continue
            *parts, average = (float(v) for v in row.values if v is not None)
            expected = 0.455 if row.label == "ROUGE-1" else average
            assert sum(parts) / 3 == pytest.approx(expected, abs=6e-4), row.label
            assert bool(row.notes) == (row.label == "ROUGE-1")


def test_draws_of_linkage_have_the_printed_means_and_all_but_four_of_the_deviations() -> None:
    deviating_rows = []
    for number in ("9", "10"):
        for row in _table("linkage", number).rows:
            *draws, mean, deviation = (float(v) for v in row.values if v is not None)
            assert sum(draws) / 3 == pytest.approx(mean, abs=1.7e-4)
            own = math.sqrt(sum((d - sum(draws) / 3) ** 2 for d in draws) / 2)
            if own != pytest.approx(deviation, abs=6e-4):
                deviating_rows.append((number, row.label))
                assert 4 in row.notes
    assert deviating_rows == [
        ("10", "Mistral: Pairwise with references"),
        ("10", "ChatGPT: Pointwise with references"),
        ("10", "ChatGPT: Pairwise with references"),
        ("10", "ChatGPT: LINKAGE, few-shot"),
    ]


def test_linkage_repeats_its_rows_without_references_across_tables() -> None:
    table_2 = _table("linkage", "2")
    for number in ("3", "4"):
        table = _table("linkage", number)
        for model in ("Mistral", "ChatGPT"):
            row = f"{model}: Pointwise"
            repeated = next(r for r in table.rows if r.label == row).values
            first = next(r for r in table_2.rows if r.label == row).values
            expected = [first[k] for k in (0, 1, 3, 4)]
            # Table 3 and 4 cut where Table 2 is rounded.
            assert [100 * v for v in expected if v is not None] == pytest.approx(repeated, abs=0.011)


def test_table_2_of_qa_eval_follows_from_table_1_but_for_a_tie_that_rounding_makes() -> None:
    table_1, table_2 = _table("qa_eval", "1"), _table("qa_eval", "2")
    column_of = {(c.group_heading, c.label): k for k, c in enumerate(table_1.columns)}
    columns = {key: [float(row.values[k] or 0) for row in table_1.rows] for key, k in column_of.items()}
    human = columns["", "Human"]
    checked = 0
    for row in table_2.rows:
        if (row.section, row.label) not in columns:
            assert (row.section, row.label) == ("Zero-shot", "Zephyr-7B")  # it has no column in Table 1
            continue
        automatic = columns[row.section, row.label]
        rho, tau = spearmanr(human, automatic).statistic * 100, kendalltau(human, automatic).statistic * 100
        expected = (29.9, 35.7) if row.label == "F1" else row.values[:2]
        assert (rho, tau) == pytest.approx(expected, abs=0.051), row.label
        if row.values[2] is not None:
            mae = sum(abs(a - b) for a, b in zip(human, automatic, strict=True)) / len(human)
            assert mae == pytest.approx(row.values[2], abs=0.051)
        checked += 1
    assert checked == 9
    repeated = _table("qa_eval", "3").rows
    assert repeated[0].values == table_2.rows[-1].values[:2]
    assert (
        repeated[2].values
        == next(r for r in table_2.rows if r.section == "Zero-shot" and "Zephyr" in r.label).values[:2]
    )


@pytest.mark.parametrize("study", COUNTS)
def test_every_cell_has_a_recipe_that_can_be_followed(study: str) -> None:
    study_spec = studies.get(study)
    for table in published_tables(study):
        for row in table.rows:
            for column in table.columns:
                recipe = table.recipe_of(row, column)
                cell = (table.number, row.label, column.label)
                assert recipe.names_rater or recipe.measure, cell
                assert not recipe.judge or study_spec.judge(recipe.judge), cell
                assert not recipe.model or recipe.model in table.models, cell
                assert recipe.dataset in ("", "all", *table.datasets), cell
                assert recipe.measure or recipe.coefficient in COEFFICIENTS, cell


def test_presets_are_judges_that_their_protocols_take() -> None:
    for name, study in studies.items():
        for preset in study.judges:
            protocols.get(preset.protocol).settle(preset.all_options())
        for grid in study.grids:
            preset = study.judge(grid.judge)
            assert preset is not None, (name, grid.key)
            for setting, values in grid.axes.items():
                for value in values:
                    if setting != "samples" and not setting.startswith("parameters."):
                        protocols.get(preset.protocol).settle({**preset.all_options(), setting: value})
