"""The quality filter on comparisons: each pair of responses is a unit, its labels are first, tie, second."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.metaeval.core.pair_scores import SCALE, PairScores, pair_scores, set_aside
from judgelab.scales import Scale, scale_from_json

CHOICE = ["criterion", "rater", "first", "second"]  # names a person's choice


@dataclass(frozen=True)
class FilteredChoices:
    """People's choices of two responses under a filter.

    Attributes:
        humans: all choices as scores of pairs (`SCORE_COLUMNS`); `response` is the number of the pair, the
            same under all criteria.
        pairs: the pairs by number (`PAIR_COLUMNS`).
        outcome: what the filter did.
    """

    humans: pd.DataFrame
    pairs: pd.DataFrame
    outcome: FilterOutcome

    def scores_left(self, scores: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
        """Return scores of `pairs` without the people's choices that the filter removes."""
        kept = pd.MultiIndex.from_frame(_named(self.outcome.kept, self.pairs))
        given = pd.MultiIndex.from_frame(_named(scores, pairs))
        return scores[~self._concerns(scores) | given.isin(kept)]

    def preferences_left(self, preferences: pd.DataFrame) -> pd.DataFrame:
        """Return comparisons (`PREFERENCE_COLUMNS`) without the people's that the filter removes."""
        kept = pd.MultiIndex.from_frame(_either_way(_named(self.outcome.kept, self.pairs)))
        ends = preferences.rename(columns={"response_a": "first", "response_b": "second"})[CHOICE]
        given = pd.MultiIndex.from_frame(_either_way(ends))
        return preferences[~self._concerns(preferences) | given.isin(kept)]

    def _concerns(self, rows: pd.DataFrame) -> pd.Series[bool]:
        """Return which rows are by people under the criteria that the filter is about."""
        return (rows["rater_kind"] == "human") & rows["criterion"].isin(list(self.outcome.coefficients))


def filter_choices(
    preferences: pd.DataFrame, responses: pd.DataFrame, policy: FilterPolicy, *, keys: Collection[str]
) -> FilteredChoices | None:
    """Return what a filter does to people's choices under these criteria; None if it is not about them.

    A filter for all criteria removes the choices of a rater who fails under any compared criterion. Scores
    of single responses are filtered separately. Degraded copies do not apply: a choice cannot be lower.

    Args:
        preferences: the project's comparisons under all criteria (`PREFERENCE_COLUMNS`).
        responses: its responses.
        policy: the filter.
        keys: the criteria.
    """
    people = preferences[preferences["rater_kind"] == "human"]
    if policy.criterion == "each":
        people = people[people["criterion"].isin(list(keys))]
    elif policy.criterion != "all":
        people = people[people["criterion"] == policy.criterion]
    compared = people["criterion"].unique()
    if not set(compared) & set(keys):
        return None
    found: PairScores = pair_scores(people, responses)
    outcome = apply_filter(found.scores, policy, scales=pair_scales(compared), compared=True)
    return FilteredChoices(found.scores, found.pairs, outcome)


def keep_choices(
    scores: pd.DataFrame, units: ComparedUnits, choices: FilteredChoices | None
) -> tuple[pd.DataFrame, ComparedUnits]:
    """Return scores of pairs, and what is known of the pairs, without the choices that a filter removes.

    Scores of pairs on which a margin for a tie was chosen are moved to `ComparedUnits.examples`.
    """
    if choices is not None:
        scores = choices.scores_left(scores, units.pairs).reset_index(drop=True)
        units = replace(units, preferences=choices.preferences_left(units.preferences))
    aside = set_aside(scores, units.margins)
    if not aside.any():
        return scores, units
    return scores[~aside].reset_index(drop=True), replace(units, examples=scores[aside])


def pair_scales(keys: Iterable[str]) -> Mapping[str, Scale]:
    """Return the scale of choices for each criterion."""
    return dict.fromkeys(map(str, keys), scale_from_json(SCALE))


def _named(scores: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the criterion, rater and both responses of each row of scores of pairs."""
    by_number = pairs.set_index("pair").loc[scores["response"], ["first", "second"]]
    return scores[["criterion", "rater"]].assign(
        first=by_number["first"].to_numpy(), second=by_number["second"].to_numpy()
    )


def _either_way(choices: pd.DataFrame) -> pd.DataFrame:
    """Return the choices with the lower response first."""
    ends = choices[["first", "second"]]
    return choices.assign(first=ends.min(axis=1), second=ends.max(axis=1))
