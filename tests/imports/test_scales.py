"""Scales of new criteria: guessed, said, widened; and cells that mean that there is no score."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.errors import InvalidInput
from judgelab.imports.service import preview
from judgelab.imports.widening import widen_scale
from judgelab.scales import widened
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.projects.projects import find_project
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,system,response\n" + "".join(f"q{n},Why {n}?,a,So {n}\n" for n in range(6))


def ratings(*scores: object, rater: str = "r1", column: str = "rater") -> str:
    rows = "".join(f"q{n},a,{rater},{score}\n" for n, score in enumerate(scores))
    return f"item_id,system,{column},score\n{rows}"


def stored(store: Store) -> dict[str, list[float]]:
    with store.reading() as session:
        frame = score_frame(session, find_project(session, "p").id)
    return {str(rater): sorted(rows.score) for rater, rows in frame.groupby("rater")}


def scale(store: Store, key: str = "score") -> dict[str, Any]:
    with store.reading() as session:
        return dict(find_project(session, "p").criterion(key).scale)


def test_the_first_file_need_not_hold_the_ends(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    (notice,) = bring(ratings(4, 5, 4)).notices
    assert "its scale (ordinal, 1 to 5) was inferred from the scores in the file (4 to 5)" in notice
    assert "--scale score=LOW:HIGH" in notice
    bring(ratings(2, 3, 1, rater="r2"))
    assert bring(ratings(3, 2.5, rater="gpt-4", column="judge")).notices == ()
    assert stored(store) == {"r1": [4, 4, 5], "r2": [1, 2, 3], "gpt-4": [2.5, 3]}


def test_a_scale_that_is_said_is_not_guessed(bring: Bring, refused: Refused, store: Store) -> None:
    bring(TEXTS)
    (problem,) = refused(ratings(0, 1), scales={"Clarity": {"kind": "ordinal", "low": 0, "high": 3}})
    assert problem.message == "--scale clarity: there are no scores under this criterion"
    assert bring(ratings(0, 1), scales={"score": {"kind": "ordinal", "low": 0, "high": 3}}).notices == ()
    assert scale(store) == {"kind": "ordinal", "low": 0, "high": 3}
    with pytest.raises(InvalidInput, match="judgelab project criterion widen PROJECT score"):
        bring(ratings(0, 1), scales={"score": {"kind": "binary"}})


def test_widening_keeps_all_scores_and_reads_imported_judgments_again(
    bring: Bring, refused: Refused, store: Store
) -> None:
    bring(TEXTS)
    bring(ratings(0, 1, 1))
    (problem,) = refused(ratings(0, 3, rater="r2"))
    assert problem.message.endswith("widen it: judgelab project criterion widen PROJECT score")
    rows = ("q0,a,m,3,all of it", "q1,a,m,2,", "q2,a,m,7,", "q3,a,m,bad,", "q4,a,m,1,")
    judged = "\n".join(("item_id,system,judge,score,comment", *rows, ""))
    notices = bring(judged).notices
    assert any(
        notice.startswith("3 scores by judges are outside the scale of 'score' (2, 7)") for notice in notices
    )
    assert stored(store)["m"] == [1]
    widening = widen_scale(store, "p", "score", low=None, high=3)
    assert (widening.read, widening.runs) == (2, ())
    assert scale(store) == {"kind": "ordinal", "low": 0, "high": 3}
    assert stored(store) == {"r1": [0, 1, 1], "m": [1, 2, 3]}
    repeated = bring(judged)
    assert (repeated.judgments, stored(store)["m"]) == (0, [1, 2, 3])
    bring(ratings(0, 3, rater="r2"))
    assert widen_scale(store, "p", "score", low=-1, high=7).read == 1
    assert stored(store)["m"] == [1, 2, 3, 7]


@pytest.mark.parametrize(
    ("before", "low", "high", "after"),
    [
        ({"kind": "binary"}, None, 3, {"kind": "ordinal", "low": 0, "high": 3}),
        (
            {"kind": "binary", "no": "Off", "yes": "On"},
            None,
            2,
            {"labels": {"0": "Off", "1": "On"}, "high": 2},
        ),
        (
            {"kind": "ordinal", "low": 1, "high": 5, "labels": {"1": "Bad"}},
            0,
            None,
            {"low": 0, "labels": {"1": "Bad"}},
        ),
        ({"kind": "numeric", "low": 0.0, "high": 1.0}, None, 1.5, {"kind": "numeric", "high": 1.5}),
        (
            {"kind": "ordinal", "low": 1, "high": 5, "cannot_judge": True},
            None,
            7,
            {"cannot_judge": True, "high": 7},
        ),
        ({"kind": "binary", "no": "No", "yes": "Yes"}, 0, 1, {"kind": "binary", "no": "No", "yes": "Yes"}),
    ],
)
def test_a_wider_scale_keeps_what_the_narrow_one_had(
    before: dict[str, Any], low: float | None, high: float | None, after: dict[str, Any]
) -> None:
    scale_after = widened(before, low=low, high=high)
    assert {key: scale_after[key] for key in after} == after


@pytest.mark.parametrize(("low", "high"), [(2, None), (None, 4), (1.5, 7), (0, 5.5), (-20, 20)])
def test_a_scale_is_not_narrowed_nor_torn(low: float | None, high: float | None) -> None:
    with pytest.raises(InvalidInput):
        widened({"kind": "ordinal", "low": 1, "high": 5}, low=low, high=high)


def test_codes_among_the_scores_of_a_new_criterion_are_asked_about(
    bring: Bring, refused: Refused, store: Store
) -> None:
    bring(TEXTS)
    data = ratings(1, 5, -99, 99, "-99.0", 4)
    first, second = refused(data)
    assert first.message == (
        "-99 occurs 2 times, but the other scores of 'score' range from 1 to 5; if it means “no score”, add "
        "--missing -99; if it is a score, give the scale with --scale score=LOW:HIGH"
    )
    assert second.message.startswith("99 occurs 1 time")
    shown_preview = preview(store, "p", [("f.csv", data.encode())])
    assert (shown_preview.doubtful, shown_preview.criteria[0].scale["high"]) == (("-99", "99"), 5)
    report = bring(data, missing=["-99", "99"])
    assert "3 ratings have no score ('-99' 1 time, '99' 1 time, '-99.0' 1 time); left out" in report.notices
    assert (stored(store), scale(store)["low"]) == ({"r1": [1, 4, 5]}, 1)


@pytest.mark.parametrize("cell", ["-99", "9", "999", "n/a: problem is resolved", "great"])
def test_a_cell_off_a_known_scale_may_mean_that_there_is_no_score(
    bring: Bring, refused: Refused, store: Store, cell: str
) -> None:
    bring(TEXTS)
    bring(ratings(1, 5))
    (problem,) = refused(ratings(2, cell, rater="r2"))
    assert problem.message.endswith(f"; correct the score; if it means “no score”, add --missing '{cell}'")
    assert bring(ratings(2, cell, rater="r2"), missing=[cell.upper()]).ratings == 1
    report = bring(ratings(3, cell, rater="m", column="judge"), missing=[cell])
    assert (report.judgments, stored(store)["m"]) == (2, [3])


def test_a_code_is_no_choice_and_no_known_score(bring: Bring, store: Store) -> None:
    bring("item_id,question,system,response\nq1,Why?,a,So\nq1,Why?,b,No\nq2,Who?,a,I\n")
    report = bring("item_id,response_a,response_b,rater,choice\nq1,a,b,Ann,-99\n", missing=["-99"])
    assert (report.preferences, report.notices) == (0, ("1 row has no choice; left out",))
    bring("item_id,system,rater,score\nq1,a,r1,4\nq1,b,r1,2\n")
    report_of_known_scores = bring("item_id,system,gold[score]\nq1,a,-99\nq1,b,3\n", missing=["-99"])
    assert report_of_known_scores.known_scores == 1
