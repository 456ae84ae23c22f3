"""The mean of a coefficient over groups: within each item, system or batch.

Groups of one size are computed together, so there is no loop over items. A group in which the humans do not
differ cannot distinguish judges and is left out. A group in which only the judge is constant counts as 0
unless asked otherwise; leaving it out would measure a judge that seldom varies only where it happens to vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.registry import Coefficient
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, constant, count_distinct
from judgelab.metaeval.core.pairing import PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.wording import joined, mark, sentence

NEGLIGIBLE = 1e-9  # a coefficient that is 0 but for rounding
WITHIN = {"item": "item", "sys": "system", "group": "group"}
OK, TOO_FEW, HUMAN_CONSTANT, JUDGE_CONSTANT = 0, 1, 2, 3
STATES = {TOO_FEW: "too_few", HUMAN_CONSTANT: "human_constant", JUDGE_CONSTANT: "judge_constant"}
UNNAMED = {
    "item": mark("no response or pair has an item"),
    "sys": mark("no response or pair has a system"),
    "group": mark("no response or pair has a group"),
}
NONE_LEFT = {
    "item": mark("no item has a coefficient (of the items scored by both: {reasons})"),
    "sys": mark("no system has a coefficient (of the systems scored by both: {reasons})"),
    "group": mark("no group has a coefficient (of the groups scored by both: {reasons})"),
}
WORDS = {
    "too_few": mark("too few responses in {groups}"),
    "human_constant": mark("equal human scores in {groups}"),
    "judge_constant": mark("equal judge or metric scores in {groups}"),
    "no_score": mark("no judge or metric score in {groups}"),
}


class _Groups(NamedTuple):
    """The coefficient and the state of each group, its units, and the item of its first unit.

    The units of group `k` are `order[start[k] : start[k] + size[k]]`.
    """

    values: Floats
    states: Ints
    order: Ints
    start: Ints
    size: Ints
    item: Ints
    one_item_each: bool


def within(
    pairs: PairedScores, coefficient: Coefficient, *, level: str, zero: bool, draws: ItemDraws
) -> ResampledValue:
    """Return the mean over groups, undefined when none is left; `zero` counts judge-constant ones as 0."""
    label: Ints = getattr(pairs, WITHIN[level])
    pairs = pairs.where(label >= 0)
    label = codes(label[label >= 0])
    if not len(label):
        return ResampledValue(np.nan, sentence(UNNAMED[level]))
    groups = _groups(pairs, coefficient, label)
    used = int((groups.states == OK).sum())
    lost = {name: int((groups.states == s).sum()) for s, name in STATES.items() if (groups.states == s).any()}
    base = ResampledValue(
        np.nan, n=len(label), items=count_distinct(pairs.item), groups_used=used, groups_undefined=lost
    )
    if not used:
        return replace(base, reason=sentence(NONE_LEFT[level], reasons=_in_words(lost)))
    usable = (groups.states == OK) | (zero & (groups.states == JUDGE_CONSTANT))
    values = np.where(groups.states == OK, groups.values, 0.0)
    resampled = _draws(pairs, coefficient, groups=groups._replace(values=values), usable=usable, draws=draws)
    return replace(base, value=float(values[usable].mean()), draws=resampled)


def values_within(pairs: PairedScores, coefficient: Coefficient, *, level: str) -> Floats:
    """Return the value of each group in which the humans differ, 0 where only the judge is constant."""
    label: Ints = getattr(pairs, WITHIN[level])
    labelled = pairs.where(label >= 0)
    groups = _groups(labelled, coefficient, codes(label[label >= 0]))
    counted = (groups.states == OK) | (groups.states == JUDGE_CONSTANT)
    return np.asarray(np.where(groups.states == OK, groups.values, 0.0)[counted])


def _in_words(lost: Mapping[str, int]) -> str:
    return joined([sentence(WORDS[reason], groups=count) for reason, count in lost.items()])


def _groups(pairs: PairedScores, coefficient: Coefficient, label: Ints) -> _Groups:
    order, size = np.argsort(label, kind="stable"), np.bincount(label)
    start = np.cumsum(size) - size
    values, states = np.full(len(size), np.nan), np.full(len(size), TOO_FEW, dtype=np.int64)
    for length in np.unique(size[size >= coefficient.least]):
        of_length = np.flatnonzero(size == length)
        rows = order[start[of_length][:, None] + np.arange(length)]
        human, judge = pairs.human[rows], pairs.judge[rows]
        values[of_length] = coefficient.rows(human, judge)
        states[of_length] = _states(human, judge, values[of_length], coefficient=coefficient)
    item = pairs.item[order[start]]
    alone = bool((pairs.item[order] == np.repeat(item, size)).all())
    return _Groups(values, states, order, start, size, item, alone)


def _states(human: Floats, judge: Floats, values: Floats, *, coefficient: Coefficient) -> Ints:
    if not coefficient.of_variation:
        return np.where(np.isfinite(values), OK, TOO_FEW)
    # A constant judge has alphas below 0, which are values; its kappa is 0 and its r is none.
    judge_constant = constant(judge) & ~(np.abs(values) > NEGLIGIBLE)
    return np.where(constant(human), HUMAN_CONSTANT, np.where(judge_constant, JUDGE_CONSTANT, OK))


def _draws(
    pairs: PairedScores, coefficient: Coefficient, *, groups: _Groups, usable: Bools, draws: ItemDraws
) -> Floats:
    if not draws.resamples:
        return np.zeros(0)
    if groups.one_item_each:
        return _whole_groups(groups, usable, draws)
    total, count = np.zeros(draws.number), np.zeros(draws.number)
    for group in np.flatnonzero(usable):
        first = groups.start[group]
        members = groups.order[first : first + groups.size[group]]
        resampled = np.zeros(draws.number)
        if groups.states[group] == OK:
            statistic = coefficient.resampled(pairs.human[members], pairs.judge[members])
            resampled = np.concatenate([statistic(w) for w in draws.of_units(pairs.item[members])])
        total += np.nan_to_num(resampled)
        count += np.isfinite(resampled)
    with np.errstate(invalid="ignore"):
        return total / count


def _whole_groups(groups: _Groups, usable: Bools, draws: ItemDraws) -> Floats:
    """Return the mean over drawn groups: where a group is one item, drawing items draws groups."""
    values = groups.values[usable]
    parts = [np.stack([w @ values, w.sum(axis=1)], axis=1) for w in draws.of_units(groups.item[usable])]
    total, count = np.concatenate(parts).T
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)
