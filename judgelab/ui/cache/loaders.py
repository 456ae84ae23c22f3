"""Data that several pages load, cached until the project's data change.

Every loader takes the project's data version (`analysis.data.scores.fingerprint`), so a new rating, verdict
or filter shows at the next run of the page, and nothing is computed twice for the same data.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement import agreement_table
from judgelab.analysis.agreement.measured_agreement import AgreementAndCeiling
from judgelab.analysis.comparison import choice_agreement as choices
from judgelab.analysis.comparison import pairs_to_compare as open_pairs
from judgelab.analysis.comparison.choice_agreement import ChoiceAgreement
from judgelab.analysis.comparison.pairs_to_compare import PairsToCompare
from judgelab.analysis.comparison.stored_margin_notes import stored_margin_notes
from judgelab.analysis.data import compared_pairs as pairs
from judgelab.analysis.data import fingerprint_parts, scored_raters, scores
from judgelab.analysis.data.scored_raters import AgreementDefaults, ComparedRater
from judgelab.analysis.disagreement import choice_differences as differing_choices
from judgelab.analysis.disagreement import conflicts as raters_apart
from judgelab.analysis.disagreement import disagreements
from judgelab.analysis.disagreement import pair_conflicts as choices_apart
from judgelab.analysis.disagreement.conflicts import Conflict
from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.store.rating.pair_decisions import PairDecisionInfo, PairOfCriterion
from judgelab.ui.cache import stale_results
from judgelab.ui.session import gate
from judgelab.wording import mark

KEPT = 64  # results of each loader


def data_version(slug: str) -> str:
    """Return a fingerprint that changes whenever a figure of the project could change."""
    return scores.fingerprint(gate.store(), slug)


def compared_raters(slug: str, version: str) -> list[ComparedRater]:
    """Return the judges and metrics with scores, judges first, with the criteria they scored."""
    return list(_compared_raters(slug, fingerprint_parts.without_ratings(version)))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _compared_raters(slug: str, version: str) -> tuple[ComparedRater, ...]:
    return scored_raters.compared_raters(gate.store(), slug)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def constant_judges(slug: str, version: str) -> frozenset[str]:
    """Return the judges that gave the same score everywhere, whose agreement is undefined."""
    return scored_raters.constant_judges(gate.store(), slug)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def rated_criteria(slug: str, version: str) -> tuple[str, ...]:
    """Return the criteria under which people rated, in the project's order."""
    return scored_raters.rated_criteria(gate.store(), slug)


def paired_scores(
    slug: str, version: str, *, rater: str, criterion: str, policy: str, decisions: bool
) -> pd.DataFrame:
    """Return each response that people and `rater` both scored."""
    return _paired_scores(slug, version, rater, criterion, policy, decisions).copy(deep=False)


@stale_results.kept(KEPT)
def _paired_scores(
    slug: str, version: str, rater: str, criterion: str, policy: str, decisions: bool
) -> pd.DataFrame:
    return agreement_table.paired_scores(
        gate.store(), slug, rater=rater, criterion=criterion, policy=policy, decisions=decisions
    )


def disagreement_table(slug: str, version: str, *, rater: str, criterion: str) -> pd.DataFrame:
    """Return all responses that people and the judge both scored, the largest difference first."""
    return _disagreement_table(slug, version, rater, criterion).copy(deep=False)


@stale_results.kept(KEPT)
def _disagreement_table(slug: str, version: str, rater: str, criterion: str) -> pd.DataFrame:
    return disagreements.disagreement_table(gate.store(), slug, rater=rater, criterion=criterion)


@stale_results.kept(KEPT, spinner=mark("Looking for conflicts…"))
def conflicts(slug: str, version: str, *, criterion: str, distance: float) -> list[Conflict]:
    """Return the responses whose ratings differ by `distance` or more, widest first, with their decisions.

    The newest ratings may not be included yet; decisions always are.
    """
    return raters_apart.find_conflicts(gate.store(), slug, criterion=criterion, distance=distance)


@stale_results.kept(KEPT)
def _ratings(slug: str, version: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    project_scores = scores.project_scores(gate.store(), slug)
    counted = project_scores.scores[project_scores.scores["rater_kind"] == "human"]
    return project_scores.humans, counted


def excluded_raters(slug: str, version: str, *, response: int, criterion: str) -> frozenset[str]:
    """Return the raters whose ratings of a response do not count under the quality rule in use.

    All and counted ratings are read at the same moment, so a newer rating never appears as excluded.
    """
    all_raters, counted = (
        frozenset(map(str, frame.loc[_rows_of(frame, response, criterion), "rater"]))
        for frame in _ratings(slug, version)
    )
    return all_raters - counted


def _rows_of(frame: pd.DataFrame, response: int, criterion: str) -> pd.Series[bool]:
    return (frame["response"] == response) & (frame["criterion"] == criterion)


def responses(slug: str, version: str) -> pd.DataFrame:
    """Return one row a response: response, item, system, group, question."""
    return _responses(slug, fingerprint_parts.without_scores(version))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _responses(slug: str, version: str) -> pd.DataFrame:
    return scored_raters.response_labels(gate.store(), slug)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def decisions(slug: str, version: str) -> dict[tuple[int, str], DecisionInfo]:
    """Return what adjudicators decided, by response and criterion."""
    return raters_apart.project_decisions(gate.store(), slug)


def scored_responses(slug: str, version: str, *, rater: str) -> frozenset[int]:
    """Return the responses that a judge scored under every one of its criteria."""
    return _scored_responses(slug, fingerprint_parts.without_ratings(version), rater)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _scored_responses(slug: str, version: str, rater: str) -> frozenset[int]:
    return scored_raters.fully_judged_responses(gate.store(), slug, rater)


@dataclass(frozen=True)
class ProjectShape:
    """The counts that decide which levels of agreement make sense for a project."""

    per_item: int
    systems: int
    groups: int


def project_shape(slug: str, version: str) -> ProjectShape:
    """Return the most responses per item and the numbers of named systems and groups."""
    frame = responses(slug, version)
    return ProjectShape(
        per_item=int(frame.groupby("item").size().max()) if len(frame) else 0,
        systems=frame.loc[frame["system"] != "", "system"].nunique(),
        groups=frame.loc[frame["group"] != "", "group"].nunique(),
    )


@st.cache_data(max_entries=KEPT, show_spinner=False)
def agreement_defaults(slug: str, version: str) -> AgreementDefaults:
    """Return the project's default choices, the same as in commands and reports."""
    return scored_raters.agreement_defaults(gate.store(), slug)


@stale_results.kept(KEPT, spinner=mark("Comparing with the raters…"))
def agreement_and_ceiling(
    slug: str,
    version: str,
    *,
    level: str,
    coefficient: str,
    policy: str,
    decisions: bool,
    constant_groups: str,
) -> AgreementAndCeiling:
    """Return agreement of judges and metrics with the raters, and compared with the ceiling."""
    return agreement_table.agreement_and_ceiling(
        gate.store(),
        slug,
        level=level,
        coefficients=[coefficient],
        policy=policy,
        decisions=decisions,
        constant_groups=constant_groups,
    )


@st.cache_data(max_entries=KEPT, show_spinner=False)
def compared_criteria(slug: str, version: str) -> tuple[str, ...]:
    """Return the criteria under which people or judges compared two responses, in the project's order."""
    return pairs.compared_criteria(gate.store(), slug)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def judges_of_pairs(slug: str, version: str, *, criterion: str) -> tuple[str, ...]:
    """Return the judges and metrics with choices under a criterion, those that compared pairs first."""
    return pairs.judges_of_pairs(gate.store(), slug, criterion=criterion)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def compared_systems(slug: str, version: str, *, criterion: str) -> tuple[tuple[str, str], ...]:
    """Return the two systems of each pair that people compared under a criterion, without repeats."""
    return pairs.compared_systems(gate.store(), slug, criterion=criterion)


@stale_results.kept(KEPT)
def pairs_to_compare(slug: str, version: str, *, criterion: str) -> PairsToCompare:
    """Return the pairs whose majority of raters one more choice may change, the most useful first."""
    return open_pairs.pairs_to_compare(gate.store(), slug, criterion=criterion)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def pair_decisions(slug: str, version: str) -> dict[PairOfCriterion, PairDecisionInfo]:
    """Return what adjudicators decided about pairs, by the two responses and the criterion."""
    return choices_apart.project_pair_decisions(gate.store(), slug)


@stale_results.kept(KEPT, spinner=mark("Looking for conflicts…"))
def pair_conflicts(slug: str, version: str, *, criterion: str, ties: bool) -> list[PairConflict]:
    """Return the pairs on which raters chose differently, the most even first, with their decisions.

    The newest choices may not be included yet; decisions always are.
    """
    return choices_apart.find_pair_conflicts(gate.store(), slug, criterion=criterion, ties=ties)


@stale_results.kept(KEPT, spinner=mark("Comparing with the raters…"))
def choice_agreement(slug: str, version: str, *, criterion: str, decisions: bool) -> ChoiceAgreement:
    """Return how often judges and metrics make the raters' majority choice."""
    return choices.choice_agreement(gate.store(), slug, criterion=criterion, decisions=decisions)


@stale_results.kept(KEPT)
def choice_differences(slug: str, version: str, *, criterion: str, judge: str) -> pd.DataFrame:
    """Return the pairs that raters and a judge compared, those on which fewest raters agree first."""
    return differing_choices.choice_differences(gate.store(), slug, criterion=criterion, judge=judge)


@stale_results.kept(KEPT)
def implied_choices(slug: str, version: str, *, criterion: str) -> pd.DataFrame:
    """Return the choices that the scores of judges and metrics imply."""
    return differing_choices.implied_choices(gate.store(), slug, criterion=criterion)


@stale_results.kept(KEPT)
def margin_notes(
    slug: str, version: str, *, criteria: tuple[str, ...], judges: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what to say of these judges' margins for a tie between two responses."""
    return stored_margin_notes(gate.store(), slug, criteria, judges=judges)


@stale_results.kept(KEPT, spinner=mark("Comparing group by group…"))
def group_rows(
    slug: str, version: str, *, coefficient: str, criterion: str | None, policy: str, decisions: bool
) -> list[GroupRow]:
    """Return each rater's agreement in each group and on their average."""
    return agreement_table.group_table(
        gate.store(),
        slug,
        coefficients=(coefficient,),
        criterion=criterion,
        policy=policy,
        decisions=decisions,
    )
