"""The presets of compared responses against the published files (skipped where they are not)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest
from sqlalchemy import select

from judgelab.errors import InvalidInput
from judgelab.imports.checking.comparison_checker import named_both
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import place_frame, preference_frame
from judgelab.store.models import ResponseRow
from judgelab.store.projects.projects import create_project, find_project

pytestmark = pytest.mark.datasets


@pytest.fixture
def votes(store: Store, datasets: Path) -> pd.DataFrame:
    """Each vote on each summary, with whether it was named best and worst."""
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files([datasets / "cnn-bbc-2022"])
    report = import_files(store, "p", files, preset="cnn-bbc-2022")
    assert (report.items, report.responses, report.rankings) == (200, 600, 600)
    repeated = import_files(store, "p", files, preset="cnn-bbc-2022")
    assert (repeated.rankings, repeated.unchanged["rankings"]) == (0, 600)
    with store.reading() as session:
        places = place_frame(session, find_project(session, "p").id)
    lead = named_both([])
    named_in_comment = pd.Series(
        [
            system in comment.removeprefix(lead).split(", ")
            for system, comment in zip(places.system, places.comment, strict=True)
        ]
    )
    return places.assign(
        best=(places.place == 1) | named_in_comment, worst=(places.place == 3) | named_in_comment
    )


@pytest.mark.parametrize(
    ("group", "best", "worst", "most_best", "most_worst", "articles", "sharing"),
    [
        ("cnn", (178, 112, 44), (55, 84, 192), 102, 100, 91, 0.54),
        ("bbc", (170, 78, 102), (65, 166, 112), 107, 100, 96, 0.63),
    ],
)
def test_best_and_worst_votes_are_the_published_ones(
    votes: pd.DataFrame,
    group: str,
    best: tuple[int, ...],
    worst: tuple[int, ...],
    most_best: int,
    most_worst: int,
    articles: int,
    sharing: float,
) -> None:
    group_votes = votes[votes.group == group]
    by_system = group_votes.groupby("system")[["best", "worst"]].sum()
    assert tuple(by_system.best[["gpt3", "brio", "t0"]]) == best
    assert tuple(by_system.worst[["gpt3", "brio", "t0"]]) == worst
    shares = group_votes.groupby(["item", "system"])[["best", "worst"]].sum()
    assert ((shares.best >= 2).sum(), (shares.worst >= 2).sum()) == (most_best, most_worst)
    assert (shares.best >= 2).groupby("item").any().sum() == articles
    named = group_votes[group_votes.best].groupby(["item", "rater"]).system.agg(set)
    shared = [bool(a & b) for _, sets in named.groupby("item") for a, b in combinations(sets, 2)]
    assert fmean(shared) == pytest.approx(sharing, abs=5e-5)


def test_mtbench_pairs_are_as_published(store: Store, datasets: Path) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files([datasets / "alttest-labels" / "mtbench"])
    report = import_files(store, "p", files, preset="mtbench-pairs")
    assert (report.items, report.responses, report.preferences, report.judged_pairs) == (84, 204, 246, 720)
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
    judged = frame[frame["rater_kind"] == "judge"]
    ties = judged[judged["choice"] == "tie"].groupby("rater").size()
    assert ties.to_dict() == {
        **{"gemini_flash": 2, "gemini_pro": 7, "gpt-4o": 4, "gpt-4o-mini": 4, "llama-31": 4},
        "mistral-v03": 53,
    }
    frame = frame[frame["rater_kind"] == "human"]
    pairs = frame.groupby(["item", "response_a", "response_b"]).rater.count()
    assert Counter(pairs) == {2: 114, 3: 6}
    assert dict(frame.rater.value_counts()) == {"expert_24": 88, "author_4": 84, "author_0": 74}
    assert (frame.choice == "tie").sum() == 26 + 21 + 29


@pytest.mark.parametrize(
    ("judge", "advantage"),
    [
        *[("gemini_flash", 0.7189), ("gemini_pro", 0.7645), ("gpt-4o", 0.7728), ("llama-31", 0.6872)],
        *[("gpt-4o-mini", 0.7355), ("mistral-v03", 0.6832)],
    ],
)
def test_judges_against_the_stored_choices_have_their_published_advantage(
    store: Store, datasets: Path, judge: str, advantage: float
) -> None:
    """A choice turned the wrong way on its way into the store would change these (accuracy, mtbench)."""
    with store.writing() as session:
        create_project(session, name="p")
    folder = datasets / "alttest-labels"
    import_files(store, "p", collect_files([folder / "mtbench"]), preset="mtbench-pairs")
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
        systems = {row.id: row.system for row in session.scalars(select(ResponseRow))}
    chosen = {
        (row.item, frozenset((systems[row.response_a], systems[row.response_b])), row.rater): (
            "tie" if row.choice == "tie" else systems[getattr(row, f"response_{row.choice}")]
        )
        for row in frame.itertuples()
    }
    people = frame[frame["rater_kind"] == "human"]
    judged = {place[:2]: choice for place, choice in chosen.items() if place[2] == judge}
    chosen = {place: choice for place, choice in chosen.items() if place[2] in set(people["rater"])}
    wins = []
    for left_out in sorted(set(people.rater)):
        ahead = []
        for item, pair, rater in chosen:
            if rater != left_out:
                continue
            other_choices = [c for (i, p, r), c in chosen.items() if (i, p) == (item, pair) and r != left_out]
            human_agreement = fmean(chosen[item, pair, left_out] == choice for choice in other_choices)
            ahead.append(fmean(judged[item, pair] == choice for choice in other_choices) >= human_agreement)
        wins.append(fmean(ahead))
    assert fmean(wins) == pytest.approx(advantage, abs=5e-5)


def test_mtbench_is_no_set_of_scores(store: Store, datasets: Path) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    files = collect_files([datasets / "alttest-labels" / "mtbench"])
    with pytest.raises(InvalidInput, match="--preset mtbench-pairs"):
        import_files(store, "p", files, preset="alttest-labels")
