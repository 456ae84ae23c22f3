"""A project's comparisons in the form of its scores: each pair of responses is a unit with a label.

Whatever is computed from scores with labels is computed from comparisons by the same code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from judgelab.analysis.data.compared_pairs import ComparedPairs, compared_criteria, compared_pairs
from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.data.pair_filter import filter_choices, keep_choices
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.saved_filters import evaluate_filter
from judgelab.analysis.data.scores import IN_USE, NO_FILTER, chosen_filter, project_scores
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.domain import DECISION
from judgelab.metaeval.core.aggregation import MAJORITY
from judgelab.metaeval.core.pair_scores import SCALE
from judgelab.store.db.engine import Store
from judgelab.store.judging.unscored_counts import UnscoredCounts


def scores_or_comparisons(
    store: Store,
    slug: str,
    *,
    comparisons: bool | None,
    policy: str | FilterPolicy = IN_USE,
    decisions: bool = False,
) -> ProjectScores:
    """Return the scores of single responses, or with `comparisons` those of pairs.

    If `comparisons` is None, comparisons are used where nobody rated single responses.

    Raises:
        NotFound: no such project or filter.
        InvalidInput: comparisons are asked for and nobody compared responses.
    """
    if comparisons:
        return compared_scores(store, slug, policy=policy, decisions=decisions)
    scores = project_scores(store, slug, policy=policy, decisions=decisions)
    if comparisons is None and scores.humans.empty and compared_criteria(store, slug):
        return compared_scores(store, slug, policy=policy, decisions=decisions)
    return scores


def compared_scores(
    store: Store, slug: str, *, policy: str | FilterPolicy = IN_USE, decisions: bool = False
) -> ProjectScores:
    """Return the comparisons under every compared criterion as scores of pairs.

    The project in the result has these criteria only, each with the scale of `pair_scores`. In `scores`,
    `response` is the number of the pair, which differs between criteria. `policy` is the filter of people's
    choices, as in `project_scores`. With `decisions`, an adjudicator's decision replaces the majority of its
    pair. Pairs on which a margin for a tie was chosen are in `humans` and `compared`, not in `scores`.

    Raises:
        NotFound: no such project or filter.
        InvalidInput: nobody compared responses.
    """
    keys = compared_criteria(store, slug)
    parts = [
        compared_pairs(store, slug, criterion=key, decisions=decisions, policy=NO_FILTER)
        for key in keys or (None,)
    ]
    saved = chosen_filter(store, slug, policy)
    preferences = pd.concat([part.preferences for part in parts], ignore_index=True)
    margins = {key: margin for part in parts for key, margin in part.found.margins.items()}
    units = ComparedUnits(
        pairs=pd.concat(_renumbered(parts, [part.found.pairs for part in parts], "pair"), ignore_index=True),
        longer=_longer(parts),
        preferences=preferences,
        responses=parts[0].responses,
        implied=frozenset(name for part in parts for name in part.found.implied),
        metrics=frozenset(name for part in parts for name in part.found.metrics),
        margins=margins,
    )
    scores = pd.concat(
        _renumbered(parts, [part.found.scores for part in parts], "response"), ignore_index=True
    )
    scores = scores.sort_values("rater_kind", key=lambda kind: kind != "human", kind="stable")
    scores = scores.reset_index(drop=True)
    choices = None if saved is None else filter_choices(preferences, units.responses, saved.policy, keys=keys)
    kept, units = keep_choices(scores, units, choices)
    project = parts[0].project
    criteria = tuple(replace(project.criterion(key), scale=SCALE) for key in keys)
    return ProjectScores(
        project=replace(project, criteria=criteria),
        scores=kept,
        humans=scores[scores["rater_kind"] == "human"],
        outcome=None if choices is None else choices.outcome,
        policy=saved,
        unscored_by_criterion={
            (judge, part.criterion): UnscoredCounts(unscored=n)
            for part in parts
            for judge, n in part.missing.items()
        },
        aggregation=MAJORITY,
        n_decided=int((kept["rater_kind"] == DECISION).sum()) if decisions else None,
        compared=units,
    )


def evaluate_scores_or_comparisons(
    store: Store, slug: str, policy: FilterPolicy, *, comparisons: bool | None
) -> FilterOutcome:
    """Return what a filter would keep and remove of people's scores or comparisons, as chosen above.

    Raises:
        NotFound: no such project, or the filter's criterion has no ratings.
        InvalidInput: comparisons are asked for and nobody compared responses.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=NO_FILTER)
    if data.compared is None:
        return evaluate_filter(store, slug, policy)
    return apply_filter(data.humans, policy, scales=data.project.scales, compared=True)


def _longer(parts: list[ComparedPairs]) -> pd.Series[float]:
    frames = [
        pd.DataFrame({"pair": part.found.longer.index, "label": part.found.longer.to_numpy()})
        for part in parts
    ]
    numbered = pd.concat(_renumbered(parts, frames, "pair"), ignore_index=True)
    return pd.Series(numbered["label"].to_numpy(dtype=float), index=numbered["pair"].to_numpy(dtype="int64"))


def _renumbered(
    parts: list[ComparedPairs], frames: list[pd.DataFrame], column: str
) -> Iterable[pd.DataFrame]:
    """Return the frames with pairs numbered through, since each criterion numbers its own from 0."""
    start = 0
    for part, frame in zip(parts, frames, strict=True):
        numbered = frame.assign(criterion=part.criterion)
        numbered[column] += start
        yield numbered
        start += len(part.found.pairs)
