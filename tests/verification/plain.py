"""The statistics of docs/statistics.md once more, in plain pandas, scipy and scikit-learn.

Nothing here comes from the package: what it prints is compared with these.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
from nltk.stem.porter import PorterStemmer
from scipy import stats
from sklearn.metrics import cohen_kappa_score

CORRELATIONS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def correlation(first: pd.Series, second: pd.Series, name: str = "pearson") -> float:
    """Return the correlation of what both have; ties as at twelve digits."""
    shared = pd.concat([first, second], axis=1, keys=["one", "other"]).dropna().round(10)
    return float(CORRELATIONS[name](shared["one"], shared["other"])[0])


def within(people: pd.Series, judge: pd.Series, level: str, name: str) -> list[float]:
    """Return one value a group: none where the people are constant, 0 where only the judge is."""
    values = []
    shared = pd.concat([people, judge], axis=1).dropna().round(10)
    for _group, rows in shared.groupby(level=level):
        humans, own = rows.to_numpy(dtype=float).T
        if len(set(humans)) > 1:
            values.append(float(CORRELATIONS[name](humans, own)[0]) if len(set(own)) > 1 else 0.0)
    return values


def others(ratings: pd.DataFrame, rater: str) -> pd.Series:
    """Return the mean of all raters (columns) but one on the responses (rows) that this one rated too."""
    return ratings.drop(columns=rater).mean(axis=1)[ratings[rater].notna()].dropna()


def pairwise(ratings: pd.DataFrame, least: int = 5) -> dict[tuple[str, str], float]:
    """Return Pearson's r of every two raters who share enough responses; one with one score counts 0."""
    correlations = {}
    for first, second in combinations(ratings.columns, 2):
        shared = ratings[[first, second]].dropna()
        if len(shared) >= least:
            flat = shared.nunique().min() == 1
            correlations[first, second] = 0.0 if flat else correlation(shared[first], shared[second])
    return correlations


def mean_r(pairs: dict[tuple[str, str], float], rater: str) -> float:
    return float(np.mean([r for names, r in pairs.items() if rater in names]))


def quality_rule(ratings: pd.DataFrame, low: float, high: float) -> tuple[list[str], pd.DataFrame]:
    """Return who goes (below 0.40, worst first) and the ratings left: two or more, not at both ends."""
    excluded: list[str] = []
    while ratings.shape[1] > 2:
        pairs = pairwise(ratings)
        worst = min(ratings.columns, key=lambda rater: mean_r(pairs, rater))
        if mean_r(pairs, worst) >= 0.4:
            break
        excluded.append(worst)
        ratings = ratings.drop(columns=worst)
    enough = ratings[ratings.notna().sum(axis=1) >= 2]
    return excluded, enough[~((enough.min(axis=1) == low) & (enough.max(axis=1) == high))]


def points(scores: pd.Series) -> pd.Series:
    return np.floor(scores.round(10) + 0.5).astype(int)


def kappa(
    first_ratings: pd.Series, second_ratings: pd.Series, scale: Sequence[int], weights: str | None = None
) -> float:
    shared = pd.concat([first_ratings, second_ratings], axis=1, keys=["one", "other"]).dropna()
    first, second = points(shared["one"]), points(shared["other"])
    return float(cohen_kappa_score(first, second, labels=list(scale), weights=weights))


def alpha(ratings: pd.DataFrame, level: str) -> float:
    """Return Krippendorff's alpha of responses (rows) by raters (columns) from the table of coincidences."""
    values = np.unique(ratings.stack().dropna().round(10))
    code_of = {value: k for k, value in enumerate(values)}
    coincidences = np.zeros((len(values), len(values)))
    for _response, row in ratings.round(10).iterrows():
        codes = [code_of[score] for score in row.dropna()]
        for k, code in enumerate(codes):
            for partner in codes[:k] + codes[k + 1 :]:
                coincidences[code, partner] += 1 / (len(codes) - 1)
    often = coincidences.sum(axis=0)
    upto = often.cumsum() - often / 2
    ground = upto if level == "ordinal" else values
    distance = (ground[:, None] - ground[None, :]) ** 2
    expected = (np.outer(often, often) * distance).sum() / (often.sum() - 1)
    return float(1 - (coincidences * distance).sum() / expected)


def stand_in(ratings: pd.DataFrame, judge: pd.Series, epsilon: float) -> tuple[float, float]:
    """Return winning rate and advantage probability (Calderon and others 2025; minus RMSE scores)."""
    p_values, as_good = [], []
    for rater in ratings.columns[ratings.notna().sum() >= 30]:
        others_ratings = ratings.drop(columns=rater)[ratings[rater].notna()].dropna(how="all")
        others_ratings = others_ratings[judge.reindex(others_ratings.index).notna()]
        far = {
            who: np.sqrt(
                others_ratings.sub(scores.reindex(others_ratings.index), axis=0).pow(2).mean(axis=1)
            ).round(10)
            for who, scores in (("judge", judge), ("rater", ratings[rater]))
        }
        judge_wins = (far["judge"] <= far["rater"]).astype(float)
        lead = (far["rater"] <= far["judge"]).astype(float) - judge_wins
        as_good.append(judge_wins.mean())
        p_values.append(stats.ttest_1samp(lead, epsilon, alternative="less").pvalue)
    rejected = stats.false_discovery_control(p_values, method="by") < 0.05
    return float(rejected.mean()), float(np.mean(as_good))


def squad(text: str) -> list[str]:
    """Return the words of an answer as SQuAD compares them."""
    plain = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def exact_and_f1(reply: str, gold: Sequence[str]) -> tuple[float, float]:
    words, exact, best = squad(reply), 0.0, 0.0
    for answer in map(squad, gold):
        exact = max(exact, float(words == answer))
        shared = sum((Counter(words) & Counter(answer)).values())
        best = max(best, 2 * shared / (len(words) + len(answer)) if shared else 0.0)
    return exact, best


stem = lru_cache(maxsize=None)(PorterStemmer().stem)


@lru_cache(maxsize=2000)
def pairs_of(text: str) -> Counter[tuple[str, str]]:
    words = [stem(word) if len(word) > 3 else word for word in re.findall(r"[a-z0-9]+", text.lower())]
    return Counter(zip(words, words[1:], strict=False))


def rouge2(summary: str, references: Sequence[str]) -> float:
    """Return the F1 of pairs of words, words longer than three letters stemmed, mean over the references."""

    own, f1_values = pairs_of(summary), []
    for reference in map(pairs_of, references):
        total = own.total() + reference.total()
        f1_values.append(2 * (own & reference).total() / total if total else 0.0)
    return float(np.mean(f1_values))
