"""The invented scores that the pages explain: small, made here, the same at every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.metaeval.agreement.agreement import AgreementRow, agreement
from judgelab.metaeval.coefficients import rowwise
from judgelab.metaeval.coefficients.weighted import pearson
from judgelab.metaeval.core.aggregation import Aggregation, aggregate
from judgelab.metaeval.core.arrays import Bools, Ints
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import UnitTable, unit_tables
from judgelab.metaeval.inference.multiplicity import adjusted
from judgelab.metaeval.inference.permutation import standard
from judgelab.metaeval.inference.planning import SampleSizePlan, difference_plan
from judgelab.metaeval.judges.bradley_terry import Strengths, strengths
from judgelab.metaeval.judges.system_pairs import SystemDecisions, system_decisions
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


def plan_for(scores: pd.DataFrame) -> SampleSizePlan:
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


YES_NO: Scale = scale_from_json({"kind": "binary"})


def yes_and_no(both: int, only_first: int, only_second: int, neither: int) -> UnitTable:
    """Return the answers that both of two raters call fine, only the one or the other does, and neither."""
    said = [(1, 1)] * both + [(1, 0)] * only_first + [(0, 1)] * only_second + [(0, 0)] * neither
    rows = [
        (f"q{n}", "A", name, "human", float(score))
        for n, pair in enumerate(said)
        for name, score in zip(("Ann", "Ben"), pair, strict=True)
    ]
    return unit_tables(frame(rows))[0]


# Eight answers, and three raters who see them alike; Cleo is a whole point stricter throughout.
STRICT: Mapping[str, Points] = {
    "Ann": np.array([2, 3, 5, 4, 2, 5, 3, 4], dtype=float),
    "Ben": np.array([2, 4, 5, 4, 3, 5, 3, 4], dtype=float),
    "Cleo": np.array([1, 2, 4, 3, 1, 4, 2, 3], dtype=float),
}


def a_strict_rater() -> UnitTable:
    """Return the eight answers of `STRICT` as a table."""
    rows = [
        (f"q{n}", "A", name, "human", float(score))
        for name, given in STRICT.items()
        for n, score in enumerate(given)
    ]
    return unit_tables(frame(rows))[0]


def careful_and_careless(*, items: int = 200, seed: int = 29) -> tuple[Rated, Points]:
    """Return yes or no of two careful raters and three careless ones, and what would have been right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items).astype(float)
    right = rng.uniform(size=(items, 5)) < np.array([0.92, 0.9, 0.58, 0.56, 0.55])
    given = np.where(right, truth[:, None], 1 - truth[:, None])
    unit, rater = np.divmod(np.arange(items * 5), 5)
    return Rated(unit, rater, given.ravel()), truth


def a_jury(*, items: int = 120, seed: int = 31) -> tuple[Points, Points]:
    """Return the scores of three judges, the last with the most noise, and people's scores."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    people = np.clip(np.round(truth + rng.normal(0, 0.4, items)), 1, 5)
    noise = rng.normal(0, 1, (items, 3)) * np.array([0.8, 0.9, 2.0])
    return np.clip(np.round(truth[:, None] + noise), 1, 5), people


def games(*, items: int = 40, seed: int = 37) -> tuple[Strengths, Points]:
    """Return strengths of four systems from two comparisons an item, and their table of wins."""
    rng = np.random.default_rng(seed)
    good = np.array([1.0, 0.3, 0.2, -1.2])
    first, second = np.array([rng.choice(4, 2, replace=False) for _ in range(2 * items)]).T
    won = (rng.uniform(size=2 * items) < 1 / (1 + np.exp(good[second] - good[first]))).astype(float)
    draws = ItemDraws(items, 1000, 0)
    found = strengths(first, second, won, ("A", "B", "C", "D"), item=np.arange(2 * items) // 2, draws=draws)
    table = np.zeros((4, 4))
    np.add.at(table, (first, second), won)
    np.add.at(table, (second, first), 1 - won)
    return found, table


def best_and_worst() -> pd.DataFrame:
    """Return three voters' best and worst of four answers to one question."""
    votes = {"Ann": ("A", "D"), "Ben": ("A", "C"), "Cleo": ("B", "D")}
    rows = [
        {"response": one, "rater": rater, "best": one == best, "worst": one == worst}
        for rater, (best, worst) in votes.items()
        for one in "ABCD"
    ]
    return pd.DataFrame(rows).assign(item="q1", system="", group="", criterion="overall")


def decimals(*, items: int = 60, seed: int = 41) -> tuple[Points, Points, Points]:
    """Return people's scores of four answers to each item, a judge's with decimals, and the items."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 0.9, 4 * items)
    people = np.clip(np.round(truth), 1, 5)
    return people, truth + rng.normal(0, 0.4, 4 * items), np.repeat(np.arange(items), 4)


def swapped_gaps(*, times: int = 1000, seed: int = 0) -> tuple[float, Points]:
    """Return how far judge A is ahead of B, and how far where they changed places at random on each item."""
    [table] = unit_tables(two_alike())
    first, second = (standard(one.scores[None])[0] for one in table.compared)
    people = np.broadcast_to(table.human_score, (times, len(first)))
    swap = np.random.default_rng(seed).integers(0, 2, people.shape) > 0
    one, other = np.where(swap, second, first), np.where(swap, first, second)
    gap = rowwise.pearson(people[:1], first[None]) - rowwise.pearson(people[:1], second[None])
    return float(gap[0]), rowwise.pearson(people, one) - rowwise.pearson(people, other)


def false_findings(tests: int, correction: str, *, studies: int = 2000, seed: int = 0) -> float:
    """Return in which share of studies something is "found", where so many tests have nothing to find."""
    p = np.random.default_rng(seed).uniform(size=(studies, tests))
    return float(np.mean([(adjusted(row, correction) < 0.05).any() for row in p]))


def both_orders() -> tuple[list[str], list[str]]:
    """Return a judge's winner of forty pairs, and of the same pairs shown the other way round."""
    verdicts = [("first", "second")] * 14 + [("second", "first")] * 12
    verdicts += [("first", "first")] * 12 + [("second", "second")] * 2
    return [one for one, _ in verdicts], [other for _, other in verdicts]


def a_family(*, items: int = 60, seed: int = 43) -> tuple[Points, Points, Bools]:
    """Return people's scores, those of a judge that likes its own family's answers, and which these are."""
    rng = np.random.default_rng(seed)
    people = np.clip(np.round(rng.normal(3, 1, 2 * items)), 1, 5)
    own = np.arange(2 * items) % 2 == 0
    return people, people + 0.2 + 0.6 * own + rng.normal(0, 0.6, 2 * items), own


def asked_again(*, items: int = 80, times: int = 10, seed: int = 47) -> tuple[Ints, Points, Points]:
    """Return the answer each reply is about, the scores of ten replies to each, and people's scores."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, items)
    people = np.clip(np.round(truth + rng.normal(0, 0.5, items)), 1, 5)
    replies = np.clip(np.round(truth[:, None] + rng.normal(0, 1.2, (items, times))), 1, 5)
    return np.repeat(np.arange(items), times), replies.ravel(), people


# Twenty answers that one rater scored twice, some days apart.
AT_FIRST: Points = np.array([1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 1, 2, 3, 4, 5, 2, 3, 4, 4, 5], dtype=float)
LATER: Points = np.array([1, 2, 3, 3, 3, 4, 4, 4, 5, 4, 1, 1, 3, 4, 5, 2, 2, 4, 5, 5], dtype=float)

# Forty answers: people use the whole scale, a judge says 4 whenever it can.
WHOLE_SCALE: Points = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [5, 8, 11, 9, 7])
MOSTLY_FOUR: Points = np.repeat([3.0, 4.0, 5.0], [8, 27, 5])
