"""What pages load more than once, kept until the project's data change.

Every loader takes the project's data version (`analysis.data.scores.fingerprint`), so a new rating, verdict
or rule is seen at the next run of the page, and nothing is computed twice for the same data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import streamlit as st

from judgelab.analysis.agreement import agreement_table
from judgelab.analysis.agreement.agreement_table import Standing
from judgelab.analysis.data import fingerprint_parts, scores
from judgelab.analysis.disagreement import conflicts as raters_apart
from judgelab.analysis.disagreement import disagreements
from judgelab.analysis.disagreement.conflicts import Conflict
from judgelab.metaeval.agreement.groups import GroupRow
from judgelab.metaeval.core.defaults import for_scales
from judgelab.store.frames import score_frames
from judgelab.store.judging.judges import list_judges
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.store.rating.decisions import decisions as stored_decisions
from judgelab.ui.cache import stale_results
from judgelab.ui.session import gate
from judgelab.wording import mark

KEPT = 64


@dataclass(frozen=True)
class ComparedRater:
    """A judge or metric that has scores; `origin` says where a judge's come from."""

    name: str
    kind: str
    criteria: tuple[str, ...]
    origin: str = ""

    @property
    def mark(self) -> str:
        """Return the word that goes with the name of a judge that was not run here with a model."""
        return self.origin if self.origin in ("scripted", "imported") else ""


def data_version(slug: str) -> str:
    """Return a word that changes whenever a figure of the project could change."""
    return scores.fingerprint(gate.store(), slug)


def compared_raters(slug: str, version: str) -> list[ComparedRater]:
    """Return the judges and metrics with scores, judges first, with the criteria they scored."""
    return list(_compared(slug, fingerprint_parts.without_ratings(version)))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _compared(slug: str, version: str) -> tuple[ComparedRater, ...]:
    # Asked of the database: to read all scores for it would take longer than the rest of a page.
    with gate.store().reading() as session:
        project = find_project(session, slug)
        origins = {judge.name: judge.origin for judge in list_judges(session, project.id)}
        judged = score_frames.judged_criteria(session, project.id)
        metrics = score_frames.metric_names(session, project.id)
    keys = tuple(sorted(criterion.key for criterion in project.criteria))
    judges = [
        ComparedRater(judge, "judge", tuple(sorted(scored)), origins.get(judge, ""))
        for judge, scored in sorted(judged.items())
    ]
    return (*judges, *(ComparedRater(metric, "metric", keys) for metric in metrics if keys))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def even_judges(slug: str, version: str) -> frozenset[str]:
    """Return the judges that gave one score throughout: nothing can be said of their agreement."""
    with gate.store().reading() as session:
        return score_frames.constant_judges(session, find_project(session, slug).id)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def rated_criteria(slug: str, version: str) -> tuple[str, ...]:
    """Return the criteria under which people rated, in the project's order."""
    with gate.store().reading() as session:
        return score_frames.rated_criteria(session, find_project(session, slug).id)


def pairs(
    slug: str, version: str, *, rater: str, criterion: str, policy: str, decisions: bool
) -> pd.DataFrame:
    """Return each response that people and `rater` both scored."""
    return _pairs(slug, version, rater, criterion, policy, decisions).copy(deep=False)


@stale_results.kept(KEPT)
def _pairs(slug: str, version: str, rater: str, criterion: str, policy: str, decisions: bool) -> pd.DataFrame:
    return agreement_table.pairs(
        gate.store(), slug, rater=rater, criterion=criterion, policy=policy, decisions=decisions
    )


def differences(slug: str, version: str, *, rater: str, criterion: str) -> pd.DataFrame:
    """Return all responses that people and the judge both scored, the largest difference first."""
    return _differences(slug, version, rater, criterion).copy(deep=False)


@stale_results.kept(KEPT)
def _differences(slug: str, version: str, rater: str, criterion: str) -> pd.DataFrame:
    return disagreements.disagreements(gate.store(), slug, rater=rater, criterion=criterion)


@stale_results.kept(KEPT, spinner=mark("Looking for conflicts…"))
def conflicts(slug: str, version: str, *, criterion: str, distance: float) -> list[Conflict]:
    """Return the responses whose ratings lie so far apart, widest first, with what was decided.

    Ratings that came since may make or end a conflict; a decision is never missing.
    """
    return raters_apart.conflicts(gate.store(), slug, criterion=criterion, distance=distance)


@stale_results.kept(KEPT)
def _ratings(slug: str, version: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    found = scores.project_scores(gate.store(), slug)
    kept = found.scores[found.scores["rater_kind"] == "human"]
    return found.humans, kept


def left_out(slug: str, version: str, *, response: int, criterion: str) -> frozenset[str]:
    """Return whose ratings of a response do not count under the quality rule in use.

    Both are of one moment: a rating that came since is not among them.
    """
    given, kept = (
        frozenset(map(str, frame.loc[_of(frame, response, criterion), "rater"]))
        for frame in _ratings(slug, version)
    )
    return given - kept


def _of(frame: pd.DataFrame, response: int, criterion: str) -> pd.Series[bool]:
    return (frame["response"] == response) & (frame["criterion"] == criterion)


def responses(slug: str, version: str) -> pd.DataFrame:
    """Return one row a response: response, item, system, group, question."""
    return _responses(slug, fingerprint_parts.without_scores(version))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _responses(slug: str, version: str) -> pd.DataFrame:
    with gate.store().reading() as session:
        frame = score_frames.response_frame(session, find_project(session, slug).id, answers=False)
    return frame[["response", "item", "system", "group", "question"]]


@st.cache_data(max_entries=KEPT, show_spinner=False)
def decisions(slug: str, version: str) -> dict[tuple[int, str], DecisionInfo]:
    """Return what adjudicators decided, by response and criterion."""
    with gate.store().reading() as session:
        return stored_decisions(session, find_project(session, slug).id)


def scored_responses(slug: str, version: str, *, rater: str) -> frozenset[int]:
    """Return the responses that a judge scored under every criterion it scores anything under."""
    return _scored_responses(slug, fingerprint_parts.without_ratings(version), rater)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _scored_responses(slug: str, version: str, rater: str) -> frozenset[int]:
    with gate.store().reading() as session:
        return score_frames.fully_judged_responses(session, find_project(session, slug).id, rater)


@dataclass(frozen=True)
class Shape:
    """What of a project's shape decides which levels make sense."""

    per_item: int
    systems: int
    groups: int


def shape(slug: str, version: str) -> Shape:
    """Return most responses an item, number of systems and of groups, empty names not counted."""
    frame = responses(slug, version)
    return Shape(
        per_item=int(frame.groupby("item").size().max()) if len(frame) else 0,
        systems=frame.loc[frame["system"] != "", "system"].nunique(),
        groups=frame.loc[frame["group"] != "", "group"].nunique(),
    )


class Opening(NamedTuple):
    """With which coefficient, at which level, a page of figures opens."""

    coefficient: str
    level: str


@st.cache_data(max_entries=KEPT, show_spinner=False)
def opening(slug: str, version: str) -> Opening:
    """Return the project's defaults: the same as of commands and reports."""
    with gate.store().reading() as session:
        project = find_project(session, slug)
        rated = score_frames.rated_per_item(session, project.id)
    usual = for_scales(project.scales.values())
    return Opening(usual.coefficient, usual.level(rated))


@stale_results.kept(KEPT, spinner=mark("Comparing with the raters…"))
def standing(
    slug: str,
    version: str,
    *,
    level: str,
    coefficient: str,
    policy: str,
    decisions: bool,
    constant_groups: str,
) -> Standing:
    """Return every judge and metric against the mean of all raters and on the raters' own targets."""
    return agreement_table.standing(
        gate.store(),
        slug,
        level=level,
        coefficients=[coefficient],
        policy=policy,
        decisions=decisions,
        constant_groups=constant_groups,
    )


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
