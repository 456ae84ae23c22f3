"""Grammars on replies that real models gave."""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import spearmanr

from judgelab.domain import Reading
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.reading.grammars import read
from judgelab.scales import scale_from_json

FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
# Half points were given although whole ones were asked for; the set's own column keeps some of them.
FIVE_WITH_HALVES = scale_from_json({"kind": "numeric", "low": 1, "high": 5})
RIGHT = scale_from_json({"kind": "binary"})
THREE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})
CRITERIA = ("coherence", "consistency", "fluency", "relevance")

# EXPECTED section 2: whole-set rho of the set's own readings against the mean of three experts.
RHO = {
    ("gpt-3.5-turbo-0301", "rts"): (0.4436, 0.4233, 0.2849, 0.4479),
    ("gpt-3.5-turbo-0301", "mcq"): (0.4239, 0.3428, 0.3428, 0.3843),
    ("gpt-4-0314", "rts"): (0.4478, 0.5565, 0.4980, 0.4271),
}


@pytest.fixture(scope="module")
def replies(datasets: Path) -> pd.DataFrame:
    frame = pd.read_csv(datasets / "summeval" / "judge_raw_replies_rts_mcq.csv")
    frame["score"] = [
        (
            read("abc", reply, FIVE)
            if protocol == "mcq"
            else read("digit", reply, FIVE_WITH_HALVES, explain=True)
        ).score
        for protocol, reply in zip(frame.protocol, frame.reply, strict=True)
    ]
    return frame


@pytest.fixture(scope="module")
def experts(datasets: Path) -> pd.DataFrame:
    ratings = pd.read_csv(datasets / "summeval" / "ratings_experts.csv")
    return ratings.groupby(["doc_id", "system"])[list(CRITERIA)].mean()


def test_letters_are_read_as_the_set_reads_them(replies: pd.DataFrame) -> None:
    letters = replies[replies.protocol == "mcq"]
    assert len(letters) == 5100
    assert (letters.score == letters.parsed).all()


def test_reasons_are_read_as_the_set_reads_them_but_for_its_own_slips(replies: pd.DataFrame) -> None:
    reasons = replies[replies.protocol == "rts"]
    differing = reasons[reasons.score != reasons.parsed]
    assert (len(reasons), len(differing)) == (9600, 22)
    # The column took the 5 of "4.5" and "3/5" for the score in 19 replies, the 1 of "15 penalties" in one.
    stated = differing.dropna(subset="score")
    assert len(stated) == 20
    for reply, score in zip(stated.reply, stated.score, strict=True):
        ends = [
            f"{score:g}{end}" for end in ("", ".", "/5", " out of 5.", " out of 5 for relevance.", "/5).")
        ]
        assert reply.strip().endswith(tuple(ends))
    # Two replies end with their reasons and state no score: it read the 1 of "1-0" in one of them.
    assert list(differing[differing.score.isna()].reply.str.contains("[Ss]core[: ]")) == [False, False]


@pytest.mark.parametrize(("model", "protocol"), RHO)
def test_correlation_with_the_experts(
    replies: pd.DataFrame, experts: pd.DataFrame, model: str, protocol: str
) -> None:
    chosen = replies[(replies.model == model) & (replies.protocol == protocol)].dropna(subset="score")
    last = chosen.drop_duplicates(["system", "doc_id", "criterion"], keep="last")
    # Where the set misread whole replies (gpt-4 only), ours differs by less than .006.
    tolerance = 0.006 if model.startswith("gpt-4") else 0.0015 if protocol == "rts" else 0.00006
    for criterion, expected in zip(CRITERIA, RHO[model, protocol], strict=True):
        rows = last[last.criterion == criterion]
        human = experts.loc[list(zip(rows.doc_id, rows.system, strict=True)), criterion]
        assert spearmanr(rows.score, human).statistic == pytest.approx(expected, abs=tolerance)


def test_the_first_digit_is_the_wrong_one_in_819_replies_and_ours_in_none(replies: pd.DataFrame) -> None:
    reasons = replies[replies.protocol == "rts"]
    first = [re.search(r"\d", reply) for reply in reasons.reply]
    first_digits = pd.Series([float(match[0]) if match else None for match in first], index=reasons.index)
    assert (first_digits != reasons.parsed).sum() == 819
    stated_scores = [read("digit", reply, FIVE, explain=True) for reply in reasons.reply]
    scores = pd.Series([stated.score for stated in stated_scores], index=reasons.index)
    differing = reasons[scores.notna() & (scores != reasons.parsed)]
    assert (scores.notna().sum(), scores.isna().sum(), len(differing)) == (9391, 209, 12)
    reasons_for_none = Counter(stated.reason for stated in stated_scores if stated.reason)
    assert reasons_for_none == {
        "3.5 is not one of 1, 2, 3, 4, 5": 112,
        "1.5 is not one of 1, 2, 3, 4, 5": 43,
        "4.5 is not one of 1, 2, 3, 4, 5": 33,
        "2.5 is not one of 1, 2, 3, 4, 5": 19,
        "no score is stated": 2,
    }
    # The set's own column is wrong in these: it took the 5 of "3/5", and the 1 of "15 penalties".
    for reply, score in zip(differing.reply, scores[differing.index], strict=True):
        assert re.search(rf"\b{score:g}(?:/5| out of 5(?: for \w+)?)?\W*$", reply)


def test_a_talkative_judge_of_right_and_wrong(datasets: Path) -> None:
    frame = pd.read_csv(datasets / "qa-eval-nq301" / "vicuna_raw_replies.csv")
    scores = pd.Series([read("yes_no", reply, RIGHT).score for reply in frame.reply])
    read_wrongly = frame[scores.notna() & (scores != frame.parsed_verdict)]
    assert (len(frame), scores.notna().sum(), scores.isna().sum()) == (2107, 2100, 7)
    # The authors' own parser looked for its label only and took these for a no.
    assert len(read_wrongly) == 31 and (read_wrongly.parsed_verdict == 0).all()
    assert read_wrongly.reply.str.startswith("Yes, ").all()


def test_half_points_are_no_scores_of_a_scale_of_whole_points() -> None:
    assert (
        read("digit", "Well told. Score: 4.5/5", FIVE, explain=True).reason
        == "4.5 is not one of 1, 2, 3, 4, 5"
    )


@pytest.mark.parametrize("category", ["auto", "electronics", "garden"])
def test_means_of_ten_samples_in_the_elect_study(datasets: Path, category: str) -> None:
    path = datasets / "elect-rpqa" / f"llama3_{category}_Table2_10.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    strategies = [name for name in rows[0] if f"{name}_score" in rows[0]]
    assert len(strategies) == 4
    for row in rows:
        for name in strategies:
            readings = []
            for reply in ast.literal_eval(row[name]):
                stated = read("digit", reply, THREE)
                readings.append(
                    Reading({"s": stated.score} if stated.score is not None else {}, reason=stated.reason)
                )
            result = aggregate(readings)
            assert (result.used, result.dropped) == (10, 0)
            assert result.scores["s"] == pytest.approx(float(row[f"{name}_score"]), abs=0.001)
