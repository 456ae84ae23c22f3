"""Writes ratings.csv of both sample projects: what eight invented raters make of hand-judged responses.

Run it from anywhere: `python sample_data/simulate_raters.py [FOLDER]`. It reads quality.csv and comments.csv
beside it and writes FOLDER/kitchen/ratings.csv and FOLDER/news/ratings.csv (FOLDER: this one). The seed is
fixed, so the same input gives the same bytes.

A rater who reads with care sees a response's `quality`; one who skims sees its `looks`: what it seems worth
before the context is read. Then come the rater's own leaning and some noise.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
COLUMNS = ["item_id", "system", "rater", "criterion", "score", "comment", "rated_at"]
RATINGS_PER_RESPONSE = (3, 4, 5)


class Rater(NamedTuple):
    """One invented rater; `leaning` and `noise` are in points of a four-point scale."""

    name: str
    habit: str
    leaning: float
    noise: float
    care: float
    seconds: float


class Project(NamedTuple):
    """One sample project: the ends of its scale, its seed and its first evening."""

    folder: str
    low: int
    high: int
    seed: int
    start: datetime


RATERS = (
    Rater("Alva", "honest", leaning=0.0, noise=0.25, care=0.98, seconds=38),
    Rater("Bram", "honest", leaning=0.1, noise=0.35, care=0.80, seconds=21),
    Rater("Cosima", "honest", leaning=-0.4, noise=0.35, care=0.97, seconds=46),
    Rater("Dorian", "honest", leaning=0.4, noise=0.40, care=0.90, seconds=30),
    Rater("Elske", "honest", leaning=-0.1, noise=0.45, care=0.94, seconds=34),
    Rater("Fenno", "honest", leaning=0.2, noise=0.40, care=0.92, seconds=27),
    Rater("Jory", "random", leaning=0.0, noise=0.0, care=0.0, seconds=4),
    Rater("Mirren", "reversed", leaning=0.0, noise=0.35, care=0.95, seconds=33),
)
PROJECTS = (
    Project("kitchen", 0, 3, 23, datetime(2025, 5, 5, 17, 30, tzinfo=UTC)),
    Project("news", 1, 5, 1, datetime(2025, 6, 16, 18, 0, tzinfo=UTC)),
)


def assign(responses: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return one row per response and rater: three to five raters each, the least busy first."""
    load = np.zeros(len(RATERS))
    rows = []
    for item, system in responses.itertuples(index=False):
        wanted = int(rng.choice(RATINGS_PER_RESPONSE))
        chosen = np.argsort(load + rng.uniform(0, 3, len(RATERS)))[:wanted]
        load[chosen] += 1
        rows += [(item, system, int(rater)) for rater in sorted(chosen)]
    return pd.DataFrame(rows, columns=["item_id", "system", "rater"])


def score(rater: Rater, unit: pd.Series, project: Project, rng: np.random.Generator) -> int:
    """Return the point that `rater` picks for one response under one criterion."""
    if rater.habit == "random":
        return int(rng.integers(project.low, project.high + 1))
    seen = unit.quality if rng.random() < rater.care else unit.looks
    point_width = (project.high - project.low) / 3
    felt = seen + point_width * (rater.leaning + rater.noise * rng.standard_normal())
    point = int(np.clip(np.floor(felt + 0.5), project.low, project.high))
    return project.low + project.high - point if rater.habit == "reversed" else point


def clock(pairs: pd.DataFrame, project: Project, rng: np.random.Generator) -> pd.Series:
    """Return when each response was rated: every rater in an own order, up to 25 an evening."""
    times = pd.Series(index=pairs.index, dtype=object)
    for number, rows in pairs.groupby("rater").groups.items():
        rater = RATERS[int(number)]
        for place, row in enumerate(rng.permutation(rows)):
            evening, within = divmod(place, 25)
            if within == 0:
                late = timedelta(
                    days=2 * evening + int(rng.integers(0, 2)), minutes=int(rng.integers(0, 150))
                )
                now = project.start + late
            now += timedelta(seconds=round(rater.seconds * float(rng.lognormal(0, 0.4))))
            times[row] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return times


def add_comments(ratings: pd.DataFrame, comments: pd.DataFrame) -> None:
    """Give each comment to the first rater of its habit whose score fits it and who has said nothing yet."""
    habits = ratings["rater"].map({rater.name: rater.habit for rater in RATERS})
    for note in comments.itertuples(index=False):
        fits = (
            (ratings["item_id"] == note.item_id)
            & (ratings["system"] == note.system)
            & (ratings["criterion"] == note.criterion)
            & (habits == note.habit)
            & ratings["score"].between(note.low, note.high)
            & (ratings["comment"] == "")
        )
        ratings.loc[ratings.index[fits][:1], "comment"] = note.comment


def simulate(project: Project) -> pd.DataFrame:
    """Return all ratings of one project, in the order in which they were given."""
    rng = np.random.default_rng(project.seed)
    quality = pd.read_csv(HERE / project.folder / "quality.csv")
    pairs = assign(quality[["item_id", "system"]].drop_duplicates(), rng)
    pairs["rated_at"] = clock(pairs, project, rng)
    ratings = pairs.merge(quality, on=["item_id", "system"], how="left")
    ratings["score"] = [score(RATERS[row.rater], row, project, rng) for row in ratings.itertuples()]
    ratings["rater"] = [RATERS[number].name for number in ratings["rater"]]
    ratings["comment"] = ""
    add_comments(ratings, pd.read_csv(HERE / project.folder / "comments.csv"))
    return ratings.sort_values(["rated_at", "rater"], kind="stable")[COLUMNS]


def main(folder: Path) -> None:
    """Write both rating files under `folder`."""
    for project in PROJECTS:
        (folder / project.folder).mkdir(parents=True, exist_ok=True)
        simulate(project).to_csv(
            folder / project.folder / "ratings.csv", index=False, encoding="utf-8", lineterminator="\n"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
