"""DRPE's human values on its data: vote filters of CNN2022 and BBC2022, and SummEval's 400 summaries.

The published figures are those of `docs/studies/drpe.md`. 32 tied articles were counted where means of three
ratings were compared as floats; compared exactly they are 36.
"""

from __future__ import annotations

import pandas as pd
import pytest

from judgelab.analysis.data.scores import project_scores
from judgelab.metaeval.judges.best_worst import extremes, vote_counts, voted
from judgelab.metrics import MetricInput, metrics
from judgelab.preparation.labels import label_votes, rated_means
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.votes import best_worst_votes
from judgelab.store.scoring.metric_scores import texts_of
from tests.verification.conftest import Bring

pytestmark = pytest.mark.datasets


@pytest.fixture(scope="module")
def news(bring: Bring) -> tuple[object, pd.DataFrame]:
    store = bring("cnn-bbc-2022", preset="cnn-bbc-2022", study="drpe")
    with store.reading() as session:
        return store, best_worst_votes(session, find_project(session, "p").id)


@pytest.mark.parametrize(
    ("group", "best", "worst", "labels", "articles"),
    [
        ("cnn", (178, 112, 44), (55, 84, 192), (102, 100), 91),
        ("bbc", (170, 78, 102), (65, 166, 112), (107, 100), 96),
    ],
)
def test_votes_and_those_that_two_of_three_share(
    news: tuple[object, pd.DataFrame],
    group: str,
    best: tuple[int, ...],
    worst: tuple[int, ...],
    labels: tuple[int, int],
    articles: int,
) -> None:
    votes = news[1][news[1]["group"] == group]
    counts = vote_counts(votes).groupby("system")[["best", "worst"]].sum()
    assert tuple(counts.loc[["gpt3", "brio", "t0"], "best"]) == best
    assert tuple(counts.loc[["gpt3", "brio", "t0"], "worst"]) == worst
    labelled = voted(votes)
    assert len(labelled.best_and_worst) == 1  # one summary passes both filters and is kept apart
    ends = labelled.labels["score"].value_counts()
    assert (ends[1.0] + 1, ends[0.0] + 1) == labels
    best_ones = {
        *labelled.labels.loc[labelled.labels["score"] == 1, "item"],
        *labelled.best_and_worst["item"],
    }
    assert len(best_ones) == articles


def test_the_votes_become_a_rater_of_their_own(news: tuple[object, pd.DataFrame]) -> None:
    store = news[0]
    (report,) = label_votes(store, "p")  # type: ignore[arg-type]
    assert (report.best, report.worst) == (
        101 + 106,
        99 + 99,
    ) and "voted both best and worst" in report.notes[0]
    second_report = label_votes(store, "p")[0]  # type: ignore[arg-type]
    humans = project_scores(store, "p").humans  # type: ignore[arg-type]
    assert second_report.values == len(humans) == 405 and set(humans["rater"]) == {"votes"}


def test_four_hundred_summaries_and_the_absolute_correlation_of_rouge(summeval: Store) -> None:
    scores_of_project = project_scores(summeval, "p")
    chosen = extremes(rated_means(scores_of_project.humans, scores_of_project.project))
    assert len(chosen.labels) == 400 and len(chosen.tied) == 36 and not chosen.short
    with summeval.reading() as session:
        texts = {
            text.response_id: text for text in texts_of(session, [int(r) for r in chosen.labels["response"]])
        }
    batch = [
        MetricInput(texts[int(r)].text, [reference for reference in texts[int(r)].references][:1], "", "")
        for r in chosen.labels["response"]
    ]
    # Which of the tied summaries are taken moves these by less than .01.
    for name, by_mean, by_label in (
        ("rouge1", 0.329, 0.288),
        ("rouge2", 0.275, 0.248),
        ("rougeL", 0.319, 0.292),
    ):
        metric = metrics.get(name)
        scores = [score.value for score in metric.score(batch, metric.settle({"stemmer": True}))]
        for column, published in (("value", by_mean), ("score", by_label)):
            r = abs(chosen.labels[column].corr(pd.Series(scores)))
            assert r == pytest.approx(published, abs=0.009), (name, column)
