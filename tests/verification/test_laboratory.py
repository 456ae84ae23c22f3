"""Questions put to published data: which prompt is better, which systems would be ordered wrongly."""

from __future__ import annotations

import json

import pytest

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.verification.conftest import Bring

pytestmark = pytest.mark.datasets


@pytest.fixture(scope="module")
def elect(bring: Bring) -> Store:
    return bring("elect-rpqa", preset="elect-rpqa", study="elect")


def test_the_elect_prompt_beats_geval_on_the_shipped_replies(elect: Store) -> None:
    comparison = compare_judges(elect, "p", coefficient="spearman", permutations=999).criteria["answers"]
    value = {row.rater: row.estimate.value for row in comparison.placed}
    assert value["llama_elect4"] == pytest.approx(0.6507, abs=5e-5) and comparison.n == 479
    contrast = comparison.between("llama_elect4", "llama_geval")
    assert contrast is not None and contrast.better == "llama_elect4"
    assert contrast.difference.ci is not None and contrast.difference.ci[0] > 0
    assert contrast.test.name == "perm_inputs" and (contrast.test.adjusted or 1) < 0.05


def test_one_reply_in_place_of_ten_loses_a_tenth(elect: Store) -> None:
    trust = measure_trust(elect, "p", "llama_elect4", resamples=100).criteria["answers"]
    votes = {row.votes: row.estimate.value for row in trust.consistency.votes}
    assert votes[10] == pytest.approx(0.6507, abs=5e-5) and 0.53 < (votes[1] or 0) < 0.60
    assert trust.verdict == "unknown" and trust.beside is not None
    assert "two human ratings" in (trust.beside.raters.reason or "")
    estimates = {row.rater: row.estimate for row in trust.against_all}
    assert estimates["llama_elect4"].value == pytest.approx(0.6507, abs=5e-5)
    (least,) = (estimate for name, estimate in estimates.items() if name.startswith("baseline: "))
    assert 0 <= (least.value or 0.0) < 0.5


def test_strengths_of_the_systems_of_mt_bench(bring: Bring) -> None:
    store = bring("alttest-labels", preset="mtbench-pairs", create_missing=True)
    people, *judges = sorted(
        strength_table(store, "p", resamples=100).rows, key=lambda row: row.rater_kind != "human"
    )
    assert {row.comparisons for row in judges} == {120} and len(judges) == 6
    value = {name: strength.value or 0.0 for name, strength in people.strengths.strength.items()}
    assert people.comparisons == 246 and max(value, key=value.__getitem__) == "gpt-4"
    assert min(value, key=value.__getitem__) == "llama-13b" and sum(value.values()) == pytest.approx(
        0, abs=1e-9
    )
    process = judgelab(
        str(store.engine.url.render_as_string(hide_password=False)), "strengths", "p", "--json"
    )
    assert json.loads(process.stdout)["rows"][0]["strengths"]["strength"]["gpt-4"]["ci"]
