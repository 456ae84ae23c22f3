"""What the page of agreement shows, in a file: every number with what it stands on."""

import csv
import io

import pandas as pd
import pytest

from judgelab.analysis.agreement.agreement_numbers import agreement_numbers
from judgelab.analysis.agreement.measured_agreement import AgreementTable
from judgelab.analysis.data.number_table import as_csv, number_rows
from judgelab.analysis.data.project_scores import ALL_CRITERIA
from judgelab.metaeval.agreement.agreement import agreement, human_ceiling
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.scales import scale_from_json
from judgelab.store.judging.unscored_counts import UnscoredCounts

SCALES = {"good": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
SCORES = {"Ada": (1, 2, 3, 5, 4), "Bo": (1, 3, 3, 4, 5), "=judge": (2, 2, 3, 5, 5)}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rows = [
        {"item": f"q{n}", "response": n, "rater": rater, "score": float(score)}
        for rater, scores in SCORES.items()
        for n, score in enumerate(scores)
    ]
    frame = pd.DataFrame(rows).assign(system="", group="", criterion="good")
    return frame.assign(rater_kind=frame["rater"].map(lambda name: "judge" if name == "=judge" else "human"))


def test_each_number_has_a_row_with_interval_and_n(frame: pd.DataFrame) -> None:
    options = {"scales": SCALES, "coefficients": ["pearson"], "levels": ["none"], "resamples": 50}
    rows = tuple(agreement(frame, **options))
    table = AgreementTable(
        rows,
        tuple(human_ceiling(frame, **options)),
        None,
        {},
        unscored_by_criterion={("=judge", "good"): UnscoredCounts(3, 1)},
    )
    vs_ceiling = compare_with_ceiling(
        frame, scales=SCALES, level="none", coefficients=["pearson"], resamples=50
    )
    table_as_csv = as_csv(number_rows(agreement_numbers(table, vs_ceiling.rows)), coefficient="pearson")
    row_by_statistic = {row["statistic"]: row for row in csv.DictReader(io.StringIO(table_as_csv))}
    assert set(row_by_statistic) == {
        "agreement / =judge",
        "agreement / raters (leave one out)",
        "beside the rater left out / =judge",
        "the rater left out / =judge",
        "minus the rater left out / =judge",
        "replies without a score (unscored) / =judge",
        "failed judgments / =judge",
    }
    assert row_by_statistic["replies without a score (unscored) / =judge"]["value"] == "3"
    assert row_by_statistic["failed judgments / =judge"]["value"] == "1"
    agreement_row = row_by_statistic["agreement / =judge"]
    assert float(agreement_row["value"]) == pytest.approx(rows[0].estimate.value)
    assert (agreement_row["criterion"], agreement_row["n"], agreement_row["coefficient"]) == (
        "good",
        "5",
        "pearson",
    )
    assert float(agreement_row["low"]) <= float(agreement_row["value"]) <= float(agreement_row["high"])
    difference = float(row_by_statistic["minus the rater left out / =judge"]["value"])
    assert difference == pytest.approx(vs_ceiling.rows[0].difference.value)


def test_an_average_counts_the_unscored_of_its_criteria(frame: pd.DataFrame) -> None:
    """A criterion under which all raters gave one score has no r, so it is not in the average."""
    flat = frame.assign(criterion="flat")
    flat.loc[flat["rater_kind"] == "human", "score"] = 3.0
    other = frame.assign(criterion="clear")
    scales = {name: SCALES["good"] for name in ("good", "clear", "flat")}
    rows = agreement(
        pd.concat([frame, other, flat], ignore_index=True),
        scales=scales,
        coefficients=["pearson"],
        levels=["none"],
        resamples=0,
    )
    by_criterion = {
        ("=judge", name): UnscoredCounts(unscored=n)
        for name, n in {"good": 1, "clear": 2, "flat": 4, ALL_CRITERIA: 8}.items()
    }
    table = AgreementTable(tuple(rows), (), None, {}, unscored_by_criterion=by_criterion)
    counts = {row.criterion: table.unscored_in(row).unscored for row in rows if row.rater == "=judge"}
    assert counts == {"good": 9, "clear": 10, "flat": 12, "average": 11}, "a judgment of all counts once"
