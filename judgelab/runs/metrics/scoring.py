"""Scoring a project's responses with metrics: only what is missing, in batches, outside any transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.metrics import Metric, MetricInput, metrics
from judgelab.metrics.base import Surroundings, mark_of
from judgelab.metrics.batches import batch_slices
from judgelab.metrics.chosen_options import options_by_metric
from judgelab.runs.metrics.embedding_store import EmbeddingStore
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.metric_scores import (
    NewMetricScore,
    ResponseTexts,
    all_responses,
    metric_counts,
    options_of,
    responses_without_score,
    save_scores,
    texts_of,
)
from judgelab.store.transfer.importing import project_counts
from judgelab.wording import mark, sentence

PAGE = 2000
SCORED = "scored_metrics"  # in the audit log

OnProgress = Callable[[int, int], None]
ITSELF = mark("it is itself the reference to compare with")


@dataclass(frozen=True)
class MetricReport:
    """The result of one metric, by its rater name: responses with and without a score, and the reasons."""

    metric: str
    scored: int
    missing: int
    reasons: Mapping[str, int]


@dataclass(frozen=True)
class ScoringReport:
    """The results of all metrics; `halted` is True if scoring was told to stop early."""

    metrics: tuple[MetricReport, ...]
    halted: bool = False

    @property
    def missing(self) -> int:
        """Return how many numbers could not be given."""
        return sum(metric.missing for metric in self.metrics)

    def to_json(self) -> dict[str, Any]:
        """Return the report as `score --json` prints it."""
        return {"metrics": [{**vars(metric), "reasons": dict(metric.reasons)} for metric in self.metrics]}


@dataclass(frozen=True)
class _MetricWork:
    """A metric with its options, and the responses that still want its number."""

    metric: Metric
    rater: str
    options: Mapping[str, Any]
    around: Surroundings
    responses: frozenset[int]


def check_metrics(
    store: Store, slug: str, metric_names: Sequence[str], options: Mapping[str, Any] | None = None
) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the project's id and the settled options of each metric.

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
                    "project '{project}' has no responses to score; import responses first.", project=slug
                )
            )
    return project_id, settled


def score_project(
    store: Store,
    slug: str,
    metric_names: Sequence[str],
    *,
    options: Mapping[str, Any] | None = None,
    tell: OnProgress | None = None,
    person_id: int | None = None,
) -> ScoringReport:
    """Score every response of the project with the metrics; return the report.

    Numbers made before with the same options stay, so that what was killed goes on where it was. The first
    numbers of a metric bear its plain name; other options are a rater of another name, which says how they
    differ: `rouge1 (references=mean)`.

    Args:
        store: the database.
        slug: the project's short name.
        metric_names: names of `metrics`.
        options: each goes to the metrics that know it, `bleu.tokenizer` to one only.
        tell: is given how many numbers are made and how many were missing, batch by batch.
        person_id: who has them scored, for the audit log.

    Raises:
        NotFound: no such project, metric or option.
        InvalidInput: no metric was named, an option's value cannot be taken, or there is no response.
    """
    project_id, settled = check_metrics(store, slug, metric_names, options)
    report = score_missing(store, project_id, settled, tell=tell)
    if person_id is not None:
        detail = scoring_detail(metric_names, options)
        audit.record_done(store, slug, SCORED, person_id=person_id, detail=detail)
    return report


def scoring_detail(metric_names: Sequence[str], options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the audit log says of a person who had the project scored (`SCORED`)."""
    return {"metrics": list(metric_names), "options": dict(options or {})}


def score_missing(
    store: Store,
    project_id: int,
    settled: Mapping[str, Mapping[str, Any]],
    *,
    tell: OnProgress | None = None,
    halted: Callable[[], bool] = lambda: False,
) -> ScoringReport:
    """Compute the missing scores of every response; `halted` is called between batches to stop early."""
    works = [
        _metric_work(store, project_id, metrics.get(name), options=options)
        for name, options in settled.items()
    ]
    total, done, stopped = sum(len(work.responses) for work in works), 0, False
    if tell:
        tell(0, total)
    for texts in _batches(store, project_id, works):
        for work in works:
            scores = _scores(work, [text for text in texts if text.response_id in work.responses])
            with store.writing() as session:
                save_scores(session, project_id, work.rater, options=work.options, scores=scores)
            done += len(scores)
            if tell:
                tell(done, total)
        if halted():
            stopped = done < total
            break
    with store.reading() as session:
        counts = {work.rater: metric_counts(session, project_id, work.rater) for work in works}
    return ScoringReport(
        tuple(
            MetricReport(rater, metric_count.scored, sum(metric_count.reasons.values()), metric_count.reasons)
            for rater, metric_count in counts.items()
        ),
        stopped,
    )


def _metric_work(store: Store, project_id: int, metric: Metric, *, options: Mapping[str, Any]) -> _MetricWork:
    with store.reading() as session:
        rater = metric.rater(options, options_of(session, project_id, metric.rater(options)))
    corpus = None
    if metric.wants_corpus(options):
        corpus = metric.corpus(_all_texts(store, project_id), options)
        # Numbers that stand on all texts of a project are made anew when these have changed.
        options = {**options, "corpus": mark_of(corpus)}
    with store.reading() as session:
        missing = responses_without_score(session, project_id, rater, options=options)
    around = Surroundings(corpus, EmbeddingStore(store, project_id))
    return _MetricWork(metric, rater, options, around, frozenset(missing))


def _batches(
    store: Store, project_id: int, works: Sequence[_MetricWork]
) -> Iterator[Sequence[ResponseTexts]]:
    """Yield texts that some metric wants, batch by batch."""
    with store.reading() as session:
        order = all_responses(session, project_id)
    open_ones = [response for response in order if any(response in work.responses for work in works)]
    for batch in batch_slices(len(open_ones)):
        with store.reading() as session:
            texts = texts_of(session, open_ones[batch])
        yield texts


def _all_texts(store: Store, project_id: int) -> Iterator[MetricInput]:
    with store.reading() as session:
        everyone = all_responses(session, project_id)
    for start in range(0, len(everyone), PAGE):
        with store.reading() as session:
            yield from map(_metric_input, texts_of(session, everyone[start : start + PAGE]))


def _scores(work: _MetricWork, texts: Sequence[ResponseTexts]) -> list[NewMetricScore]:
    if not texts:
        return []
    options = {name: value for name, value in work.options.items() if name != "corpus"}
    compared = [text for text in texts if not text.itself]
    inputs = [_metric_input(text) for text in compared]
    scores = work.metric.score_within(inputs, options, work.around) if inputs else []
    return [
        *(
            NewMetricScore(text.response_id, score.value, score.reason)
            for text, score in zip(compared, scores, strict=True)
        ),
        *(NewMetricScore(text.response_id, None, ITSELF) for text in texts if text.itself),
    ]


def _metric_input(text: ResponseTexts) -> MetricInput:
    return MetricInput(text.text, text.references, text.question, text.context)
