"""Gathers the facts of a report of a project."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.saved_filters import lock_note
from judgelab.analysis.data.scores import IN_USE, build_unit_tables
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.errors import InvalidInput
from judgelab.reporting.facts import (
    BlindCounts,
    ReportFacts,
    ReportRecipe,
    StudyRecord,
    facts_of_scores,
    suited_coefficients,
)
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.judging.judge_use import judge_uses
from judgelab.store.judging.judges import list_judges
from judgelab.store.people.memberships import memberships
from judgelab.store.rating.rating_records import imported_raters, rating_origins
from judgelab.store.transfer.importing import project_counts
from judgelab.wording import sentence


def gather_facts(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    comparisons: bool | None = None,
    decisions: bool = False,
) -> ReportFacts:
    """Return the facts of a report of the project.

    Args:
        store: the database.
        slug: the project.
        policy: the filter: "in use", "none" or a name.
        level: of agreement; the project's default if not given, as on the page *Agree*.
        coefficients: `suited_coefficients` if none is given; the first is drawn.
        comparisons: whether to report choices between two responses instead of scores; None for choices if
            nobody rated single responses.
        decisions: whether adjudicators' decisions replace ratings, or the majority of their pairs.

    Raises:
        NotFound: there is no such project, filter or coefficient.
        InvalidInput: there are no ratings yet.
    """
    scores = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy, decisions=decisions)
    if scores.humans.empty:
        raise InvalidInput(
            sentence(
                "project '{project}' has no human ratings to report; import or collect some first.",
                project=slug,
            )
        )
    recipe = ReportRecipe(
        level or scores.level,
        tuple(coefficients) or suited_coefficients(scores.defaults),
        "none" if scores.policy is None else scores.policy.name,
        decisions=decisions,
    )
    return facts_of_project(store, scores, recipe)


def facts_of_project(
    store: Store, scores: ProjectScores, recipe: ReportRecipe, *, saved_filter: bool = True
) -> ReportFacts:
    """Return the facts of a report of a project's loaded scores; arguments as of `facts_of_scores`."""
    of_pairs = scores.compared is not None
    words = pd.Series(dtype=float) if of_pairs else snapshots.word_counts(store, scores.project.id)
    tables = build_unit_tables(store, scores, scores.scores)
    return facts_of_scores(
        scores, recipe, tables=tables, words=words, record=_record(store, scores), saved_filter=saved_filter
    )


def _record(store: Store, scores: ProjectScores) -> StudyRecord:
    of_pairs, project = scores.compared is not None, scores.project
    with store.reading() as session:
        return StudyRecord(
            judges=tuple(list_judges(session, project.id)),
            uses=judge_uses(session, project.id),
            counts=project_counts(session, project.id),
            members=tuple(memberships(session, project.id, removed=True)),
            imported=frozenset(imported_raters(session, project.id, comparisons=of_pairs)),
            blind=BlindCounts(*rating_origins(session, project.id, comparisons=of_pairs)),
            note=lock_note(store, project.slug),
        )


def measure_judges(store: Store, facts: ReportFacts) -> list[JudgeTrust]:
    """Return the evidence on each judge, by the report's level, first coefficient and filter."""
    judges = dict.fromkeys(row.rater for row in facts.rows if row.rater_kind == "judge")
    return [
        measure_trust(
            store,
            facts.scores.project.slug,
            judge,
            level=facts.recipe.level,
            coefficient=facts.first_coefficient,
            constant_groups=facts.recipe.constant_groups,
            resamples=facts.recipe.resamples,
            seed=facts.recipe.seed,
            loaded=facts.scores,
        )
        for judge in judges
    ]
