"""DRPE's five runs: each wording of the task compared by itself, then averaged, as the paper does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from judgelab.replication import export
from judgelab.replication.tables import study_tables
from judgelab.store.db.engine import Store
from judgelab.store.models import Completion, Judgment, Verdict
from tests.replication.conftest import Make

WORDINGS, ITEMS = 5, 80
WHOLE = {"panel": True, "static": True, "k": 4, "clustering": "dynamic", "batch": True, "variants": WORDINGS}
PANEL = {"protocol": "role_panel", "model": "m", "origin": "run", "own_scale": True}


def _vote(vote: int) -> dict[str, Any]:
    return {"role": "", "for": "candidate" if vote else "reference", "reason": "", "confidence": None}


def _asked(store: Store, right: float) -> tuple[list[float], list[list[float]]]:
    """Let a judge that is right that often compare every summary in five wordings; return who said what."""
    rng = random.Random(3)
    human, votes_of_summaries = [], []
    with store.writing() as session:
        for verdict, judgment in session.execute(
            select(Verdict, Judgment).join(Judgment, Judgment.id == Verdict.judgment_id)
        ):
            votes = []
            for wording in range(WORDINGS):
                vote = int(verdict.score) if rng.random() < right else 1 - int(verdict.score)
                votes.append(float(vote))
                sitting = {"sitting": [wording, "candidate_first", 0], "role": None}
                reading = {"scores": {"overall": float(vote)}, "detail": {"votes": [_vote(vote)]}}
                session.add(
                    Completion(judgment_id=judgment.id, sample=wording, call_data=sitting, reading=reading)
                )
            human.append(verdict.score)
            votes_of_summaries.append(votes)
            verdict.score = sum(votes) / WORDINGS
            verdict.detail = {"panel": {"roles": [{"role": ""}], "weighed": False}}
    return human, votes_of_summaries


def test_five_runs_are_averaged_by_their_results_and_the_mean_score_has_a_row_of_its_own(
    make: Make, store: Store
) -> None:
    judges = {"panel": {"noise": 0.0, "options": {**WHOLE, "panel": False}, **PANEL}}
    make("news", study="drpe", groups={"cnn": ITEMS}, judges=judges)
    human, votes_of_summaries = _asked(store, right=0.75)
    (table,) = study_tables(store, ["news"], numbers=["1"], resamples=300)
    rows = {line.label: line.cells[0] for line in table.blocks[0].lines}
    results = [
        abs(np.corrcoef(human, [votes[w] for votes in votes_of_summaries])[0, 1]) for w in range(WORDINGS)
    ]
    of_mean = abs(np.corrcoef(human, np.mean(votes_of_summaries, axis=1))[0, 1])
    mean_result, mean_score = rows["GPT-D3"], rows["GPT-D3, of the mean score"]
    assert mean_result.value == pytest.approx(np.mean(results)) and mean_result.runs == WORDINGS
    assert mean_score.value == pytest.approx(of_mean) and mean_score.runs is None
    # Chance goes out of a mean of five: a judge that is right three times in four is no .8 judge.
    assert of_mean > np.mean(results) + 0.2
    assert (mean_result.published, mean_score.published) == (0.713, None)
    assert (
        mean_result.estimate.n == ITEMS
        and mean_result.ci is not None
        and mean_result.ci[0] < mean_result.value < mean_result.ci[1]
    )
    assert "(80; 5 runs)" in export.to_markdown(table)


def test_runs_that_point_in_opposite_directions_are_averaged_without_their_signs(
    make: Make, store: Store
) -> None:
    judges = {"panel": {"noise": 0.0, "options": WHOLE, **PANEL}}
    make("news", study="drpe", groups={"cnn": ITEMS}, judges=judges)
    human, votes_of_summaries = _asked(store, right=0.5)
    (table,) = study_tables(store, ["news"], numbers=["1"], resamples=0)
    cell = next(line.cells[0] for line in table.blocks[0].lines if line.label == "DRPE")
    results = [np.corrcoef(human, [votes[w] for votes in votes_of_summaries])[0, 1] for w in range(WORDINGS)]
    assert min(results) < 0 < max(results)
    assert cell.value == pytest.approx(np.mean(np.abs(results)))
    assert cell.estimate.params["signed"] == pytest.approx(np.mean(results))
