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
    found = compare_judges(elect, "p", coefficient="spearman", permutations=999).criteria["answers"]
    value = {row.rater: row.estimate.value for row in found.placed}
    assert value["llama_elect4"] == pytest.approx(0.6507, abs=5e-5) and found.n == 479
    contrast = found.between("llama_elect4", "llama_geval")
    assert contrast is not None and contrast.better == "llama_elect4"
    assert contrast.difference.ci is not None and contrast.difference.ci[0] > 0
    assert contrast.test.name == "perm_inputs" and (contrast.test.adjusted or 1) < 0.05


def test_one_reply_in_place_of_ten_loses_a_tenth(elect: Store) -> None:
    one = measure_trust(elect, "p", "llama_elect4", resamples=100).criteria["answers"]
    votes = {row.votes: row.estimate.value for row in one.consistency.votes}
    assert votes[10] == pytest.approx(0.6507, abs=5e-5) and 0.53 < (votes[1] or 0) < 0.60
    assert one.verdict == "unknown" and one.beside is not None
    assert "two human ratings" in (one.beside.raters.reason or "")
    alone = {row.rater: row.estimate for row in one.against_all}
    assert alone["llama_elect4"].value == pytest.approx(0.6507, abs=5e-5)
    (least,) = (one for name, one in alone.items() if name.startswith("baseline: "))
    assert 0 <= (least.value or 0.0) < 0.5


def test_strengths_of_the_systems_of_mt_bench(bring: Bring) -> None:
    store = bring("alttest-labels", preset="mtbench-pairs", create_missing=True)
    (people,) = strength_table(store, "p", resamples=100).rows
    value = {name: one.value or 0.0 for name, one in people.strengths.strength.items()}
    assert people.comparisons == 246 and max(value, key=value.__getitem__) == "gpt-4"
    assert min(value, key=value.__getitem__) == "llama-13b" and sum(value.values()) == pytest.approx(
        0, abs=1e-9
    )
    said = judgelab(str(store.engine.url.render_as_string(hide_password=False)), "strengths", "p", "--json")
    assert json.loads(said.stdout)["rows"][0]["strengths"]["strength"]["gpt-4"]["ci"]
