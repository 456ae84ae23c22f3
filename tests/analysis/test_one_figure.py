"""Two places that print one figure print the same: random projects, each page's and command's own way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling, agreement_table
from judgelab.analysis.comparison.sample_size import sample_size_for_systems
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.reporting import tables
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.results import results_page
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.unscored_counts import NONE_MISSING
from judgelab.store.projects.projects import create_project
from tests.databases import new_sqlite
from tests.examples import examples

SLUG = "random"


@dataclass(frozen=True)
class Shape:
    """What a random project is like; every number in it is drawn by the seed."""

    seed: int
    scales: tuple[str, ...]
    items: int
    systems: int
    raters: int
    judges: int
    gaps: float
    unscored: float
    filtered: bool


SHAPES = st.builds(
    Shape,
    seed=st.integers(0, 2**20),
    scales=st.sampled_from([("yes",), ("1-5",), ("1-5", "0-3"), ("yes", "1-5"), ("0-100",)]),
    items=st.integers(3, 9),
    systems=st.integers(1, 4),
    raters=st.integers(1, 4),
    judges=st.integers(1, 3),
    gaps=st.sampled_from([0.0, 0.2, 0.5]),
    unscored=st.sampled_from([0.0, 0.2]),
    filtered=st.booleans(),
)
SCALES = {
    "yes": {"kind": "binary"},
    "1-5": {"kind": "ordinal", "low": 1, "high": 5},
    "0-3": {"kind": "ordinal", "low": 0, "high": 3},
    "0-100": {"kind": "numeric", "low": 0, "high": 100},
}


def store_project(store: Store, shape: Shape) -> None:
    """Store the project that the shape describes."""
    rng = np.random.default_rng(shape.seed)
    criteria = {f"c{n}": SCALES[name] for n, name in enumerate(shape.scales)}
    with store.writing() as session:
        create_project(
            session,
            name=SLUG,
            criteria=[Criterion(key=key, label=key.upper(), scale=scale) for key, scale in criteria.items()],
        )
    texts, ratings, judgments = [], [], []
    for item in range(shape.items):
        for system in range(shape.systems):
            response_key = {"item_id": f"q{item}", "system": f"s{system}"}
            words = " ".join(["word"] * int(rng.integers(1, 9)))
            texts.append(
                {**response_key, "question": f"What is {item}?", "response": f"{words} {item} {system}."}
            )
            for key, scale in criteria.items():
                low, high = scale.get("low", 0), scale.get("high", 1)
                true = rng.uniform(low, high)
                for number in range(shape.raters + shape.judges):
                    score = int(np.clip(round(true + rng.normal(0, (high - low) / 3)), low, high))
                    row = {**response_key, "criterion": key, "score": str(score)}
                    if number < shape.raters:
                        if rng.random() >= shape.gaps:
                            ratings.append({**row, "rater": f"rater {chr(97 + number)}"})
                    elif rng.random() >= shape.gaps / 2:
                        empty_score = {"score": ""} if rng.random() < shape.unscored else {}
                        judgments.append({**row, **empty_score, "rater": f"judge {chr(97 + number)}"})
    for kind, rows in (("items", texts), ("ratings", ratings), ("judgments", judgments)):
        if rows:
            file = pd.DataFrame(rows).to_csv(index=False).encode()
            import_files(store, SLUG, [(f"{kind}.csv", file)], kind=kind)
    if shape.filtered and ratings:
        save_filter(store, SLUG, "filter", FilterPolicy(min_overlap=3, threshold=0.2))


def by_key(rows: Iterable[AgreementRow], coefficient: str) -> dict[tuple[str, str], AgreementRow]:
    return {(row.rater, row.criterion): row for row in rows if row.coefficient == coefficient}


def equal(first: float | None, second: float | None) -> bool:
    missing = [value is None or np.isnan(value) for value in (first, second)]
    return all(missing) or (not any(missing) and first == pytest.approx(second, abs=1e-12))


@examples(8)
@given(SHAPES)
def test_one_figure_of_one_question(shape: Shape) -> None:
    with TemporaryDirectory() as folder:
        store = open_store(new_sqlite(Path(folder) / "one.db"))
        try:
            store_project(store, shape)
            data = project_scores(store, SLUG)
            if data.humans.empty or data.scores[data.scores["rater_kind"] == "judge"].empty:
                return
            check_all_places(store, data.level, data.defaults.coefficient)
        finally:
            store.close()


def check_all_places(store: Store, level: str, coefficient: str) -> None:
    command = agreement_table(store, SLUG)
    page = agreement_and_ceiling(store, SLUG, level=level, coefficients=[coefficient])
    pack = gather_facts(store, SLUG)
    assert {row.level for row in command.rows} <= {level} and pack.recipe.level == level
    assert pack.recipe.coefficients[0] == coefficient

    with_all = by_key(command.rows, coefficient)
    assert with_all == by_key(page.table.rows, coefficient) == by_key(pack.rows, coefficient)
    assert by_key(command.ceiling, coefficient).keys() == by_key(pack.ceiling, coefficient).keys()
    vs_ceiling = {(row.rater, row.criterion): row for row in page.vs_ceiling}
    assert vs_ceiling == {
        (row.rater, row.criterion): row for row in pack.vs_ceiling if row.coefficient == coefficient
    }
    if not with_all:
        assert tables.agreement_rows(pack).empty
        return
    printed = tables.agreement_rows(pack).set_index(["rater", "criterion", "coefficient"])
    shared = results_page(pack, [], version="1")
    for (rater, criterion), row in with_all.items():
        printed_row = printed.loc[(rater, criterion, coefficient)]
        assert equal(row.estimate.value, printed_row["value"])
        assert printed_row["n"] == row.estimate.n
        if row.estimate.value is not None and (rater, criterion) in vs_ceiling and criterion.startswith("c"):
            assert f"{row.estimate.value:.3f}".replace("-", "−") in shared

    judges = sorted({row.rater for row in page.vs_ceiling if row.rater_kind == "judge"})
    for judge in judges:
        check_trust(store, judge, page.vs_ceiling)
    for criterion_info in pack.scores.project.criteria:
        for judge in (None, *judges[:1]):
            check_means(store, judge, criterion_info.key, tables.system_rows(pack))
        for judge in judges[:1]:
            check_pairs(store, judge, criterion_info.key)


def check_trust(store: Store, judge: str, vs_ceiling: Iterable[VsCeilingRow]) -> None:
    trust = measure_trust(store, SLUG, judge)
    rows = {row.criterion: row for row in vs_ceiling if row.rater == judge}
    for key, criterion in trust.criteria.items():
        ceiling_row = criterion.beside
        assert ceiling_row is not None or rows[key].estimate.value is None
        if ceiling_row is None:
            continue
        assert ceiling_row == rows[key], (
            "judge, raters, best baseline and both distances, with n and interval"
        )
        if ceiling_row.estimate.value is not None and ceiling_row.difference.value is not None:
            assert ceiling_row.difference.value == pytest.approx(
                ceiling_row.estimate.value - ceiling_row.raters.value
            )
    assert trust.unscored == project_scores(store, SLUG).unscored.get(judge, NONE_MISSING)


def check_pairs(store: Store, judge: str, criterion: str) -> None:
    """A difference of two systems is the same on *Trust*, *Means* and *More*, with n and interval."""
    trusted = measure_trust(store, SLUG, judge).criteria.get(criterion)
    if trusted is None or trusted.systems is None:
        return
    of_means = {
        (row.first, row.second): row
        for row in estimate_means(store, SLUG, judge, criterion=criterion).differences
    }
    for pair in trusted.systems.pairs:
        turned = (pair.better, pair.worse) not in of_means
        row = of_means[(pair.worse, pair.better) if turned else (pair.better, pair.worse)]
        assert row.difference is not None
        if pair.human.n >= 2 and row.unlabelled == 0:
            assert_same_difference(pair.human, row.difference.human, turned=turned)
            assert_same_difference(pair.judge, row.difference.judge, turned=turned)
            assert_same_difference(pair.human, row.difference.powered, turned=turned)
        more = sample_size_for_systems(store, SLUG, row.first, row.second, criterion=criterion, most=1)
        assert_same_difference(more.present, row.people, turned=False)


def assert_same_difference(first: Estimate, second: Estimate, *, turned: bool) -> None:
    sign = -1.0 if turned else 1.0
    assert first.n == second.n and first.value == pytest.approx(sign * (second.value or 0.0), abs=1e-9)
    ends = sorted(sign * end for end in second.ci or ())
    assert list(first.ci or ()) == pytest.approx(ends, abs=1e-9)
    assert first.ci_method == second.ci_method


def check_means(store: Store, judge: str | None, criterion: str, pack: pd.DataFrame) -> None:
    """The people's means are those of the pack, whichever judge stands beside them."""
    scores = project_scores(store, SLUG).scores
    if judge not in {None, *scores.loc[scores["criterion"] == criterion, "rater"]}:
        return
    rows = pack[pack["criterion"] == criterion].set_index("system")
    means_by_system = {
        row.system: row
        for row in estimate_means(store, SLUG, judge, criterion=criterion).systems
        if row.rated_responses
    }
    assert set(means_by_system) == set(rows.index)
    for system, row in means_by_system.items():
        pack_row = rows.loc[system]
        assert equal(row.people.value, pack_row["mean"]) and row.people.n == pack_row["items"]
        assert row.rated_responses == pack_row["responses"]
        low, high = row.people.ci or (None, None)
        assert equal(low, pack_row["ci_low"]) and equal(high, pack_row["ci_high"])
