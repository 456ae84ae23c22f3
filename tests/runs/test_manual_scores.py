"""Scores that a person enters, units that are asked anew, and what reading again leaves alone."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from judgelab.errors import InvalidInput, NotFound
from judgelab.runs import service
from judgelab.runs.execute import manual_scores as by_hand
from judgelab.runs.execute.reparse import reparse
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.judging import manual_scores
from judgelab.store.judging.runs import end_run, locked_run
from judgelab.store.models import Audit, CachedReply, Completion, FailedCall, Judgment, Verdict
from judgelab.store.people import people
from judgelab.store.projects.projects import find_project
from tests.runs.conftest import start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server

DULL = "It depends on the flask."


def unscored(store: Store, server: Server, units: int = 2, **changes: object) -> int:
    """Judge with a model that says nothing; return the run, which is done."""
    server.habits.answers = (DULL,)
    run_id = start_run(store, server, units, **changes)
    judge(store, run_id)
    with store.writing() as session:
        end_run(locked_run(session, run_id), "done")
    assert service.run_status(store, run_id).unscored == units
    return run_id


def test_a_score_entered_by_hand_counts_and_says_who_entered_it(any_store: Store, server: Server) -> None:
    run_id = unscored(any_store, server)
    with any_store.writing() as session:
        ann = people.find_or_create(session, "Ann")
    by_hand.enter_score(any_store, run_id, "r1", 2, person_id=ann, reason=" It says enough. ")
    status = service.run_status(any_store, run_id)
    assert (status.scored, status.unscored) == (1, 1)
    with any_store.reading() as session:
        verdict = session.scalars(select(Verdict)).one()
        project = find_project(session, "flasks").id
        assert (verdict.origin, verdict.person_id, verdict.rationale) == ("person", ann, "It says enough.")
        assert verdict.entered_at is not None
        assert list(score_frame(session, project, kinds=("judge",))["score"]) == [2.0]
        assert list(manual_scores.entered_by_judge(session, project).values()) == [1]
        line = session.scalars(select(Audit).where(Audit.action == "entered_score")).one()
        assert line.detail == {
            **{"run": run_id, "item": "q1", "response": "r1", "criterion": "helpfulness", "score": 2},
            "reason": "It says enough.",
        }
    by_hand.enter_score(any_store, run_id, "q1/r1", 3, person_id=ann)
    assert reparse(any_store, run_id).units == 1
    with any_store.reading() as session:
        assert session.scalars(select(Verdict.score)).all() == [3.0]


@pytest.mark.parametrize(
    ("response", "score", "criterion", "message"),
    [
        ("r0", 4, None, "4 is not one of 0, 1, 2, 3"),
        ("r0", 2.5, None, "2.5 is not one of 0, 1, 2, 3"),
        ("r9", 2, None, "did not judge a response 'r9'"),
        ("r0", 2, "style", "no criterion named 'style'"),
    ],
)
def test_what_cannot_be_entered_is_refused(
    store: Store, server: Server, response: str, score: float, criterion: str | None, message: str
) -> None:
    run_id = unscored(store, server, 1)
    with pytest.raises((InvalidInput, NotFound), match=message):
        by_hand.enter_score(store, run_id, response, score, criterion=criterion)
    assert service.run_status(store, run_id).scored == 0


def test_the_judges_own_scores_and_missing_replies_are_not_entered_by_hand(
    store: Store, server: Server
) -> None:
    run_id = start_run(store, server, 1)
    with pytest.raises(InvalidInput, match="not been sent to the model yet"):
        by_hand.enter_score(store, run_id, "r0", 2)
    judge(store, run_id)
    with pytest.raises(InvalidInput, match="judge's own score"):
        by_hand.enter_score(store, run_id, "r0", 2)


def test_asked_anew_the_old_reply_stays_as_a_failed_call_and_is_not_taken_from_the_cache(
    any_store: Store, server: Server
) -> None:
    run_id = unscored(any_store, server, samples=3)
    calls = server.calls
    server.habits.answers = ("2",)
    assert by_hand.ask_again(any_store, run_id, ["r0"]) == 1
    status = service.run_status(any_store, run_id)
    assert (status.state, status.wanted, status.waiting, status.unscored) == ("waiting", "run", 1, 1)
    judge(any_store, run_id)
    assert server.calls == calls + 1
    status = service.run_status(any_store, run_id)
    assert (status.scored, status.unscored, status.calls, status.completions) == (1, 1, 3, 6)
    with any_store.reading() as session:
        failed = session.scalars(select(FailedCall)).one()
        assert failed.cause == "unread" and DULL in failed.body and failed.completion_tokens == 3
        texts = session.scalars(select(Completion.text).order_by(Completion.judgment_id)).all()
        cached = session.scalars(select(CachedReply.reply)).all()
    assert sorted(texts) == ["2"] * 3 + [DULL] * 3
    assert sorted(reply["text"] for reply in cached) == ["2"] * 3 + [DULL] * 3


def test_only_replies_without_a_score_are_asked_for_again(store: Store, server: Server) -> None:
    run_id = unscored(store, server, 1, samples=2)
    with store.writing() as session:
        completion = session.scalars(select(Completion).where(Completion.sample == 0)).one()
        completion.text, completion.reading = "3", {"scores": {"helpfulness": 3.0}}
    server.habits.answers = ("1",)
    by_hand.ask_again(store, run_id)
    judge(store, run_id)
    assert "n" not in server.bodies[-1]
    with store.reading() as session:
        assert session.scalars(select(Verdict.score)).all() == [2.0]


def test_a_run_that_was_paused_keeps_resting_and_a_cancelled_one_is_refused(
    store: Store, server: Server
) -> None:
    run_id = unscored(store, server, 1)
    with store.writing() as session:
        end_run(locked_run(session, run_id), "paused")
    by_hand.ask_again(store, run_id)
    assert service.run_status(store, run_id).state == "paused"
    with pytest.raises(InvalidInput, match="no unscored judgments to make again"):
        by_hand.ask_again(store, run_id)
    service.cancel(store, run_id)
    with pytest.raises(InvalidInput, match="was cancelled"):
        by_hand.ask_again(store, run_id)


def test_a_score_entered_by_hand_can_be_undone_by_asking_anew(store: Store, server: Server) -> None:
    run_id = unscored(store, server, 1)
    by_hand.enter_score(store, run_id, "r0", 1)
    assert by_hand.ask_again(store, run_id, ["r0"]) == 1
    with store.reading() as session:
        assert session.scalars(select(Verdict)).all() == []
        assert session.scalars(select(Judgment.state)).all() == ["waiting"]
