"""Which of two responses is better: a judge's choice against the order of the human scores.

BioASQ's pairwise ranking (Hijazi and others, section 4.2.5 and table 2): accuracy and unweighted Cohen kappa.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.metaeval.coefficients.settings import check_known
from judgelab.metaeval.core.arrays import Floats, Ints, codes, rounded
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.wording import mark, sentence

FIRST, TIE, SECOND = 0, 1, 2
CHOICES = {"a": FIRST, "tie": TIE, "b": SECOND}
HUMAN_TIES = ("keep", "drop")
PEOPLE = ("human", DECISION)


class OrderedPairs(NamedTuple):
    """Pairs of responses to one item, each with a human and a judge verdict.

    Verdicts: 0 = the first is better, 1 = tie, 2 = the second. `item` is the number of the pair's item;
    `inconsistent` counts pairs that were shown in both orders and judged differently, which counts as a tie.
    """

    item: Ints
    human: Ints
    judge: Ints
    inconsistent: int = 0


def pairs_of_scores(scores: pd.DataFrame, judge: str, *, criterion: str | None = None) -> OrderedPairs:
    """Return every pair of an item's responses that both people and the judge scored, in order of response.

    Args:
        scores: the long frame (`SCORE_COLUMNS`); a judge's scores may be ranks of its own, higher = better.
        judge: the judge's or metric's name.
        criterion: only this one; all are averaged where none is named, on each side over those it has.
    """
    chosen = scores if criterion is None else scores[scores["criterion"] == criterion]
    people = chosen["rater_kind"].isin(PEOPLE)
    human = _response_means(chosen[people])
    judged = _response_means(chosen[~people & (chosen["rater"] == judge)])
    joined = human.to_frame("human").join(judged.rename("judge"), how="inner").reset_index()
    item = codes(joined["item"].to_numpy())
    x, y = rounded(joined["human"].to_numpy()), rounded(joined["judge"].to_numpy())
    first, second = _within(item)
    return OrderedPairs(codes(item[first]), _order(x[first], x[second]), _order(y[first], y[second]))


def pairs_of_choices(preferences: pd.DataFrame, human: Mapping[Any, float]) -> OrderedPairs:
    """Return a judge's choices with the order of the human scores; a pair shown both ways counts once.

    Args:
        preferences: rows of one judge (`PREFERENCE_COLUMNS`).
        human: the human score of each response; pairs without both are left out.
    """
    by_pair: dict[tuple[Any, Any, Any], list[int]] = {}
    for row in preferences.itertuples(index=False):
        choice, a, b = CHOICES[str(row.choice)], row.response_a, row.response_b
        if a not in human or b not in human:
            continue
        if (row.item, b, a) in by_pair:
            by_pair[row.item, b, a].append(SECOND - choice)
        else:
            by_pair.setdefault((row.item, a, b), []).append(choice)
    differing = sum(len(set(choices)) > 1 for choices in by_pair.values())
    pairs = []
    for (item, a, b), choices in by_pair.items():
        implied = int(_order(rounded([human[a]]), rounded([human[b]]))[0])
        pairs.append((item, implied, choices[0] if len(set(choices)) == 1 else TIE))
    return _pairs(pairs)._replace(inconsistent=differing)


def order_agreement(
    pairs: OrderedPairs, *, human_ties: str = "keep", resamples: int = 1000, seed: int = 0
) -> dict[str, Estimate]:
    """Return "accuracy" (share of pairs ordered alike) and "kappa" (Cohen's, unweighted).

    The classes are first, tie, second. Intervals resample items. Undefined without a pair; kappa also where
    chance agreement is 1.

    Args:
        pairs: what is compared.
        human_ties: "keep" pairs that people scored alike, which only a tie meets, or "drop" them.
        resamples: of the items; 0 for no interval.
        seed: of the resampling.
    """
    check_known(human_ties, HUMAN_TIES, mark("rule for human ties"))
    kept = np.ones(len(pairs.human), dtype=bool) if human_ties == "keep" else pairs.human != TIE
    n = int(kept.sum())
    params = {
        "human_ties": human_ties,
        "human_tied": int((pairs.human == TIE).sum()),
        "judge_tied": int((pairs.judge == TIE).sum()),
        "inconsistent": pairs.inconsistent,
    }
    if not n:
        no_value = undefined(
            sentence("no pair has both a human order and a choice by the judge"), params=params
        )
        return {"accuracy": no_value, "kappa": no_value}
    item = codes(pairs.item[kept])
    items = int(item.max()) + 1
    cells = np.zeros((items, 9))
    np.add.at(cells, (item, pairs.human[kept] * 3 + pairs.judge[kept]), 1)
    draws = ItemDraws(items, resamples, seed)
    resampled_cells = (
        np.concatenate([w @ cells for w in draws.of_units(np.arange(items))])
        if resamples
        else np.zeros((0, 9))
    )
    estimates = {}
    for name, statistic in (("accuracy", _accuracy), ("kappa", _kappa)):
        value = float(statistic(cells.sum(axis=0)[None])[0])
        if not np.isfinite(value):
            estimates[name] = undefined(sentence("all ratings are the same"), n=n, params=params)
            continue
        interval = None
        if resamples:
            drawn = statistic(resampled_cells)
            interval = (
                share_interval(value, drawn, items=items)
                if name == "accuracy"
                else percentile_interval(drawn, items=items)
            )
        estimates[name] = Estimate(
            value,
            ci=interval.ends if interval else None,
            ci_method=interval.method if interval else NOT_ASKED,
            n=n,
            seed=seed if interval else None,
            params={**params, "items": items},
        )
    return estimates


def _response_means(scores: pd.DataFrame) -> pd.Series:
    """Return the mean over criteria of the mean over raters and runs, by item and response."""
    by_criterion = scores.groupby(["item", "response", "criterion"], observed=True)["score"].mean().dropna()
    return by_criterion.groupby(level=["item", "response"], sort=True).mean()


def _within(item: Ints) -> tuple[Ints, Ints]:
    """Return the positions of both members of every pair of rows of one item; `item` is sorted."""
    first = np.flatnonzero(np.diff(item, prepend=-1))
    size = np.diff(first, append=len(item))
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for rows in np.unique(size):
        within = np.stack(np.triu_indices(rows, k=1))
        pairs.append((within[:, None, :] + first[size == rows][:, None]).reshape(2, -1))
    left, right = np.concatenate(pairs, axis=1)
    order = np.argsort(item[left], kind="stable")
    return left[order], right[order]


def _order(x: Floats, y: Floats) -> Ints:
    return np.asarray(np.where(x > y, FIRST, np.where(x < y, SECOND, TIE)), dtype=np.int64)


def _pairs(pairs: list[tuple[Any, int, int]]) -> OrderedPairs:
    items, human, judge = zip(*pairs, strict=True) if pairs else ((), (), ())
    item_number = np.unique(np.asarray(items), return_inverse=True)[1] if pairs else np.zeros(0)
    return OrderedPairs(
        np.asarray(item_number, dtype=np.int64),
        np.asarray(human, dtype=np.int64),
        np.asarray(judge, dtype=np.int64),
    )


def _accuracy(cells: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(cells[:, [0, 4, 8]].sum(axis=1) / cells.sum(axis=1))


def _kappa(cells: Floats) -> Floats:
    tables = cells.reshape(-1, 3, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = tables / tables.sum(axis=(1, 2), keepdims=True)
        chance = (p.sum(axis=2) * p.sum(axis=1)).sum(axis=1)
        observed = np.trace(p, axis1=1, axis2=2)
        return np.asarray(np.where(1 - chance > 1e-12, (observed - chance) / (1 - chance), np.nan))
