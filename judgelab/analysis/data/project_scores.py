"""The scores of a project or a data frame, with ratings filtered: what all figures start from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.annotation.filters.outcome import FilterOutcome
from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MEAN, Aggregation, aggregation_of_labels
from judgelab.metaeval.core.statistic_defaults import StatisticDefaults, defaults_for_scales
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.store.judging.unscored_counts import UnscoredCounts, sum_missing
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

ALL_CRITERIA = "*"


@dataclass(frozen=True)
class ProjectScores:
    """All scores of a project under one filter.

    Attributes:
        project: the project.
        scores: the people's ratings that are kept, and all scores of judges and metrics; of pairs, without
            those on which a margin for a tie was chosen (`ComparedUnits.examples`).
        humans: all ratings by people, kept or not.
        outcome: what the filter did; None without a filter.
        policy: the filter; None without one.
        unscored_by_criterion: counts of judgments without a score, by judge and criterion ("*" for judgments
            of all criteria at once).
        aggregation: how the people's ratings of a response become one score.
        n_decided: number of scores decided by an adjudicator; None if decisions are not used.
        entered_by_hand: by judge, number of scores that a person read in a reply and entered by hand.
        own_scale: judges whose scores (wins, ranks, votes) are not on the criteria's scales.
        rated_per_item: number of rated responses, kept or not, of the item that has most of them.
        cannot_judge: by criterion, number of ratings that say "cannot judge"; they are no scores.
        compared: the pairs, if the scores are of pairs of responses (`compared_scores`); otherwise None.
    """

    project: ProjectInfo
    scores: pd.DataFrame
    humans: pd.DataFrame
    outcome: FilterOutcome | None
    policy: FilterInfo | None
    unscored_by_criterion: Mapping[tuple[str, str], UnscoredCounts]
    aggregation: Aggregation = MEAN
    n_decided: int | None = None
    entered_by_hand: Mapping[str, int] = field(default_factory=dict)
    own_scale: frozenset[str] = frozenset()
    rated_per_item: int = 0
    cannot_judge: Mapping[str, int] = field(default_factory=dict)
    compared: ComparedUnits | None = None

    @property
    def defaults(self) -> StatisticDefaults:
        """Return the project's default coefficient, level and aggregation; of comparisons, accuracy first."""
        defaults = defaults_for_scales(self.project.scales.values())
        return defaults if self.compared is None else replace(defaults, coefficients=("exact", "kappa"))

    def decided_under(self, criterion: str) -> int | None:
        """Return the number of decided scores under one criterion; None if decisions are not used."""
        if self.n_decided is None:
            return None
        decided = self.scores["rater_kind"] == DECISION
        return int((decided & (self.scores["criterion"] == criterion)).sum())

    @property
    def level(self) -> str:
        """Return the default level of agreement; it does not depend on the filter."""
        return self.defaults.level(self.rated_per_item)

    @property
    def with_examples(self) -> pd.DataFrame:
        """Return `scores` together with those of pairs on which a margin for a tie was chosen."""
        examples = None if self.compared is None else self.compared.examples
        return self.scores if examples is None else pd.concat([self.scores, examples], ignore_index=True)

    @property
    def kept_ratings(self) -> pd.DataFrame:
        """Return people's ratings that the filter keeps, those of pairs on which a margin was chosen too."""
        kept = self.with_examples
        return kept[kept["rater_kind"] == "human"]

    @cached_property
    def rated_items(self) -> pd.Series[str]:
        """Return the items that people rated or decided about under any criterion, with their groups.

        They do not depend on the filter. All resamples draw from them, so that figures of one criterion, or
        under a filter, have the intervals that they have in a table of all criteria.
        """
        everything = self.with_examples
        decided = everything[everything["rater_kind"] == DECISION]
        by_people = pd.concat([self.humans[["item", "group", "score"]], decided[["item", "group", "score"]]])
        by_people = by_people[by_people["score"].notna()].drop_duplicates("item")
        return by_people.set_index("item")["group"]

    @property
    def on_scale_aggregation(self) -> Aggregation:
        """Return the aggregation, or the mean if it gives z-scores, which are not on the scale."""
        return self.aggregation if self.aggregation.on_scale else MEAN

    @property
    def unscored(self) -> dict[str, UnscoredCounts]:
        """Return counts of judgments without a score, by judge."""
        counts_by_judge: dict[str, list[UnscoredCounts]] = {}
        for (judge, _), count in self.unscored_by_criterion.items():
            counts_by_judge.setdefault(judge, []).append(count)
        return {judge: sum_missing(counts) for judge, counts in counts_by_judge.items()}

    def unscored_of(self, judge: str, criterion: str) -> UnscoredCounts:
        """Return counts of a judge's judgments without a score under one criterion."""
        return unscored_under(self.unscored_by_criterion, judge, [criterion])


def unscored_under(
    by_criterion: Mapping[tuple[str, str], UnscoredCounts], judge: str, criteria: Iterable[str]
) -> UnscoredCounts:
    """Return counts of a judge's judgments without a score under some criteria; those of all count once."""
    return sum_missing(
        count for key in {*criteria, ALL_CRITERIA} if (count := by_criterion.get((judge, key))) is not None
    )


def unit_tables_of(
    data: ProjectScores, scores: pd.DataFrame, *, words: pd.Series[Any] | None
) -> list[UnitTable]:
    """Return unit tables of some of the scores, with the trivial baselines to measure.

    `words` is the number of words of each response, for the baseline of length; None if they are not known.
    """
    options: dict[str, Any] = {"scales": data.project.scales, "drawn_items": data.rated_items.index}
    if data.compared is not None:
        return unit_tables(scores, data.aggregation, longer=data.compared.longer, **options)
    return unit_tables(scores, data.aggregation, words=words, **options)


def aggregation_on(project: ProjectInfo, aggregation: Aggregation) -> Aggregation:
    """Return how ratings of a project become one score: by their majority if no criterion has an order."""
    scales = project.scales
    if scales and not any(scale.ordered for scale in scales.values()):
        return aggregation_of_labels(aggregation)
    return aggregation


def resolve_criterion(data: ProjectScores, criterion: str | None) -> str:
    """Return the key of the criterion, or of the project's only one; raises `InvalidInput` otherwise."""
    if criterion is not None:
        return data.project.criterion(criterion).key
    keys = [criterion.key for criterion in data.project.criteria]
    if not keys:
        raise InvalidInput(
            sentence(
                "project '{project}' has no criteria yet; add one or import ratings.",
                project=data.project.slug,
            )
        )
    if len(keys) != 1:
        raise InvalidInput(sentence("choose one criterion: {names}.", names=", ".join(keys)))
    return keys[0]


def scored_by_people(scores: pd.DataFrame) -> pd.Series[bool]:
    """Return which scores are by people: ratings and adjudicators' decisions."""
    return scores["rater_kind"].isin(("human", DECISION))
