"""The invented scores that the pages explain: small, made here, the same at every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.metaeval.aggregation import Aggregation, aggregate
from judgelab.metaeval.agreement import AgreementRow, agreement
from judgelab.metaeval.planning import Plan, difference_plan
from judgelab.metaeval.ratings import Rated
from judgelab.metaeval.resampling import ItemDraws
from judgelab.metaeval.system_pairs import SystemDecisions, system_decisions
from judgelab.metaeval.units import unit_tables
from judgelab.metaeval.weighted import pearson
from judgelab.scales import Scale, scale_from_json

SCALE: Scale = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
SCALES: Mapping[str, Scale] = {"quality": SCALE}
Points = npt.NDArray[np.float64]

# Twelve answers: what people gave, and a judge that is one point too kind.
PEOPLE: Points = np.array([1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4], dtype=float)
KIND: Points = PEOPLE + 1
# A hundred answers: two raters who call nearly all of them fine, and never the same five bad.
FIRST: Points = np.array([1] * 90 + [1] * 5 + [0] * 5, dtype=float)
SECOND: Points = np.array([1] * 90 + [0] * 5 + [1] * 5, dtype=float)


def frame(rows: list[tuple[str, str, str, str, float]]) -> pd.DataFrame:
    """Return a long frame of scores from rows of (item, system, rater, kind of rater, score)."""
    long = pd.DataFrame(rows, columns=["item", "system", "rater", "rater_kind", "score"])
    long["response"] = long["item"] + "/" + long["system"]
    return long.assign(group="", criterion="quality", run=None, sample=None, rated_at=None)


def of_size(items: int, *, seed: int = 1) -> pd.DataFrame:
    """Return a study of so many items in which judge and people go together moderately."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    people = np.clip(np.round(truth + rng.normal(0, 0.5, items)), 1, 5)
    judge = np.clip(np.round(truth + rng.normal(0, 1, items)), 1, 5)
    rows = [(f"q{n}", "A", "Ann", "human", float(people[n])) for n in range(items)]
    return frame(rows + [(f"q{n}", "A", "judge", "judge", float(judge[n])) for n in range(items)])


def easy_and_hard(*, items: int = 40, seed: int = 3) -> pd.DataFrame:
    """Return two systems on easy and hard items; the judge sees how easy an item is, not who is better."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, str, float]] = []
    for n in range(items):
        ease = rng.choice([-1.2, 1.2])
        for system, better in (("A", 0.4), ("B", -0.4)):
            score = np.clip(round(3 + ease + better + rng.normal(0, 0.3)), 1, 5)
            guess = np.clip(round(3 + ease + rng.normal(0, 0.5)), 1, 5)
            rows.append((f"q{n}", system, "Ann", "human", float(score)))
            rows.append((f"q{n}", system, "judge", "judge", float(guess)))
    return frame(rows)


def six_raters(*, items: int = 40, seed: int = 5) -> pd.DataFrame:
    """Return four raters who read, one who clicks at random and one who holds the scale upside down."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, items)
    habits = {
        "Alva": np.clip(truth + rng.choice([-1, 0, 0, 0, 1], items), 1, 5),
        "Bram": np.clip(truth + rng.choice([-1, 0, 0, 1], items), 1, 5),
        "Cosima": np.clip(truth + rng.choice([-1, 0, 0, 0, 1], items), 1, 5),
        "Dorian": np.clip(truth + rng.choice([0, 0, 0, 1], items), 1, 5),
        "Jory (clicks)": rng.integers(1, 6, items),
        "Mirren (upside down)": 6 - np.clip(truth + rng.choice([-1, 0, 0, 1], items), 1, 5),
    }
    return frame(
        [
            (f"q{n}", "A", name, "human", float(given[n]))
            for name, given in habits.items()
            for n in range(items)
        ]
    )


def three_raters_and_a_judge(*, items: int = 60, noise: float = 0.9, seed: int = 7) -> pd.DataFrame:
    """Return three raters and a judge who all see the same truth, the judge with as much noise as is said."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    rows: list[tuple[str, str, str, str, float]] = []
    for name, kind, spread in (
        ("Ann", "human", 0.6),
        ("Ben", "human", 0.7),
        ("Cleo", "human", 0.8),
        ("judge", "judge", noise),
    ):
        given = np.clip(np.round(truth + rng.normal(0, spread, items)), 1, 5)
        rows += [(f"q{n}", "A", name, kind, float(given[n])) for n in range(items)]
    return frame(rows)


def two_alike(*, items: int = 120, seed: int = 15) -> pd.DataFrame:
    """Return two judges that make the same mistakes, one of them a few more."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    people = np.clip(np.round(truth + rng.normal(0, 0.4, items)), 1, 5)
    first = truth + rng.normal(0, 0.9, items)
    second = first + rng.normal(0, 0.6, items)
    rows: list[tuple[str, str, str, str, float]] = []
    for name, kind, given in (
        ("Ann", "human", people),
        ("judge A", "judge", first),
        ("judge B", "judge", second),
    ):
        rows += [(f"q{n}", "A", name, kind, float(given[n])) for n in range(items)]
    return frame(rows)


def long_answers(*, items: int = 200, seed: int = 13) -> tuple[Points, Points, Points]:
    """Return people's scores, a judge's that rise with length, and the lengths in words."""
    rng = np.random.default_rng(seed)
    words = np.round(np.exp(rng.normal(4, 0.6, items)))
    people = np.clip(np.round(rng.normal(3, 1, items)), 1, 5)
    lean = 0.5 * (np.log(words) - np.log(words).mean()) / np.log(words).std()
    return people, people + lean + rng.normal(0, 0.5, items), words


def small_and_large(*, rated: int = 60, others: int = 2000, seed: int = 17) -> tuple[Points, Points, Points]:
    """Return people's scores of a few answers, a judge's of the same, and the judge's of many others."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3.2, 0.9, rated + others)
    judge = np.clip(np.round(truth + 0.4 + rng.normal(0, 0.6, rated + others)), 1, 5)
    people = np.clip(np.round(truth + rng.normal(0, 0.4, rated + others)), 1, 5)
    return people[:rated], judge[:rated], judge[rated:]


def agreement_of(scores: pd.DataFrame, **options: Any) -> AgreementRow:
    """Return how far the judge of an example agrees with the people."""
    [row] = [row for row in agreement(scores, scales=SCALES, **options) if row.rater == "judge"]
    return row


def plan_for(scores: pd.DataFrame) -> Plan:
    """Return how many items would tell the two judges of an example apart, by Pearson's r."""
    [table] = unit_tables(scores)
    first, second = (pearson(table.human_score, one.scores) for one in table.compared)

    def drawn(draws: ItemDraws) -> Points:
        return np.concatenate([first(w) - second(w) for w in draws.of_units(table.item)])

    return difference_plan(drawn, items=table.items, settled=False)


# One answer, rated by five people: four close together and one far off.
FIVE: Points = np.array([4, 4, 5, 4, 1], dtype=float)


def five_as_one(how: str) -> float:
    """Return the one score that the five ratings come to."""
    rated = Rated(np.zeros(5, dtype=np.int64), np.arange(5), FIVE)
    return float(aggregate(rated, units=1, raters=5, aggregation=Aggregation(how))[0])


def four_systems(*, items: int = 40, seed: int = 19) -> pd.DataFrame:
    """Return four systems, two of them nearly alike, and a judge that likes the last one too well."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, str, float]] = []
    for n in range(items):
        ease = rng.normal(0, 0.6)
        for system, good, liked in (("A", 0.8, 0.0), ("B", 0.1, 0.0), ("C", 0.0, 0.0), ("D", -0.6, 0.9)):
            score = np.clip(round(3 + ease + good + rng.normal(0, 0.7)), 1, 5)
            guess = np.clip(round(3 + ease + good + liked + rng.normal(0, 0.9)), 1, 5)
            rows.append((f"q{n}", system, "Ann", "human", float(score)))
            rows.append((f"q{n}", system, "judge", "judge", float(guess)))
    return frame(rows)


def decisions_of(scores: pd.DataFrame) -> SystemDecisions:
    """Return whether the judge of an example puts every two systems in the people's order."""
    [table] = unit_tables(scores)
    return system_decisions(
        table.human_score,
        table.compared[0].scores,
        item=table.item,
        system=table.system,
        names=table.systems,
    )


def said_confidence(*, verdicts: int = 400, seed: int = 23) -> tuple[Points, Points]:
    """Return how sure a judge says it is of each verdict, and whether it was right: it is too sure."""
    rng = np.random.default_rng(seed)
    sure = np.round(rng.uniform(0.5, 1.0, verdicts), 2)
    return sure, (rng.uniform(size=verdicts) < 0.35 + 0.45 * sure).astype(float)
