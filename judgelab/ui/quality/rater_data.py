"""Cached results of the page *Raters*, recomputed when ratings, checks, states or the filter change."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.analysis.raters import rater_table
from judgelab.analysis.raters.marked_errors import agreement_on_errors
from judgelab.analysis.raters.measured_kappas import RaterKappas
from judgelab.analysis.raters.rater_kappas import rater_kappas
from judgelab.analysis.raters.rater_profile import RaterProfile, rater_profile
from judgelab.analysis.raters.rater_table import ComparedWith, RaterTable
from judgelab.metaeval.raters.marked_errors import ErrorAgreement
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import stale_results
from judgelab.ui.session import gate
from judgelab.wording import mark

MOST_KEPT = 32


def raters_version(project: ProjectInfo) -> str:
    """Return a fingerprint that changes whenever the content of the page may change."""
    return rater_table.rater_table_fingerprint(gate.store(), project.slug)


def load_rater_table(project: ProjectInfo, version: str, *, compared_with: ComparedWith) -> RaterTable:
    """Return the table of all raters with their figures and flags."""
    return _load_rater_table(project.slug, version, compared_with)


def load_rater_profile(
    project: ProjectInfo, version: str, rater: str, *, criterion: str, others: frozenset[str]
) -> RaterProfile:
    """Return the profile of one rater compared with `others`."""
    return _load_rater_profile(project.slug, version, rater, criterion, tuple(sorted(others)))


def load_kappas(
    project: ProjectInfo, version: str, *, compared_with: ComparedWith
) -> Mapping[str, RaterKappas]:
    """Return the kappas of every two raters, by criterion."""
    return _load_kappas(project.slug, version, compared_with)


def load_error_agreement(
    project: ProjectInfo, version: str, *, compared_with: ComparedWith
) -> Mapping[str, ErrorAgreement]:
    """Return the agreement about marked errors, by criterion."""
    return _load_error_agreement(project.slug, version, compared_with)


@stale_results.kept(MOST_KEPT, version_now=rater_table.rater_table_fingerprint)
def _load_error_agreement(
    slug: str, version: str, compared_with: ComparedWith
) -> Mapping[str, ErrorAgreement]:
    policy = IN_USE if compared_with == "kept" else NO_FILTER
    return agreement_on_errors(gate.store(), slug, policy=policy)


@stale_results.kept(MOST_KEPT, version_now=rater_table.rater_table_fingerprint)
def _load_kappas(slug: str, version: str, compared_with: ComparedWith) -> Mapping[str, RaterKappas]:
    return rater_kappas(gate.store(), slug, policy=IN_USE if compared_with == "kept" else NO_FILTER)


@stale_results.kept(
    MOST_KEPT, spinner=mark("Comparing the raters…"), version_now=rater_table.rater_table_fingerprint
)
def _load_rater_table(slug: str, version: str, compared_with: ComparedWith) -> RaterTable:
    return rater_table.rater_table(gate.store(), slug, compared_with=compared_with)


@stale_results.kept(MOST_KEPT, version_now=rater_table.rater_table_fingerprint)
def _load_rater_profile(
    slug: str, version: str, rater: str, criterion: str, others: tuple[str, ...]
) -> RaterProfile:
    return rater_profile(gate.store(), slug, rater, criterion=criterion, others=others)
