"""Which judges and metrics have scores, under which criteria, for which responses.

These are database queries: loading every score instead would take longer than the rest of a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.runs import runs_of
from judgelab.store.projects.projects import find_project


@dataclass(frozen=True)
class ComparedRater:
    """A judge or metric that has scores.

    Attributes:
        origin: where a judge's scores come from.
        run: id of the judge's newest run, or of the run that holds its imported replies; None without one.
    """

    name: str
    kind: str
    criteria: tuple[str, ...]
    origin: str = ""
    run: int | None = None

    @property
    def badge(self) -> str:
        """Return the label shown next to a judge that did not run here: "scripted", "imported" or empty."""
        return self.origin if self.origin in ("scripted", "imported") else ""


class AgreementDefaults(NamedTuple):
    """The coefficient and level that a page shows first."""

    coefficient: str
    level: str


def compared_raters(store: Store, slug: str) -> tuple[ComparedRater, ...]:
    """Return the judges and metrics with scores, judges first, with the criteria they scored."""
    with store.reading() as session:
        project = find_project(session, slug)
        judges = {judge.name: judge for judge in list_judges(session, project.id)}
        newest_run = {run.judge_id: run.id for run in reversed(runs_of(session, project.id))}
        judged = score_frames.judged_criteria(session, project.id)
        metrics = score_frames.metric_names(session, project.id)
    keys = tuple(sorted(criterion.key for criterion in project.criteria))
    scored_judges = [
        ComparedRater(
            name, "judge", tuple(sorted(scored)), judges[name].origin, newest_run.get(judges[name].id)
        )
        if name in judges
        else ComparedRater(name, "judge", tuple(sorted(scored)))
        for name, scored in sorted(judged.items())
    ]
    return (*scored_judges, *(ComparedRater(metric, "metric", keys) for metric in metrics if keys))


def template_versions(store: Store, slug: str) -> dict[str, str]:
    """Return the version of the prompt that each judge was called with, of judges that have a prompt."""
    with store.reading() as session:
        judges = list_judges(session, find_project(session, slug).id)
    return {judge.name: judge.template_version for judge in judges if judge.template_version}


def constant_judges(store: Store, slug: str) -> frozenset[str]:
    """Return the judges that always gave the same score, so that their agreement is undefined."""
    with store.reading() as session:
        return score_frames.constant_judges(session, find_project(session, slug).id)


def rated_criteria(store: Store, slug: str) -> tuple[str, ...]:
    """Return the criteria that have ratings, in the project's order."""
    with store.reading() as session:
        return score_frames.rated_criteria(session, find_project(session, slug).id)


def response_labels(store: Store, slug: str) -> pd.DataFrame:
    """Return one row per response: response, item, system, group, question."""
    with store.reading() as session:
        frame = score_frames.response_frame(session, find_project(session, slug).id, answers=False)
    return frame[["response", "item", "system", "group", "question"]]


def fully_judged_responses(store: Store, slug: str, judge: str) -> frozenset[int]:
    """Return the responses that a judge scored under every criterion it uses."""
    with store.reading() as session:
        return score_frames.fully_judged_responses(session, find_project(session, slug).id, judge)


def agreement_defaults(store: Store, slug: str) -> AgreementDefaults:
    """Return the project's default coefficient and level, the same as in commands and reports."""
    with store.reading() as session:
        project = find_project(session, slug)
        rated_per_item = score_frames.rated_per_item(session, project.id)
    defaults = defaults_for_scales(project.scales.values())
    return AgreementDefaults(defaults.coefficient, defaults.level(rated_per_item))
