"""The order of systems by the raters and by each judge, and which decisions about pairs are the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from judgelab.analysis.trust.judge_units import JudgeUnits, judge_units
from judgelab.analysis.trust.system_order import decisions_on_units, order_tests, system_statements
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each, whole_numbers
from judgelab.api.judges import criteria_of, judges_of
from judgelab.api.scores import Scores, scores_of, words_of
from judgelab.api.tables import Row, Table
from judgelab.api.words import of_judge
from judgelab.errors import InvalidInput
from judgelab.metaeval.judges.system_pairs import SystemDecisions, SystemPair

KEYS = ("judge", "criterion", "better", "worse")
ORDER_COLUMNS = ("judge", "criterion", "system", "raters", "by_judge", "rank_raters", "rank_judge")
SHARE_KEYS = ("judge", "criterion", "measure")


class _Found(NamedTuple):
    """The systems under one criterion by the raters and by one judge; n counts units that both scored."""

    criterion: str
    label: str
    n: int
    unordered: bool
    systems: SystemDecisions | None


class SystemsTable(Table):
    """Every pair of systems by the raters and by each judge, the widest difference of the raters first.

    `table["gpt", "A", "B"]` is the raters' mean of the better of the two minus that of the other.
    """

    @property
    def shares(self) -> Table:
        """Return how many pairs each judge orders as the raters do, three rows a judge and criterion.

        "accuracy" is the share of all pairs; "decided" that of the pairs whose order by the raters is
        significant; "soft" soft pairwise accuracy, 1 minus the mean difference of the one-sided p-values of
        judge and raters. All are from 0 to 1; a pair that only one of the two ties counts as different.
        """
        rows = [
            Row((judge, one.criterion, measure), estimate)
            for judge, found in self._by_judge.items()
            for one in found
            if one.systems is not None
            for measure, estimate in (
                ("accuracy", one.systems.accuracy),
                ("decided", one.systems.decided),
                ("soft", one.systems.soft),
            )
        ]
        return Table(SHARE_KEYS, tuple(rows), "Pairs of systems in the raters' order")

    @property
    def order(self) -> pd.DataFrame:
        """Return the systems in the raters' order, one row a judge, criterion and system.

        Columns: judge, criterion, system; raters and by_judge, the mean scores on what both scored (of
        choices between two, the share of points); rank_raters and rank_judge, from 1, equal means sharing the
        mean of their ranks. `judgelab.mean` has intervals.
        """
        parts = []
        for judge, found in self._by_judge.items():
            for one in found:
                if one.systems is None or not one.systems.systems:
                    continue
                part = pd.DataFrame(
                    [(name, *means) for name, means in one.systems.systems.items()],
                    columns=["system", "raters", "by_judge"],
                )
                part["rank_raters"] = part["raters"].rank(ascending=False)
                part["rank_judge"] = part["by_judge"].rank(ascending=False)
                part = part.sort_values("rank_raters", kind="stable")
                part.insert(0, "criterion", one.criterion)
                part.insert(0, "judge", judge)
                parts.append(part)
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(ORDER_COLUMNS))

    def explain(self, language: str = "en") -> str:
        """Return what the page *Trust* says of the order of systems by each judge, in "en" or "de"."""
        from judgelab.languages import _
        from judgelab.languages.translate import in_language

        with in_language(language):
            return "\n".join(
                of_judge(judge, f"{_(statement.text)} ({_(statement.count_text)})")
                for judge, found in self._by_judge.items()
                for statement in system_statements(found, explain=True)
            )

    @property
    def _by_judge(self) -> dict[str, list[_Found]]:
        found: dict[str, list[_Found]] = self._source["found"]
        return found


def systems(
    data: Any,
    /,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    filter: FilterPolicy | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> SystemsTable:
    """Return which of two systems is better, for every pair: by the raters, and by each judge.

    Args:
        data: the scores, with their systems, or a frame that `judgelab.scores` understands.
        judge: this judge only; all if not given.
        criterion: this criterion only; p-values are then corrected over its pairs alone.
        filter: a quality filter, applied first.
        n_resamples: resamples of the items, for the intervals of shares; 0 for none.
        seed: seed of everything drawn.

    Returns:
        A table with one row a judge, criterion and pair of systems, in the raters' order. The estimate is the
        difference of the raters' means on the items that both systems have, first minus second, with its
        interval; `by_judge` the judge's difference, negative where it puts them the other way; `p_corrected`
        of the raters' order (paired permutation of items; Holm over the pairs under all criteria); `decided`,
        whether that is below .05; and `verdict`: "same", "opposite", "judge_ties" or "human_ties". `shares`
        is pairwise accuracy, `order` the systems' means and ranks. Only responses that judge and raters both
        scored count; of choices between two responses, points: 1 for a win, 0.5 for a tie. Pairs that share
        fewer than two items are left out and counted in `notes`; labels without an order have no pairs.

    Raises:
        InvalidInput: no judge, no rater, or fewer than two systems.
        NotFound: no such judge or criterion.

    Source: Kocmi and others 2021 (pairwise accuracy); Thompson and others 2024 (soft pairwise accuracy).

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human=[5, 4, 5, 1, 2, 2], judge=[4, 4, 5, 2, 1, 3], item=[1, 2, 3, 1, 2, 3],
        ...               system=["new"] * 3 + ["old"] * 3)
        >>> t = jl.systems(s)
        >>> round(t["new", "old"].value, 2), t.shares["accuracy"].value, t.order["system"].tolist()
        (3.0, 1.0, ['new', 'old'])
    """
    given = scores_of(data, filter)
    one_each(judge=judge, criterion=criterion)
    names = judges_of(given, judge)
    whole_numbers(n_resamples=n_resamples, seed=seed)
    _check_systems(given)
    keys = criteria_of(given, criterion)
    found = {name: _of_judge(given, name, keys, n_resamples, seed) for name in names}
    rows = [
        _row(name, one.criterion, pair)
        for name, parts in found.items()
        for one in parts
        for pair in (() if one.systems is None else one.systems.pairs)
    ]
    return SystemsTable(
        KEYS, tuple(rows), "Better minus worse, by the raters", _notes(found), {"found": found}
    )


def _of_judge(given: Scores, judge: str, keys: tuple[str, ...], n_resamples: int, seed: int) -> list[_Found]:
    data = given._data
    kinds = given.raters.set_index("rater")["kind"]
    same_scale = kinds[judge] == "judge" and judge not in data.own_scale
    units: dict[str, JudgeUnits] = {}
    for key in keys:
        of_criterion = judge_units(data, words_of(given), judge, key, same_scale=bool(same_scale))
        if of_criterion is not None:
            units[key] = of_criterion
    orders = order_tests(units, data.compared, seed)
    return [
        _Found(
            key,
            data.project.criterion(key).label,
            int(of_criterion.scored_by_both.sum()),
            not of_criterion.scale.ordered and data.compared is None,
            decisions_on_units(
                of_criterion, data.compared, orders=orders.get(key), resamples=n_resamples, seed=seed
            ),
        )
        for key, of_criterion in units.items()
    ]


def _row(judge: str, criterion: str, pair: SystemPair) -> Row:
    more = {
        "by_judge": pair.judge,
        "p_corrected": pair.human_test.adjusted,
        "decided": pair.decided,
        "verdict": pair.verdict,
    }
    return Row((judge, criterion, pair.better, pair.worse), pair.human, more)


def _check_systems(given: Scores) -> None:
    pairs = given._data.compared
    named = given._data.scores["system"] if pairs is None else pairs.responses["system"]
    known = [name for name in named.unique() if name]
    if len(known) < 2:
        there = f"only the system '{known[0]}'" if known else "no system"
        call = 'jl.scores(df, columns={"system": "…"})'
        raise InvalidInput(f"the scores name {there}; name the column of the systems: {call}.")


def _notes(found: dict[str, list[_Found]]) -> tuple[str, ...]:
    notes = ["p is of the raters' order: paired permutation of items, corrected over all pairs (Holm)."]
    for judge, parts in found.items():
        for one in parts:
            if one.systems is None:
                why = "the labels have no order" if one.unordered else "both scored only one system"
                notes.append(f"No pairs, {judge} on {one.criterion}: {why}.")
            elif one.systems.lost:
                notes.append(
                    f"Left out, {judge} on {one.criterion}: {one.systems.lost:,} pairs that share fewer than "
                    "two items."
                )
    return tuple(notes)
