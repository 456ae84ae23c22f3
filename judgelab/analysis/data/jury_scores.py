"""Scores of a jury of judges and metrics, combined from loaded scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.human_scores import score_per_response
from judgelab.metaeval.judges.juries import LEAST_A_MEMBER, LEAST_ITEMS, JuryScores, combine, learned
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.scoring.jury_info import JuryInfo, JuryScore
from judgelab.wording import sentence

RUN = "run "  # a member may be a single run: "run 3"
LEAST_MEMBERS, MOST_MEMBERS = 2, 20  # members


def jury_scores(
    project: ProjectInfo,
    jury: JuryInfo,
    scores: pd.DataFrame,
    responses: pd.DataFrame,
    human_scores: pd.DataFrame | None,
    *,
    on_scale: bool,
) -> list[JuryScore]:
    """Return the jury's scores; under labels without an order, the majority, however it combines scores.

    Args:
        project: the project.
        jury: its members and how it combines their scores.
        scores: scores of judges and metrics (`SCORE_COLUMNS`).
        responses: the responses, response and item; a division of the items into folds follows their order.
        human_scores: one human score per response and criterion (`human_scores`), for learned weights only.
        on_scale: whether all members score on the criteria's scales.
    """
    found: list[JuryScore] = []
    for criterion in project.criteria:
        of_criterion = scores[scores["criterion"] == criterion.key]
        scale = project.scale(criterion.key)
        table = pd.DataFrame({member: _member_scores(of_criterion, member, scale) for member in jury.members})
        table = table.reindex(responses["response"]).dropna(how="all")
        if table.empty:
            continue
        values = table.to_numpy(dtype=float)
        if not scale.ordered:
            combined = combine(values, "majority", on_scale=True)
        elif jury.combination == "weights":
            item = responses.set_index("response")["item"].reindex(table.index)
            human = _human_scores(human_scores, criterion.key).reindex(table.index).to_numpy(dtype=float)
            combined = learned(values, human, pd.factorize(item)[0], scale)
        else:
            combined = combine(values, jury.combination, on_scale=on_scale)
        found += _scores_for_criterion(jury, criterion.key, table, combined)
    return found


def _scores_for_criterion(
    jury: JuryInfo, criterion: str, table: pd.DataFrame, combined: JuryScores
) -> list[JuryScore]:
    weights = dict(zip(jury.members, combined.weights.tolist(), strict=False)) if combined.folds else {}
    jury_scores = []
    rows = zip(table.index, table.to_numpy(dtype=float), combined.scores, strict=True)
    for response, row_values, score in rows:
        member_scores = {
            name: float(value)
            for name, value in zip(jury.members, row_values, strict=True)
            if np.isfinite(value)
        }
        if np.isfinite(score):
            detail: dict[str, Any] = {
                "members": member_scores,
                **({"member_weights": weights} if weights else {}),
            }
            rationale = _member_scores_text(member_scores, weights)
            jury_scores.append(JuryScore(int(response), criterion, float(score), "", rationale, detail))
        else:
            jury_scores.append(
                JuryScore(int(response), criterion, None, _why_no_score(jury, member_scores, combined))
            )
    return jury_scores


def _member_scores_text(given: dict[str, float], weights: dict[str, float]) -> str:
    """Return the members' scores as text, used as the jury's rationale."""
    if not weights:
        return "\n".join(f"{name}: {score:.4g}" for name, score in given.items())
    return "\n".join(f"{name}: {score:.4g} (weight {weights[name]:+z.2f})" for name, score in given.items())


def _why_no_score(jury: JuryInfo, given: dict[str, float], combined: JuryScores) -> str:
    silent = [name for name in jury.members if name not in given]
    if silent:
        return sentence("{members} gave no score", members=", ".join(silent))
    if combined.reason:
        return sentence(
            "weights need {items} rated items and {responses} rated responses per member",
            items=LEAST_ITEMS,
            responses=LEAST_A_MEMBER,
        )
    return sentence("the members are tied")


def _member_scores(scores: pd.DataFrame, member: str, scale: Scale) -> pd.Series[float]:
    """Return the scores of a judge or metric of this name, else of this run."""
    member_scores, run = scores[scores["rater"] == member], member.removeprefix(RUN)
    if member_scores.empty and member.startswith(RUN) and run.isdigit():
        member_scores = scores[scores["run"] == int(run)]
    return score_per_response(member_scores, scale)


def _human_scores(human_scores: pd.DataFrame | None, criterion: str) -> pd.Series:
    if human_scores is None:
        return pd.Series(dtype=float)
    of_criterion = human_scores[human_scores["criterion"] == criterion]
    return of_criterion.set_index("response")["human"].astype(float)
