"""Comparisons as scores: each pair of responses is a unit, and its label says which of the two is better.

With this, everything that is computed from labels without an order (accuracy, kappa, alpha, the alternative
annotator test) is computed for comparisons too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.domain import DECISION, EXAMPLES, SCORE_COLUMNS
from judgelab.metaeval.core.aggregation import MAJORITY, aggregate, score_per_rater_and_unit
from judgelab.metaeval.core.arrays import Bools, Floats, rounded
from judgelab.metaeval.core.tie_margin import TieMargin, tie_margin
from judgelab.wording import mark

FIRST, TIE, SECOND = 1.0, 2.0, 3.0
MAJORITY_MEANING = mark(
    "“Majority” means the single most frequent choice, even if it has half of the choices or fewer."
)
SCALE = {"kind": "categorical", "labels": ["First", "Tie", "Second"]}
PAIR_COLUMNS = ("pair", "item", "group", "first", "second", "system_first", "system_second")
PEOPLE = ("human", DECISION)


@dataclass(frozen=True)
class PairScores:
    """The comparisons of a project as scores of pairs.

    Attributes:
        scores: one row per rater, pair and criterion with the columns `SCORE_COLUMNS`: `response` is the
            number of the pair, `system` names both systems, `score` is 1 if the first response is better,
            2 for a tie, 3 if the second one is.
        pairs: the pairs by number, with the columns `PAIR_COLUMNS`. The first response is the one whose
            system comes first by name, or whose id does, so that the order of a file does not matter.
        implied: names of judges and metrics whose choices are the order of their scores.
        metrics: names of the metrics among them; in `scores` they are judges, since a choice is a label,
            whatever the metric's own values are.
        longer: by pair, the label that names the response with more words; without the pairs that lack a
            text.
        margins: by criterion and name of those in `implied`, up to which difference of scores it has a tie.
    """

    scores: pd.DataFrame
    pairs: pd.DataFrame
    implied: frozenset[str]
    metrics: frozenset[str]
    longer: pd.Series[float]
    margins: Mapping[tuple[str, str], TieMargin] = field(default_factory=dict)

    @property
    def measured(self) -> PairScores:
        """Return the same without the scores of pairs on which a margin was chosen."""
        aside = set_aside(self.scores, self.margins)
        return replace(self, scores=self.scores[~aside].reset_index(drop=True)) if aside.any() else self

    @property
    def example_pairs(self) -> int:
        """Return on how many of the pairs that people compared a margin was chosen."""
        chosen = self.scores[set_aside(self.scores, self.margins)]
        return int(chosen.loc[chosen["rater_kind"] == "human", "response"].nunique())


def pair_scores(
    preferences: pd.DataFrame,
    responses: pd.DataFrame,
    *,
    scores: pd.DataFrame | None = None,
    words: pd.Series[float] | None = None,
    lower_is_better: Collection[str] = (),
) -> PairScores:
    """Return comparisons as scores of pairs.

    A judge's choices of one pair become one: the most frequent one in each order, a tied vote being a tie,
    and a tie if the two orders differ. A person's choices stay as they are, and so do adjudicators' decisions
    (comparisons of the kind "decision"). Scores imply a tie if they differ by no more than a margin, which is
    chosen on the pairs of the group `EXAMPLES` and on no others, and by people's choices whether or not a
    filter keeps them.

    Args:
        preferences: the comparisons (`PREFERENCE_COLUMNS`).
        responses: the responses: response, response_id, system, group.
        scores: scores of single responses (`SCORE_COLUMNS`); a judge or metric that scored both responses of
            a compared pair implies a choice, unless the judge compared pairs itself.
        words: number of words of each response, for `longer`.
        lower_is_better: criteria under which the lower of two judges' scores is the better one.
    """
    compared = _oriented(preferences, responses)
    pairs = _numbered(compared, responses)
    compared["pair"] = pairs.index.get_indexer(pd.MultiIndex.from_frame(compared[["first", "second"]]))
    pairs = pairs.reset_index(drop=True)
    direct = _direct(compared)
    judges = frozenset(direct.loc[~direct["rater_kind"].isin(PEOPLE), "rater"].unique())
    asked = compared[["pair", "criterion"]].drop_duplicates()
    by_scores, margins = direct.iloc[:0], dict[tuple[str, str], TieMargin]()
    if scores is not None:
        both = _differences(scores[~scores["rater"].isin(judges)], asked, pairs, lower_is_better)
        margins = _margins(both, direct, pairs)
        by_scores = _implied(both, margins)
    rows = pd.concat([direct, by_scores], ignore_index=True)
    named = pairs.loc[rows["pair"]].reset_index(drop=True)
    frame = pd.DataFrame(
        {
            "item": named["item"],
            "response": rows["pair"].astype("int64"),
            "system": _both(named["system_first"], named["system_second"]),
            "group": named["group"],
            "criterion": rows["criterion"],
            "rater": rows["rater"],
            "rater_kind": rows["rater_kind"].replace("metric", "judge"),
            "score": rows["score"],
            "run": pd.array([pd.NA] * len(rows), dtype="Int64"),
            "sample": pd.array([pd.NA] * len(rows), dtype="Int64"),
            "rated_at": pd.NaT,
        }
    )[list(SCORE_COLUMNS)]
    frame = frame.sort_values("rater_kind", key=lambda kind: kind != "human", kind="stable")
    return PairScores(
        frame.reset_index(drop=True),
        pairs[list(PAIR_COLUMNS)],
        frozenset(map(str, by_scores["rater"].unique())),
        frozenset(map(str, by_scores.loc[by_scores["rater_kind"] == "metric", "rater"].unique())),
        _longer(words, pairs),
        margins,
    )


def set_aside(rows: pd.DataFrame, margins: Mapping[tuple[str, str], TieMargin]) -> Bools:
    """Return which rows, of a criterion and a group, are of pairs on which a margin was chosen.

    These pairs can't show how good the margin is, so they enter no agreement.
    """
    criteria = {criterion for (criterion, _), margin in margins.items() if margin.chosen}
    return np.asarray(rows["criterion"].isin(criteria) & (rows["group"] == EXAMPLES), dtype=bool)


def choice_labels(choice: pd.Series[str]) -> Floats:
    """Return the label of each choice between two responses: a, tie or b."""
    return np.where(choice == "a", FIRST, np.where(choice == "b", SECOND, TIE))


def _oriented(preferences: pd.DataFrame, responses: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons with `first` and `second` by name, the score, and the order shown."""
    by_id = responses.set_index("response")
    name = by_id["system"].astype(str) + "\0" + by_id["response_id"].astype(str)
    place = pd.Series(np.argsort(np.argsort(name.to_numpy(), kind="stable")), index=name.index)
    a, b = preferences["response_a"], preferences["response_b"]
    known = (a.isin(by_id.index) & b.isin(by_id.index)).to_numpy()
    a, b = a[known], b[known]
    turned = place.reindex(a).to_numpy() > place.reindex(b).to_numpy()
    code = choice_labels(preferences.loc[known, "choice"])
    shown = preferences.loc[known, "order"]
    order = np.where(shown == "a", 1, np.where(shown == "b", -1, 0))
    return pd.DataFrame(
        {
            "item": preferences.loc[known, "item"].to_numpy(),
            "first": np.where(turned, b, a),
            "second": np.where(turned, a, b),
            "criterion": preferences.loc[known, "criterion"].to_numpy(),
            "rater": preferences.loc[known, "rater"].to_numpy(),
            "rater_kind": preferences.loc[known, "rater_kind"].to_numpy(),
            "score": np.where(turned, FIRST + SECOND - code, code),
            "order": np.where(turned, -order, order),  # 1: the first response was shown first
        }
    )


def _numbered(compared: pd.DataFrame, responses: pd.DataFrame) -> pd.DataFrame:
    """Return each pair once, in order of item and responses, indexed by its two responses."""
    pairs = compared[["item", "first", "second"]].drop_duplicates()
    by_id = responses.set_index("response")
    named = pairs.assign(
        group=by_id["group"].reindex(pairs["first"]).to_numpy(),
        system_first=by_id["system"].reindex(pairs["first"]).to_numpy(),
        system_second=by_id["system"].reindex(pairs["second"]).to_numpy(),
        name_first=by_id["response_id"].reindex(pairs["first"]).to_numpy(),
        name_second=by_id["response_id"].reindex(pairs["second"]).to_numpy(),
    )
    named = named.sort_values(["item", "name_first", "name_second"], kind="stable")
    named = named.assign(pair=np.arange(len(named)))
    return named.set_index(["first", "second"], drop=False)


def _direct(compared: pd.DataFrame) -> pd.DataFrame:
    """Return people's choices and decisions, and one choice per judge, pair and criterion."""
    columns = ["pair", "criterion", "rater", "rater_kind", "score"]
    human = compared["rater_kind"].isin(PEOPLE)
    votes = compared[~human]
    if votes.empty:
        return compared.loc[human, columns]
    unit = ["pair", "criterion", "rater", "rater_kind"]
    counts = votes.groupby([*unit, "order", "score"], sort=False).size().rename("votes").reset_index()
    most = counts["votes"] == counts.groupby([*unit, "order"])["votes"].transform("max")
    by_order = _one_or_tie(counts[most], [*unit, "order"])
    return pd.concat([compared.loc[human, columns], _one_or_tie(by_order, unit)], ignore_index=True)


def _one_or_tie(rows: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    """Return one row per unit: the score that all its rows have, or a tie if they differ."""
    ends = rows.groupby(unit, sort=False)["score"].agg(["min", "max"])
    ends["score"] = np.where(ends["min"] == ends["max"], ends["min"], TIE)
    return ends["score"].reset_index()


def _differences(
    scores: pd.DataFrame, asked: pd.DataFrame, pairs: pd.DataFrame, lower_is_better: Collection[str]
) -> pd.DataFrame:
    """Return by how much each judge and metric puts the first response of a pair above the second.

    A higher metric is always better.
    """
    others = scores[scores["rater_kind"].isin(("judge", "metric"))]
    means = others.groupby(["criterion", "rater", "rater_kind", "response"], observed=True)["score"].mean()
    known = means.reset_index()
    sides = asked.assign(first=pairs["first"].to_numpy()[asked["pair"]])
    sides["second"] = pairs["second"].to_numpy()[asked["pair"]]
    keys = ["criterion", "rater", "rater_kind"]
    first = sides.merge(known, left_on=["criterion", "first"], right_on=["criterion", "response"])
    both = first.merge(
        known, left_on=[*keys, "second"], right_on=[*keys, "response"], suffixes=("_first", "_second")
    )
    above = rounded(rounded(both["score_first"]) - rounded(both["score_second"]))
    lower = both["criterion"].isin(list(lower_is_better)) & (both["rater_kind"] == "judge")
    return both.assign(above=np.where(lower, -above, above))[["pair", *keys, "above"]]


def _margins(
    both: pd.DataFrame, direct: pd.DataFrame, pairs: pd.DataFrame
) -> dict[tuple[str, str], TieMargin]:
    """Return the margin of each judge and metric under each criterion, from example pairs alone."""
    examples = set(pairs.loc[pairs["group"] == EXAMPLES, "pair"])
    everywhere = direct[direct["rater_kind"] == "human"]
    of_examples = everywhere["pair"].isin(examples)
    people, elsewhere = everywhere[of_examples], set(everywhere.loc[~of_examples, "criterion"])
    scored = both[both["pair"].isin(examples)]
    majority = _majorities(people)
    tied = set(people.loc[people["score"] == TIE, "criterion"])
    margins = {}
    for criterion, rater in both[["criterion", "rater"]].drop_duplicates().itertuples(index=False):
        own = scored[(scored["criterion"] == criterion) & (scored["rater"] == rater)]
        labels = majority[majority.index.get_level_values("criterion") == criterion].droplevel("criterion")
        margins[str(criterion), str(rater)] = tie_margin(
            TIE - labels.reindex(own["pair"]).to_numpy(dtype=float),
            own["above"].to_numpy(dtype=float),
            compared=len(labels) > 0,
            decided=bool(labels.notna().any()),
            tied=criterion in tied,
            elsewhere=criterion in elsewhere,
        )
    return margins


def _majorities(people: pd.DataFrame) -> pd.Series[float]:
    """Return the label that most people chose, by criterion and pair, NaN where several are as frequent."""
    units = pd.MultiIndex.from_frame(people[["criterion", "pair"]])
    unit, found = pd.factorize(units)
    rater, names = pd.factorize(people["rater"])
    rated = score_per_rater_and_unit(unit, rater, people["score"].to_numpy(dtype=float), ordered=False)
    labels = aggregate(rated, units=len(found), raters=len(names), aggregation=MAJORITY)
    return pd.Series(labels, index=found.set_names(units.names))


def _implied(both: pd.DataFrame, margins: Mapping[tuple[str, str], TieMargin]) -> pd.DataFrame:
    """Return the choices that differences of scores imply: a tie within the margin."""
    points = [margins[key].points for key in zip(both["criterion"], both["rater"], strict=True)]
    above = both["above"].to_numpy(dtype=float)
    decided = np.where(np.abs(above) <= np.array(points, dtype=float), 0.0, above)
    return both.assign(score=_better(decided, 0.0)).drop(columns="above")


def _longer(words: pd.Series[float] | None, pairs: pd.DataFrame) -> pd.Series[float]:
    if words is None:
        return pd.Series(dtype=float)
    lengths = words[words > 0]
    first, second = (lengths.reindex(pairs[side].to_numpy()).to_numpy() for side in ("first", "second"))
    labels = pd.Series(_better(first, second), index=pairs["pair"].to_numpy(), dtype=float)
    return labels[np.isfinite(first) & np.isfinite(second)]


def _better(first: Any, second: Any) -> Any:
    return np.where(first > second, FIRST, np.where(first < second, SECOND, TIE))


def _both(first: pd.Series[str], second: pd.Series[str]) -> pd.Series[str]:
    named = (first != "") & (second != "")
    return (first + " – " + second).where(named, "")
