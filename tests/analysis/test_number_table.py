"""A result as one flat table: nothing is lost, everything has its recipe."""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd

from judgelab.analysis.data.number_table import as_csv, frame_csv, number_rows
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.metaeval.core.result import AgreementRow, Estimate, undefined
from judgelab.store.db.engine import Store
from tests.databases import load_demo

FOUND = Estimate(0.5, ci=(0.4, 0.6), ci_method="Wilson", n=12, seed=3, params={"level": "item"})
RESULT: dict[str, Any] = {
    "judge": "j",
    "unscored": 2,
    "passed": True,
    "criteria": [
        {
            "criterion": "good",
            "label": "Good",
            "agreement": {**FOUND.to_json(), "cluster": 1},
            "none": undefined("nobody rated", n=0).to_json(),
            "pairs": [{"better": "=a", "worse": "b", "p": 0.25, "judge": FOUND.to_json()}],
            "votes": [{"votes": 3, "estimate": FOUND.to_json()}],
            "test": {
                **{"test": "t", "p": 0.01, "statistic": 2.5, "n": 9, "p_adjusted": 0.02, "reason": None},
                **{"correction": "holm", "seed": None, "params": {"df": 8}},
            },
        }
    ],
}


def rows() -> dict[str, dict[str, Any]]:
    return {row["statistic"]: row for row in number_rows(RESULT)}


def test_every_number_is_a_row_named_by_the_way_to_it() -> None:
    assert list(rows()) == [
        *("unscored", "agreement", "none", "pairs / =a > b / p", "pairs / =a > b / judge"),
        *("votes / 3 / estimate", "test"),
    ]
    assert rows()["unscored"]["value"] == 2 and rows()["unscored"]["criterion"] == ""
    assert {row["criterion"] for name, row in rows().items() if name != "unscored"} == {"good"}


def test_an_estimate_keeps_interval_counts_seed_and_recipe() -> None:
    row = rows()["agreement"]
    assert (row["value"], row["low"], row["high"], row["n"], row["seed"]) == (0.5, 0.4, 0.6, 12, 3)
    assert row["interval"] == "Wilson" and row["recipe"] == "cluster 1; level item"
    assert rows()["none"]["value"] is None and rows()["none"]["reason"] == "nobody rated"


def test_a_test_keeps_both_p_values_and_how_they_came_about() -> None:
    row = rows()["test"]
    assert (row["value"], row["p"], row["p_adjusted"], row["n"]) == (2.5, 0.01, 0.02, 9)
    assert row["recipe"] == "test t; correction holm; df 8"


def test_the_file_says_in_every_row_what_is_shared_and_runs_no_formula() -> None:
    csv_rows = list(csv.DictReader(io.StringIO(as_csv(number_rows(RESULT), judge="=cmd()", level="item"))))
    assert len(csv_rows) == len(rows())
    assert {row["judge"] for row in csv_rows} == {"'=cmd()"} and {row["level"] for row in csv_rows} == {
        "item"
    }
    assert csv_rows[1]["value"] == "0.5" and csv_rows[2]["value"] == ""


def test_a_table_as_shown_is_read_by_programs() -> None:
    shown = pd.DataFrame(
        [["A", "0.50", "[−0.10, 0.90]", "−0.13", "[−0.20, −0.05]"], ["=B", "–", "–", "–", "–"]],
        columns=["Judge", "ρ", "95 % interval", "ρ − raters", "95 % interval"],
    )
    first, second = csv.DictReader(io.StringIO(frame_csv(shown, level="pooled")))
    assert list(first.items()) == [
        ("Judge", "A"),
        ("ρ", "0.50"),
        ("95 % interval", "[-0.10, 0.90]"),
        ("ρ − raters", "-0.13"),
        ("95 % interval (ρ − raters)", "[-0.20, -0.05]"),
        ("level", "pooled"),
    ]
    assert second["Judge"] == "'=B" and float(first["ρ − raters"]) == -0.13 and second["ρ"] == ""


def test_trust_is_exported_with_every_number_of_the_judge_and_of_the_raters_beside_it(store: Store) -> None:
    load_demo(store, "news")
    trust = measure_trust(store, "demo-news", "Demo judge A", resamples=50)
    beside = trust.criteria["coherence"].beside
    assert beside is not None and beside.baseline is not None and beside.raters.ci is not None
    rows = {
        (row["criterion"], row["statistic"]): row
        for row in csv.DictReader(io.StringIO(as_csv(number_rows(trust.to_json()), judge=trust.judge)))
    }
    judge, raters = rows["coherence", "beside"], rows["coherence", "beside / raters"]
    assert float(judge["value"]) == beside.estimate.value and int(judge["n"]) == beside.estimate.n
    assert float(raters["value"]) == beside.raters.value
    assert (float(raters["low"]), float(raters["high"])) == beside.raters.ci
    assert (
        float(rows["coherence", "beside / baseline_value"]["value"]) == beside.baseline.estimate.value
        and float(rows["coherence", "beside / difference"]["value"]) == beside.difference.value
    )


def test_one_name_has_one_kind_of_value_in_estimates_and_rows_of_agreement() -> None:
    grouped = Estimate(0.5, n=9, groups_used=2, groups_undefined={"human_constant": 1, "too_few": 2})
    row = AgreementRow("j", "judge", "good", "item", "spearman", grouped).to_json()
    expected = {
        "groups_used": 2,
        "groups_undefined": 3,
        "undefined_reasons": {"human_constant": 1, "too_few": 2},
    }
    assert expected.items() <= row.items() and expected.items() <= grouped.to_json().items()
    assert next(iter(number_rows({"row": row})))["groups_undefined"] == "human_constant 1; too_few 2"
