"""The parts of a project's comparisons: by systems, lengths, the raters' choice and the order shown."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judgelab.analysis.agreement.agreement_table import scores_of_both
from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.disagreement.similar_texts import text_groups
from judgelab.analysis.trust.pair_evidence import same_in_both_orders
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.metaeval.judges.large_disagreements import score_difference
from judgelab.metaeval.judges.slices import thirds
from judgelab.wording import mark
from judgelab.words import word_count

LONGER, SHORTER, EVEN = mark("the longer response"), mark("the shorter response"), mark("one of equal length")
A_WINNER, A_TIE = mark("one of the two"), mark("a tie")
UNANIMOUS, DIVIDED = mark("unanimous"), mark("divided")
FIRST_SHOWN, OTHER_SHOWN = mark("raters' choice shown first"), mark("other response shown first")
SAME_IN_BOTH, OTHER_IN_BOTH = mark("both orders, same choice"), mark("both orders, choice changed")


def named_pairs(compared: ComparedUnits) -> pd.DataFrame:
    """Return the pairs with their numbers as `response`, both systems as `system`, and the question."""
    pairs = compared.pairs.rename(columns={"pair": "response"})
    question = compared.responses.set_index("response")["question"]
    named = (pairs["system_first"] != "") & (pairs["system_second"] != "")
    both = pairs["system_first"].astype(str) + " – " + pairs["system_second"].astype(str)
    return pairs.assign(
        system=both.where(named, ""), question=question.reindex(pairs["first"]).to_numpy()
    ).drop(columns="criterion")


def pair_differences(data: ProjectScores, *, judge: str, criterion: str) -> pd.DataFrame:
    """Return the pairs with a majority of the raters and a choice of the judge.

    Columns: those of `named_pairs`, human and judge (labels), raters (number of people), and difference: 1
    where the labels differ, else 0.
    """
    assert data.compared is not None
    both = scores_of_both(data, rater=judge, criterion=criterion).rename(columns={"score": "judge"})
    both["difference"] = score_difference(both["judge"], both["human"], data.project.scale(criterion))
    return both.merge(named_pairs(data.compared), on="response")


def labels_of_pairs(
    data: ProjectScores,
    pairs: pd.DataFrame,
    texts: pd.Series[str],
    *,
    judge: str,
    criterion: str,
    seed: int,
) -> dict[str, list[str]]:
    """Return the label of each pair's part, by cut; empty if it has none.

    Args:
        data: the project's comparisons.
        pairs: the pairs (`pair_differences`).
        texts: the responses' texts by row id.
        judge: the judge whose order of the two counts.
        criterion: the criterion.
        seed: seed of the groups of similar texts.
    """
    assert data.compared is not None
    first, second = (pairs[side].map(texts).fillna("").tolist() for side in ("first", "second"))
    longer_by = _words(first) - _words(second)
    cuts = {
        "choice": _by_choice(pairs["human"].to_numpy(dtype=float), longer_by),
        "order": _by_order(data.compared, pairs, judge, criterion),
        "length": _by_difference(longer_by),
        "system": pairs["system"].tolist(),
        "group": pairs["group"].tolist(),
        "raters": _by_unanimity(data, pairs),
    }
    similar = text_groups([f"{a}\n{b}" for a, b in zip(first, second, strict=True)], seed=seed)
    if similar is not None:
        cuts["words"] = [similar.names[number] for number in similar.group]
    return cuts


def _words(texts: list[str]) -> Floats:
    """Return the number of words of each text, NaN for an empty one."""
    counts = np.array([word_count(text) for text in texts], dtype=np.float64)
    return np.where(counts > 0, counts, np.nan)


def _by_difference(longer_by: Floats) -> list[str]:
    """Return the third of each pair by the difference in words; no parts if few differences occur."""
    known = np.isfinite(longer_by)
    labels = np.full(len(longer_by), "", dtype=object)
    if len(np.unique(np.abs(longer_by[known]))) >= 3:
        third, names = thirds(np.abs(longer_by[known]))
        labels[known] = np.array(names, dtype=object)[third]
    return list(map(str, labels))


def _by_choice(human: Floats, longer_by: Floats) -> list[str]:
    """Return what the raters chose: the longer or shorter response, or a tie; "" if a length is unknown.

    If all lengths are unknown, what remains is a winner or a tie.
    """
    if not np.isfinite(longer_by).any():
        return [A_TIE if label == TIE else A_WINNER for label in human]
    lead = np.where(human == FIRST, longer_by, -longer_by)
    with_winner = [EVEN if by == 0 else LONGER if by > 0 else SHORTER if by < 0 else "" for by in lead]
    return [A_TIE if label == TIE else of for label, of in zip(human, with_winner, strict=True)]


def _by_unanimity(data: ProjectScores, pairs: pd.DataFrame) -> list[str]:
    """Return whether all raters chose the same; "" for a pair with one rater."""
    people = data.scores[data.scores["rater_kind"] == "human"]
    by_pair = people.groupby("response")["score"]
    differ = (by_pair.max() > by_pair.min()).reindex(pairs["response"]).to_numpy(dtype=bool)
    several = pairs["raters"].to_numpy() > 1
    return ["" if not n else DIVIDED if d else UNANIMOUS for n, d in zip(several, differ, strict=True)]


def _by_order(compared: ComparedUnits, pairs: pd.DataFrame, judge: str, criterion: str) -> list[str]:
    """Return which response the judge saw first, or what it chose in both orders; "" if unknown."""
    rows = compared.preferences
    own = rows[
        (rows["rater"] == judge)
        & (rows["rater_kind"] == "judge")
        & (rows["criterion"] == criterion)
        & (rows["order"] != "")
    ]
    if judge in compared.implied or own.empty:
        return [""] * len(pairs)
    same = same_in_both_orders(own).droplevel("criterion").to_dict()
    shown = own["response_a"].where(own["order"] == "a", own["response_b"])
    first_shown = dict(zip(zip(own["response_a"], own["response_b"], strict=True), shown, strict=True))
    labels = []
    for first, second, human in pairs[["first", "second", "human"]].itertuples(index=False):
        ends = (min(first, second), max(first, second))
        if ends in same:
            labels.append(SAME_IN_BOTH if same[ends] else OTHER_IN_BOTH)
        elif ends not in first_shown or human not in (FIRST, SECOND):
            labels.append("")
        else:
            chosen = first if human == FIRST else second
            labels.append(FIRST_SHOWN if first_shown[ends] == chosen else OTHER_SHOWN)
    return labels
