"""Strengths of systems from pairwise wins.

Source: Bradley and Terry 1952; the steps are those of Hunter 2004 (minorisation-maximisation). A tie is half
a win each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.wording import sentence

PRIOR = 0.01
TOLERANCE = 1e-12
MOST_STEPS = 20_000
STEPS_OF_RESAMPLES = 1_000


@dataclass(frozen=True)
class Strengths:
    """Log strengths with mean 0: the odds of i against j are exp(strength_i - strength_j).

    Args:
        strength: by system.
        games: comparisons by system, ties included.
        wins: wins by system, ties as halves.
        prior: pseudo-wins each way between every two compared systems; above 0 only if some system or group
            of systems never won or never lost against the rest, so that the fit would diverge.
        reason: why there is nothing; None where there is.
    """

    strength: dict[str, Estimate]
    games: dict[str, int]
    wins: dict[str, float]
    prior: float
    reason: str | None = None


def bradley_terry(wins: Floats, names: Sequence[str]) -> Strengths:
    """Return strengths from a table of wins (row over column); ties count as half a win on both sides.

    Undefined without any comparison, or if the systems fall into groups that were never compared. Example:
    the four journals of Stigler 1994 give -2.949, -0.480 and 0.269 relative to Biometrika.
    """
    table = np.asarray(wins, dtype=float).copy()
    np.fill_diagonal(table, 0.0)
    reason, prior = _fit_for(table)
    games, won = table + table.T, table.sum(axis=1)
    counts = {name: int(round(n)) for name, n in zip(names, games.sum(axis=1), strict=True)}
    wins_of = {name: float(n) for name, n in zip(names, won, strict=True)}
    if reason:
        return Strengths(
            {name: undefined(reason, n=counts[name]) for name in names}, counts, wins_of, 0.0, reason
        )
    fitted = _fitted(_with_prior(table, prior)[None], MOST_STEPS)[0]
    strength = {
        name: Estimate(float(value), n=counts[name], ci_method=NOT_ASKED, params={"prior": prior})
        for name, value in zip(names, fitted, strict=True)
    }
    return Strengths(strength, counts, wins_of, prior)


def strengths(
    first: Ints, second: Ints, won: Floats, names: Sequence[str], *, item: Ints, draws: ItemDraws
) -> Strengths:
    """Return strengths with intervals over items from single comparisons.

    Args:
        first: the one system of each comparison, numbered as in `names`.
        second: the other.
        won: 1 where the first won, 0 where the second did, 0.5 for a tie.
        names: the systems.
        item: item of each comparison.
        draws: how often each resample drew each item.
    """
    k = len(names)
    cells = np.concatenate([first * k + second, second * k + first])
    values, items = np.concatenate([won, 1 - won]), np.concatenate([item, item])
    table = np.bincount(cells, values, minlength=k * k).reshape(k, k).astype(float)
    fitted_strengths = bradley_terry(table, names)
    if fitted_strengths.reason or not draws.resamples:
        return fitted_strengths
    by_item = csr_matrix((values, (cells, items)), shape=(k * k, draws.items))
    drawn = np.asarray((by_item @ draws.by_item.astype(float)).T).reshape(-1, k, k)
    # A resample may lose a system's only win, so every resample gets the small prior.
    fitted = _fitted(_with_prior(drawn, max(fitted_strengths.prior, PRIOR)), STEPS_OF_RESAMPLES)
    strength = {}
    for number, name in enumerate(names):
        interval = percentile_interval(fitted[:, number], items=len(np.unique(item)))
        estimate = fitted_strengths.strength[name]
        strength[name] = Estimate(
            estimate.value,
            ci=interval.ends,
            ci_method=interval.method,
            n=estimate.n,
            seed=draws.seed,
            params=estimate.params,
        )
    return Strengths(strength, fitted_strengths.games, fitted_strengths.wins, fitted_strengths.prior)


def _fit_for(table: Floats) -> tuple[str | None, float]:
    compared = table + table.T > 0
    if not compared.any():
        return sentence("no comparisons"), 0.0
    if connected_components(csr_matrix(compared), directed=False)[0] > 1:
        return sentence("some systems were never compared with the others, not even indirectly"), 0.0
    runs_away = connected_components(csr_matrix(table > 0), directed=True, connection="strong")[0] > 1
    return None, PRIOR if runs_away else 0.0


def _with_prior(table: Floats, prior: float) -> Floats:
    compared = (table + np.swapaxes(table, -1, -2)) > 0
    return np.asarray(table + prior * compared)


def _fitted(wins: Floats, steps: int) -> Floats:
    """Return the log strengths of each table (tables, systems, systems), each with mean 0."""
    games, won = wins + np.swapaxes(wins, 1, 2), wins.sum(axis=2)
    p = np.ones(won.shape)
    for _ in range(steps):
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = (games / (p[:, :, None] + p[:, None, :])).sum(axis=2)
            new = np.where(denominator > 0, won / denominator, p)
        new = np.exp(
            np.log(np.maximum(new, 1e-300)) - np.log(np.maximum(new, 1e-300)).mean(axis=1, keepdims=True)
        )
        change = float(np.abs(np.log(new) - np.log(p)).max())
        p = new
        if change < TOLERANCE:
            break
    return np.asarray(np.log(p))
