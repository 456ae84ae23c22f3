"""Scoring a project's responses with metrics: only what is missing, in batches, outside any transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.errors import InvalidInput, NotFound
from judgelab.metrics import Metric, MetricInput, metrics
from judgelab.store.engine import Store
from judgelab.store.importing import project_counts
from judgelab.store.metric_scores import (
    ResponseTexts,
    ScoreToKeep,
    keep_scores,
    metric_counts,
    responses_without_score,
    texts_of,
)
from judgelab.store.projects import find_project
from judgelab.wording import mark, sentence

BATCH = 2000


@dataclass(frozen=True)
class MetricReport:
    """What one metric came to: responses with a number, responses without, and why."""

    metric: str
    scored: int
    missing: int
    reasons: Mapping[str, int]


@dataclass(frozen=True)
class ScoringReport:
    """What all metrics came to."""

    metrics: tuple[MetricReport, ...]

    @property
    def missing(self) -> int:
        """Return how many numbers could not be given."""
        return sum(one.missing for one in self.metrics)

    def to_json(self) -> dict[str, Any]:
        """Return the report as `score --json` prints it."""
        return {"metrics": [{**vars(one), "reasons": dict(one.reasons)} for one in self.metrics]}


def score_project(
    store: Store, slug: str, metric_names: Sequence[str], *, options: Mapping[str, Any] | None = None
) -> ScoringReport:
    """Return what the metrics came to after giving every response of the project a number.

    Numbers made before with the same options stay; others are made anew and replace the old ones.

    Args:
        store: the database.
        slug: the project's short name.
        metric_names: names of `metrics`.
        options: each goes to the metrics that know it.

    Raises:
        NotFound: no such project, metric or option.
        InvalidInput: no metric was named, an option's value cannot be taken, or there is no response.
    """
    chosen = {name: metrics.get(name) for name in metric_names}
    if not chosen:
        raise InvalidInput(sentence("name at least one metric: {names}.", names=", ".join(metrics.names())))
    settled = options_by_metric(chosen, options or {})
    with store.reading() as session:
        project_id = find_project(session, slug).id
        if not project_counts(session, project_id)["responses"]:
            raise InvalidInput(
                sentence(
                    "project '{project}' holds no response to score; import responses first.", project=slug
                )
            )
    return ScoringReport(
        tuple(_scored(store, project_id, metric, options=settled[name]) for name, metric in chosen.items())
    )


def options_by_metric(chosen: Mapping[str, Metric], options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settled options of each metric; raises for an option that none of them knows."""
    known = {option.name for metric in chosen.values() for option in metric.options}
    for name in options:
        if name not in known:
            raise NotFound(mark("option"), name, known)
    return {
        name: metric.settle({o.name: options[o.name] for o in metric.options if o.name in options})
        for name, metric in chosen.items()
    }


def _scored(store: Store, project_id: int, metric: Metric, *, options: Mapping[str, Any]) -> MetricReport:
    with store.reading() as session:
        wanted = responses_without_score(session, project_id, metric.name, options=options)
    for start in range(0, len(wanted), BATCH):
        with store.reading() as session:
            texts = texts_of(session, wanted[start : start + BATCH])
        scores = _scores(metric, texts, options=options)
        with store.writing() as session:
            keep_scores(session, project_id, metric.name, options=options, scores=scores)
    with store.reading() as session:
        counts = metric_counts(session, project_id, metric.name)
    return MetricReport(metric.name, counts.scored, sum(counts.reasons.values()), counts.reasons)


def _scores(
    metric: Metric, texts: Sequence[ResponseTexts], *, options: Mapping[str, Any]
) -> list[ScoreToKeep]:
    batch = [MetricInput(one.text, one.references, one.question, one.context) for one in texts]
    found = metric.score(batch, options)
    return [
        ScoreToKeep(one.response_id, score.value, score.reason)
        for one, score in zip(texts, found, strict=True)
    ]
