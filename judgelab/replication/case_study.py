"""One question, all scores rescaled to 0 to 10 by their possible range (LINKAGE figures 3 and 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.errors import NotFound
from judgelab.metaeval.core.aggregation import MEAN
from judgelab.metrics.base import metric_of, metrics
from judgelab.protocols import protocols
from judgelab.replication.figures import PEOPLE
from judgelab.replication.material import Material
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.judging.judged_responses import score_details_of_item
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark

TOP = 10.0
Span = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """One item's responses under all raters.

    Attributes:
        scores: columns response, system, then one a rater from 0 to 10.
        ranges: the scores that stand for 0 and 10, by rater; of a list or of wins the item's own.
        without: raters that scored it on a scale without ends, which nothing can be stretched by.
        criterion: key of the criterion that the scores are under: the project's first.
    """

    scores: pd.DataFrame
    ranges: Mapping[str, str]
    without: tuple[str, ...]
    criterion: str


def case_scores(material: Material, item: str) -> Case:
    """Return one item's responses, every score rescaled to 0 to 10 by its possible range.

    Grades range over their scale, ranks over the list, wins and losses over the number of comparisons; a
    score does not depend on the scores of other responses.

    Raises:
        NotFound: no such item among those with scores.
    """
    first = material.criteria[0] if material.criteria else ""
    of_item = material.scores[(material.scores["criterion"] == first) & (material.scores["item"] == item)]
    if not len(of_item):
        raise NotFound(mark("item"), item, sorted(material.scores["item"].unique()))
    with material.store.reading() as session:
        details = score_details_of_item(session, material.project.id, item, first)
    rows = of_item[["response", "system"]].drop_duplicates().reset_index(drop=True)
    aggregation = material.aggregation if material.aggregation.on_scale else MEAN
    scale = material.project.scales[first]
    ends = (float(scale.low), float(scale.high))
    human = human_scores(of_item, aggregation, scales=material.project.scales).set_index("response")["human"]
    rows[str(PEOPLE)] = _stretched(rows["response"].map(human), ends)
    ranges, without = {str(PEOPLE): _words(ends)}, []
    for name, kind in material.raters.items():
        of_rater = of_item[(of_item["rater"] == name) & (of_item["rater_kind"] == kind)]
        means = of_rater.groupby("response")["score"].mean()
        if not len(means):
            continue
        spans = {}
        for response in map(int, means.index):
            span = _span(material, name, kind, ends, details.get((name, response), {}), len(means))
            if span is not None:
                spans[response] = span
        if not spans:
            without.append(name)
            continue
        rows[name] = [
            _stretched(means[response], spans[response]) if response in spans else float("nan")
            for response in rows["response"]
        ]
        ranges[name] = ", ".join(dict.fromkeys(map(_words, spans.values())))
    return Case(rows, ranges, tuple(without), first)


def judged_items(material: Material, *, most: int) -> dict[str, str]:
    """Return the first questions that people rated, by item, with at least two responses."""
    sizes = material.scores.groupby("item", sort=False)["response"].nunique()
    items = [str(item) for item in sizes.index[sizes >= 2]][:most]
    with material.store.reading() as session:
        frame = response_frame(session, material.project.id)
    questions = dict(zip(frame["item"], frame["question"], strict=True))
    return {item: f"{item}: {questions.get(item, '')}"[:120] for item in items}


def texts_of_item(store: Store, slug: str, item: str) -> dict[int, str]:
    """Return the texts of an item's responses by row id."""
    with store.reading() as session:
        frame = response_frame(session, find_project(session, slug).id)
    rows = frame[frame["item"] == item]
    return {int(response): str(text) for response, text in zip(rows["response"], rows["text"], strict=True)}


def _span(
    material: Material, name: str, kind: str, ends: Span, detail: Mapping[str, Any], number: int
) -> Span | None:
    if kind == "metric":
        metric = metric_of(name)
        metric_found = metrics.get(metric) if metric in metrics.names() else None
        return metric_found.span(material.metric_options.get(name, {})) if metric_found else None
    judge = material.judges.get(name)
    if judge is None or not judge.own_scale:
        return ends
    if judge.protocol not in protocols.names():
        return None
    return protocols.get(judge.protocol).score_range(detail, together=number)


def _stretched(value: Any, span: Span) -> Any:
    low, high = span
    return (value - low) / (high - low) * TOP


def _words(span: Span) -> str:
    return f"{span[0]:g} to {span[1]:g}"
