"""LINKAGE's collections: grades, lists drawn from them, metrics beside the grades, judging with the lists."""

from __future__ import annotations

from collections import Counter, defaultdict

import pandas as pd
import pytest

from judgelab.analysis.data.scores import project_scores
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.best_answers import best_answers
from judgelab.metrics.rouge import rouge
from judgelab.preparation.lists.editing import lists_of_set
from judgelab.preparation.lists.plan import ListPlan
from judgelab.preparation.lists.reference_lists import make_lists
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.plan import run_builder
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.engine import Store
from judgelab.store.prepared.rated_rows import RatedRow, rated_rows
from judgelab.store.projects.projects import find_project
from tests.verification.conftest import Bring

pytestmark = pytest.mark.datasets
KINDS = ("rouge1", "rouge2", "rougeL")
# tau, rho, r and the questions they stand on.
ROUGE = {
    "ANTIQUE": {
        "rouge1": (0.2074, 0.2514, 0.2629, 466),
        "rouge2": (0.1901, 0.2153, 0.2012, 425),
        "rougeL": (0.1737, 0.2106, 0.2226, 466),
    },
    "TREC-DL-NF": {
        "rouge1": (0.2326, 0.2937, 0.3293, 54),
        "rouge2": (0.2089, 0.2541, 0.2974, 54),
        "rougeL": (0.2171, 0.2739, 0.3053, 54),
    },
}


@pytest.fixture(scope="module")
def antique(bring: Bring) -> Store:
    return bring("linkage-nfqa/ANTIQUE.json", preset="linkage-nfqa", study="linkage")


@pytest.fixture(scope="module")
def trec(bring: Bring) -> Store:
    return bring("linkage-nfqa/TREC-DL-NF.json", preset="linkage-nfqa", study="linkage")


def _rows(store: Store) -> dict[int, list[RatedRow]]:
    with store.reading() as session:
        rows = rated_rows(session, find_project(session, "p").id)
    rows_of_items: defaultdict[int, list[RatedRow]] = defaultdict(list)
    for row in rows:
        rows_of_items[row.item_id].append(row)
    return dict(rows_of_items)


@pytest.mark.parametrize("name", ROUGE)
def test_rouge_beside_the_grades_of_each_question(request: pytest.FixtureRequest, name: str) -> None:
    """Against the first listed answer, which leaves with its copies; undefined questions drop out.

    Fractions that differ by the noise of a division are ties to us and were none in the expected figures, so
    orders are compared by the ranks of the raw numbers.
    """
    store = request.getfixturevalue("antique" if name == "ANTIQUE" else "trec")
    candidates = [
        (row, rows[0].text)
        for rows in _rows(store).values()
        for row in rows
        if row.text.strip() != rows[0].text.strip()
    ]
    rouge_scores = rouge(KINDS, [row.text for row, _ in candidates], [best for _, best in candidates])
    common = [(row.item_id, row.response_id, "", "", "quality") for row, _ in candidates]
    human = [
        (*ids, "h", "human", row.scores["quality"]) for ids, (row, _) in zip(common, candidates, strict=True)
    ]
    items = pd.Series([row.item_id for row, _ in candidates])
    metric = []
    for kind in KINDS:
        raw = pd.Series(rouge_scores[kind].f)
        for rater, values in ((kind, raw), (f"{kind} order", raw.groupby(items).rank())):
            metric += [(*ids, rater, "metric", value) for ids, value in zip(common, values, strict=True)]
    columns = ["item", "response", "system", "group", "criterion", "rater", "rater_kind", "score"]
    rows = agreement(
        pd.DataFrame(human + metric, columns=columns),
        scales={},
        levels=("item",),
        coefficients=("kendall", "spearman", "pearson"),
        constant_groups="drop",
        resamples=0,
    )
    estimates = {(row.rater, row.coefficient): row.estimate for row in rows}
    for kind, (tau, rho, r, used) in ROUGE[name].items():
        for coefficient, value in (("kendall", tau), ("spearman", rho), ("pearson", r)):
            estimate = estimates[kind if coefficient == "pearson" else f"{kind} order", coefficient]
            assert estimate.value == pytest.approx(value, abs=5.1e-5), (kind, coefficient)
            assert estimate.groups_used == used
            assert estimates[kind, coefficient].value == pytest.approx(value, abs=3e-4)


def test_half_of_the_questions_have_all_four_grades(antique: Store) -> None:
    rows = _rows(antique)
    grades = Counter(len({row.scores["quality"] for row in rated}) for rated in rows.values())
    assert sum(map(len, rows.values())) == 10_186 and len(rows) == 500
    assert (grades[4], grades[1]) == (252, 19)
    first_report, second_report = make_lists(antique, "p", ListPlan(pattern="3210", draws=(1, 2)))
    assert (
        (first_report.lists, first_report.complete)
        == (second_report.lists, second_report.complete)
        == (500, 252)
    )
    references = [
        {
            (reference_list.item, entry.response_id)
            for reference_list in lists_of_set(antique, "p", "references", draw)
            for entry in reference_list.entries
        }
        for draw in (1, 2)
    ]
    assert references[0] != references[1]
    spec = JudgeSpec("linkage", "rule", "scripted")
    with antique.reading() as session:
        draft = run_builder.build_run(session, find_project(session, "p"), spec, Selection())
    judged = {unit.response_id for unit in draft.units}
    assert len(judged) == 10_186 - first_report.reserved
    assert not judged & {response for _, response in references[0]}


def test_finding_the_best_of_three_web_answers(bring: Bring) -> None:
    store = bring("linkage-nfqa/WEBGLM_50.json", preset="linkage-nfqa", study="linkage")
    score_project(store, "p", ["rougeL"], options={"references": "first"})
    scores = project_scores(store, "p").scores
    (rater,) = scores.loc[scores["rater_kind"] == "metric", "rater"].unique()
    estimates = best_answers(scores, rater, resamples=0)
    best, best_and_worst = estimates["best_found"], estimates["best_and_worst_found"]
    assert (best.value, best_and_worst.value, best.n) == (pytest.approx(0.23), pytest.approx(0.10), 100)
    assert best.params["chance"] == pytest.approx(0.3367, abs=1e-4)  # one question has two best answers
    report = make_lists(store, "p", ListPlan(pattern="3210"))[0]
    assert (report.lists, report.complete, report.reserved, report.undefined) == (100, 100, 0, 0)
