"""Human values of the DRPE study: responses that most voters call the best or the worst, and rated extremes.

Wu et al. (2023), section 4.1: of CNN2022 and BBC2022 the summaries that at least two of three voters name the
best (1) or the worst (0); of SummEval the two best and the two worst of each article by the mean of its four
criteria.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

SHARE = 2 / 3
TOLERANCE = 1e-9  # two of three is two thirds, whatever floats make of it


class Voted(NamedTuple):
    """Responses that the votes agree on.

    Attributes:
        labels: item, response, system, group, criterion, score (1 best, 0 worst), best, worst, voters.
        best_and_worst: the same columns without score, for responses voted both the best and the worst.
    """

    labels: pd.DataFrame
    best_and_worst: pd.DataFrame


class Extremes(NamedTuple):
    """The best and the worst rated responses of each item.

    Attributes:
        labels: item, response, system, group, value (the mean) and score (1 best, 0 worst).
        tied: items where a response left out ties with one taken, so that the choice is arbitrary.
        short: items with fewer responses than are to be taken, which are left out.
    """

    labels: pd.DataFrame
    tied: list[str]
    short: list[str]


def vote_counts(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how often each response was named the best and the worst, and by how many voters.

    Args:
        votes: columns item, response, system, group, criterion, rater, best, worst.

    Returns:
        Columns item, response, system, group, criterion, best, worst, voters, in the order of `votes`.
    """
    keys = ["item", "response", "system", "group", "criterion"]
    counts = votes.groupby(keys, sort=False, observed=True).agg(
        best=("best", "sum"), worst=("worst", "sum"), voters=("rater", "nunique")
    )
    return counts.reset_index()


def voted(votes: pd.DataFrame, *, share: float = SHARE) -> Voted:
    """Return the responses that at least `share` of their voters name the best or the worst.

    If several responses of an item pass, all are kept. One that passes as both is uninformative and is
    returned separately.
    """
    counts = vote_counts(votes)
    least = share - TOLERANCE
    best = counts["best"] / counts["voters"] >= least
    worst = counts["worst"] / counts["voters"] >= least
    labels = counts[best ^ worst].copy()
    labels.insert(5, "score", best[best ^ worst].astype(float))
    return Voted(labels.reset_index(drop=True), counts[best & worst].reset_index(drop=True))


def extremes(values: pd.DataFrame, *, number: int = 2) -> Extremes:
    """Return the `number` best and the `number` worst responses of each item.

    Args:
        values: columns item, response, system, group, value; one row a response. Of equal ones the earlier
            row counts as the better one.
        number: how many at either end.
    """
    chosen, tied, short = [], [], []
    for item, rows in values.groupby("item", sort=False, observed=True):
        if len(rows) < 2 * number:
            short.append(str(item))
            continue
        ranked = rows.sort_values("value", ascending=False, kind="stable")
        numbers = ranked["value"].to_numpy()
        top, low = ranked.head(number), ranked.tail(number)
        if numbers[number - 1] == numbers[number] or numbers[-number] == numbers[-number - 1]:
            tied.append(str(item))
        chosen.append(pd.concat([top.assign(score=1.0), low.assign(score=0.0)]))
    columns = [*values.columns, "score"]
    labels = pd.concat(chosen, ignore_index=True) if chosen else pd.DataFrame(columns=pd.Index(columns))
    return Extremes(labels, tied, short)
