"""Units of several calls, and items judged as a whole: asked, stored, cached, resumed, mended, exported."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.errors import InvalidInput
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.estimate import estimate
from judgelab.runs.execute import manual_scores, provenance
from judgelab.runs.execute.reparse import reparse
from judgelab.runs.plan.spec import Selection
from judgelab.store.db.engine import Store
from judgelab.store.frames.details import response_detail
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.judging.judgments import waiting_units
from judgelab.store.judging.pair_reasons import search_pair_reasons
from judgelab.store.judging.runs import end_run, locked_run
from judgelab.store.models import Completion, Judgment, MetricScore, Verdict
from judgelab.store.projects.projects import find_project
from tests.runs import contests
from tests.runs.conftest import Workers, rests, spec, start_run, wait_until
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks, rate


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two more protocols, gone with the test: pages list whatever is registered."""
    protocols.names()
    for protocol in (contests.TwoCalls(), contests.Best()):
        monkeypatch.setitem(protocols._implementations, protocol.name, protocol)


def two_calls(store: Store, server: Server, units: int, **changes: object) -> int:
    return start_run(store, server, units, protocol="test_two_calls", **changes)


def best(store: Store, server: Server, **changes: object) -> int:
    slug = contests.contest(store)
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    return service.create_run(store, slug, spec(protocol="test_best", **changes))


def done(store: Store, run_id: int) -> None:
    with store.writing() as session:
        end_run(locked_run(session, run_id), "done")


def test_every_sample_asks_all_calls_and_each_reply_keeps_its_prompt(
    any_store: Store, server: Server
) -> None:
    run_id = two_calls(any_store, server, 3, samples=2)
    judge(any_store, run_id)
    status = service.run_status(any_store, run_id)
    assert (status.scored, status.completions, status.calls) == (3, 12, 6)  # two replies to one prompt a call
    with any_store.reading() as session:
        rows = session.scalars(select(Completion).order_by(Completion.judgment_id, Completion.sample)).all()
        assert [row.sample for row in rows] == [0, 1, 2, 3] * 3
        assert [row.call_key for row in rows[:4]] == ["plain", "swapped"] * 2
        assert [row.call_data for row in rows[:2]] == [{"place": 0}, {"place": 1}]
        assert len({row.prompt_hash for row in rows}) == 6
        lowest = [min(int(row.text) for row in rows if row.judgment_id == n) for n in (1, 2, 3)]
        verdicts = session.scalars(select(Verdict).order_by(Verdict.judgment_id)).all()
        assert [verdict.score for verdict in verdicts] == lowest
        assert verdicts[0].detail["calls"] == 4
    calls = server.calls
    assert reparse(any_store, run_id) == (3, 3, 3)
    assert estimate(any_store, "flasks", spec(protocol="test_two_calls", samples=2)).cached == 12
    cached_run = service.create_run(any_store, "flasks", spec(protocol="test_two_calls", samples=2))
    judge(any_store, cached_run)
    assert (server.calls, service.run_status(any_store, cached_run).cached) == (calls, 12)


def test_calls_count_in_the_estimate(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url)
    flasks(store, 4)
    estimated = estimate(store, "flasks", spec(protocol="test_two_calls", samples=3))
    assert (estimated.units, estimated.calls, estimated.completions) == (4, (8, 24), 24)
    contests.contest(store, items=2, systems=4)
    pairs = estimate(store, "contest", spec(protocol="pairwise"))
    assert (pairs.units, pairs.completions) == (2, 2 * 4 * 3)


def test_a_call_that_says_nothing_is_asked_anew_alone(store: Store, server: Server) -> None:
    server.habits.answers = ("2", "well")
    run_id = two_calls(store, server, 6)
    judge(store, run_id)
    done(store, run_id)
    before = service.run_status(store, run_id)
    assert before.unscored
    with store.reading() as session:
        silent = session.scalar(select(func.count()).where(Completion.text == "well")) or 0
    server.habits.answers = ("3",)
    calls = server.calls
    assert manual_scores.ask_again(store, run_id) == before.unscored
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (server.calls - calls, status.unscored, status.scored) == (silent, 0, 6)


def test_a_failed_call_leaves_the_other_and_is_retried(store: Store, server: Server) -> None:
    server.habits.fault_rate, server.habits.faults = 0.4, ("final",)
    run_id = two_calls(store, server, 8)
    judge(store, run_id)
    done(store, run_id)
    with store.reading() as session:
        lacking = session.scalar(select(func.count()).where(Completion.cause != "")) or 0
    assert lacking
    server.habits.fault_rate, calls = 0.0, server.calls
    assert service.retry_failed(store, run_id)
    judge(store, run_id)
    assert (server.calls - calls, service.run_status(store, run_id).scored) == (lacking, 8)


def test_a_killed_worker_loses_no_call(store: Store, server: Server, workers: Workers) -> None:
    server.habits.latency, server.habits.answers = 0.02, ("[[A]]", "[[B]]")
    slug = contests.contest(store, items=20, systems=3)
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=4)
    run_id = service.create_run(store, slug, spec(protocol="pairwise"))
    first = workers.start()
    wait_until(store, run_id, lambda status: status.completions > 10)
    workers.kill(first)
    workers.start()
    status = wait_until(store, run_id, rests)
    assert (status.scored, status.completions) == (20, 120)
    assert server.calls <= 120 + 8  # those under way and one commit of them
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Verdict)) == 60


def test_an_item_gives_every_response_a_verdict_and_a_row(any_store: Store, server: Server) -> None:
    server.habits.answers = ("1",)
    run_id = best(any_store, server)
    judge(any_store, run_id)
    status = service.run_status(any_store, run_id)
    assert (status.units, status.scored, status.calls) == (2, 2, 2)
    with any_store.reading() as session:
        project = find_project(session, "contest")
        first = session.scalars(select(Judgment).order_by(Judgment.id)).first()
        assert first is not None and first.response_id == first.members[0] and len(first.members) == 3
        frame = score_frame(session, project.id, kinds=("judge",))
        assert dict(zip(frame["response"], frame["score"], strict=True)) == {
            member: 10.0 * (index in (2, 3)) for index, member in enumerate(range(1, 7))
        }
        second = response_detail(session, project.id, first.members[1]).judgments
        assert [(judgment.score, judgment.criterion, judgment.state) for judgment in second] == [
            (10.0, "helpfulness", "scored")
        ]
    (record,) = provenance.judgments(any_store, run_id, "q0-s2")
    assert [verdict.score for verdict in record.verdicts] == [0, 10, 0]
    rate(any_store, "contest", {member: float(member % 3) for member in range(1, 7)})
    rows = {
        row.coefficient: row.estimate
        for row in agreement_table(
            any_store, "contest", level="none", coefficients=("spearman", "qwk", "mae"), resamples=0
        ).rows
        if row.rater_kind == "judge"
    }
    assert rows["spearman"].value is not None
    assert rows["qwk"].value is None and "wins, ranks or votes" in str(rows["mae"].reason)


def test_an_unread_item_is_scored_by_hand_response_by_response(store: Store, server: Server) -> None:
    server.habits.answers = ("none of them",)
    run_id = best(store, server)
    judge(store, run_id)
    done(store, run_id)
    assert service.run_status(store, run_id).unscored == 2
    for system, score in (("s0", 0), ("s1", 7)):
        manual_scores.enter_score(store, run_id, f"q0-{system}", score)
        assert service.run_status(store, run_id).unscored == 2
    manual_scores.enter_score(store, run_id, "q0/q0-s2", 0)
    status = service.run_status(store, run_id)
    assert (status.scored, manual_scores.count_manual_scores(store, run_id)) == (1, 3)


def test_a_new_system_asks_only_for_what_is_new(store: Store, server: Server) -> None:
    server.habits.answers = ("[[A]]",)
    slug = contests.contest(store, systems=3)
    endpoints.add_endpoint(store, "local", base_url=server.url)
    judge(store, service.create_run(store, slug, spec(protocol="pairwise", samples=2)))
    contests.enter(store, "new")
    calls = server.calls
    run_id = service.create_run(store, slug, spec(protocol="pairwise", samples=2))
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert server.calls - calls == 2 * 6  # three opponents in both orders, both replies in one call
    assert (status.completions, status.cached, status.scored) == (48, 24, 2)


def test_items_are_limited_whole_and_a_single_response_is_no_contest(store: Store, server: Server) -> None:
    contests.contest(store, items=3, systems=2)
    endpoints.add_endpoint(store, "local", base_url=server.url)
    run_id = service.create_run(store, "contest", spec(protocol="pairwise"), Selection(limit=2))
    with store.reading() as session:
        units = waiting_units(session, run_id, low=0, high=10)
        assert [[contender.system for contender in unit.contenders] for unit in units] == [["s0", "s1"]] * 2
    with pytest.raises(InvalidInput, match="no selected item has two"):
        service.create_run(store, "contest", spec(protocol="pairwise"), Selection(systems=("s0",)))


def test_a_contest_survives_an_export_and_is_read_again_there(
    store: Store, server: Server, tmp_path: Path
) -> None:
    server.habits.answers = ("[[A]]", "Better said. [[B]]", "[[C]]", "neither")
    endpoints.add_endpoint(store, "local", base_url=server.url)
    run_id = service.create_run(store, contests.contest(store, systems=4), spec(protocol="pairwise"))
    judge(store, run_id)
    assert service.run_status(store, run_id).scored == 2
    export_project(store, "contest", tmp_path / "out")
    # Before it, so that no row of the copy has the id that it had.
    flasks(store, 5)
    import_files(store, "copy", collect_files([tmp_path / "out"]))
    (copy,) = service.list_runs(store, "copy")
    assert reparse(store, copy.run) == (2, 2, 2)
    with store.reading() as session:
        ids = [find_project(session, slug).id for slug in ("contest", "copy")]
        original_scores, copied_scores = (
            score_frame(session, project).sort_values(["item", "system"]) for project in ids
        )
        assert list(original_scores["score"]) == list(copied_scores["score"]) and len(original_scores) == 8
        assert set(original_scores["response"]).isdisjoint(copied_scores["response"])
        chosen = [preference_frame(session, project) for project in ids]
        columns = ["item", "criterion", "rater", "choice", "sample", "order"]
        assert chosen[0][columns].equals(chosen[1][columns]) and len(chosen[0]) > 10
        reasons = search_pair_reasons(session, ids[0], "SAID better")
        assert {reason.kind for reason in reasons} == {"judge"} and "" not in {r.chosen for r in reasons}
        members = session.scalars(select(Judgment.members).where(Judgment.run_id == copy.run)).all()
        assert {member for judgment_members in members for member in judgment_members} == set(
            copied_scores["response"]
        )


def test_a_judge_is_told_what_others_said_or_no_run_starts(store: Store, server: Server) -> None:
    server.habits.answers = ("2",)
    first = start_run(store, server, 3, name="earlier")
    judge(store, first)
    judge_spec = spec(protocol="meta", options={"evidence": "earlier"})
    with pytest.raises(InvalidInput, match="no finished judge run is named 'earlier'"):
        service.create_run(store, "flasks", judge_spec)
    done(store, first)
    server.habits.answers = ('{"helpfulness": {"score": 1}}',)
    run_id = service.create_run(store, "flasks", judge_spec)
    judge(store, run_id)
    assert service.run_status(store, run_id).scored == 3
    assert "earlier" in str(server.bodies[-1]["messages"])


def test_a_response_that_nobody_scored_before_is_left_out_by_name_and_asked_again_later(
    store: Store, server: Server
) -> None:
    server.habits.answers = ("2",)
    first = start_run(store, server, 3, name="earlier")
    judge(store, first)
    done(store, first)
    with store.writing() as session:
        (verdict,) = session.scalars(select(Verdict).where(Verdict.response_id == 1)).all()
        states = {
            name: getattr(verdict, name) for name in ("judgment_id", "response_id", "criterion_id", "score")
        }
        session.delete(verdict)
    server.habits.answers = ('{"helpfulness": {"score": 1}}',)
    calls_before = server.calls
    run_id = service.create_run(store, "flasks", spec(protocol="meta", options={"evidence": "earlier"}))
    assert judge(store, run_id) == "done"
    status = service.run_status(store, run_id)
    assert (status.scored, status.unscored, status.failed, server.calls - calls_before) == (2, 0, 1, 2)
    with store.reading() as session:
        (failed_judgment,) = session.scalars(
            select(Judgment).where(Judgment.run_id == run_id, Judgment.state == "failed")
        )
        assert (failed_judgment.response_id, failed_judgment.cause) == (1, "score_missing")
        assert failed_judgment.reason.startswith("the score from 'earlier' is missing for response ")
    with store.writing() as session:
        session.add(Verdict(**states))
    service.retry_failed(store, run_id)
    judge(store, run_id)
    assert service.run_status(store, run_id).scored == 3
    with store.writing() as session:
        session.execute(delete(Verdict).where(Verdict.judgment_id.in_(_judgments(session, first))))
    with pytest.raises(InvalidInput, match="no selected response has a score from 'earlier'"):
        service.create_run(store, "flasks", spec(protocol="meta", options={"evidence": "earlier"}))


def test_a_metric_without_a_number_for_a_response_is_named_with_its_reason(
    store: Store, server: Server
) -> None:
    first = start_run(store, server, 3, name="earlier")
    with store.writing() as session:
        project = find_project(session, "flasks").id
        numbers = [(1, None, "too short"), (2, 7.5, ""), (3, 8.0, "")]
        session.add_all(
            MetricScore(project_id=project, response_id=response, metric="smog", score=score, reason=why)
            for response, score, why in numbers
        )
    service.cancel(store, first)
    server.habits.answers = ('{"helpfulness": {"score": 1}}',)
    run_id = service.create_run(store, "flasks", spec(protocol="meta", options={"evidence": "smog"}))
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.scored, status.failed, dict(status.failures)) == (2, 1, {"score_missing": 1})
    with store.reading() as session:
        failed_judgment = session.scalars(select(Judgment).where(Judgment.cause == "score_missing")).one()
    assert failed_judgment.reason.startswith("the metric 'smog' has no value for response '")
    assert "(too short)" in failed_judgment.reason


def _judgments(session: Session, run_id: int) -> list[int]:
    return list(session.scalars(select(Judgment.id).where(Judgment.run_id == run_id)))
