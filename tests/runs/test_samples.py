"""Several samples of a unit: in one call or one by one, counted, averaged, and completed after a stop."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, select, update

from judgelab.errors import BackendError
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.estimate import estimate
from judgelab.runs.execute.reparse import reparse
from judgelab.runs.execute.verdicts import make_verdict, replies_of
from judgelab.runs.plan.judge_config import load_judge_config
from judgelab.store.db.engine import Store
from judgelab.store.judging import reply_cache
from judgelab.store.judging.endpoints import find_endpoint
from judgelab.store.judging.judgments import units_of
from judgelab.store.models import Completion, Judgment, Verdict
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.judge_costs import judge_costs
from tests.runs.conftest import start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server


@pytest.mark.parametrize(("n", "calls"), [("yes", 1), ("no", 6), ("ignored", 5)])
def test_every_way_of_getting_five_samples(store: Store, server: Server, n: str, calls: int) -> None:
    server.habits.n = n
    run_id = start_run(store, server, 1, samples=5)
    judge(store, run_id)
    with store.reading() as session:
        completions = session.scalars(select(Completion).order_by(Completion.sample)).all()
        mean = session.scalar(select(Verdict.score))
        learnt = find_endpoint(session, "local").learnt
    assert [row.sample for row in completions] == [0, 1, 2, 3, 4]
    assert mean == pytest.approx(sum(float(row.text) for row in completions) / 5)
    assert server.calls == calls
    assert learnt == ({} if n == "yes" else {"tiny": {"single": True}})
    assert all(row.body and row.reading["scores"] for row in completions)


def test_tokens_and_calls_of_a_shared_call_are_counted_once(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 2, samples=4)
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.calls, status.completions, status.completion_tokens) == (2, 8, 8)


def test_a_thousand_judgments_of_several_samples_have_a_price(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 2, samples=4)
    endpoints.set_price(store, "local", "tiny", prompt=0.0, completion=1000.0)
    judge(store, run_id)
    with store.reading() as session:
        (cost,) = judge_costs(session, find_project(session, "flasks").id).values()
    assert (cost.units, cost.replies, cost.unpriced) == (2, 8, 0)
    assert cost.per_thousand == pytest.approx(4.0)  # four tokens each, a tenth of a cent a token


def test_the_next_estimate_takes_the_length_of_one_completion_not_of_a_whole_call(
    store: Store, server: Server
) -> None:
    judge(store, start_run(store, server, 2, samples=4))
    judge_spec = service.JudgeSpec("direct", "tiny", endpoint="local", samples=4)
    cost = estimate(store, "flasks", judge_spec, cache=False)
    assert (cost.completions, cost.measured) == (8, True)
    assert cost.completion_tokens == pytest.approx((8 * 0.8, 8 * 1.25))


def test_an_endpoint_that_counts_no_tokens_leaves_the_estimate_open(store: Store, server: Server) -> None:
    judge(store, start_run(store, server, 1, samples=2))
    with store.writing() as session:
        session.execute(update(Completion).values(completion_tokens=None))
    cost = estimate(store, "flasks", service.JudgeSpec("direct", "tiny", endpoint="local"))
    assert not cost.measured


def test_only_missing_samples_are_asked_for(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 1, samples=5)
    judge(store, run_id)
    with store.writing() as session:
        before = {row.sample: row.text for row in session.scalars(select(Completion))}
        session.execute(delete(Completion).where(Completion.sample.in_([1, 3])))
        reply_cache.clear(session)
        session.execute(delete(Verdict))
        session.get_one(Judgment, 1).state = "waiting"
    judge(store, run_id)
    assert server.bodies[-1]["n"] == 2
    with store.reading() as session:
        after = {row.sample: row.text for row in session.scalars(select(Completion))}
    assert {key: after[key] for key in (0, 2, 4)} == {key: before[key] for key in (0, 2, 4)}


def test_a_crash_between_reply_and_verdict_costs_no_call(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 3)
    judge(store, run_id)
    with store.writing() as session:
        session.execute(delete(Verdict))
        for row in session.scalars(select(Judgment)):
            row.state = "waiting"
    calls = server.calls
    judge(store, run_id)
    assert server.calls == calls
    assert service.run_status(store, run_id).scored == 3


def test_a_fixed_seed_moves_with_the_sample(store: Store, server: Server) -> None:
    server.habits.n = "ignored"
    run_id = start_run(store, server, 1, samples=3, parameters={"seed": 40})
    judge(store, run_id)
    assert sorted(body["seed"] for body in server.bodies) == [40, 41, 42]


def test_refused_parameters_are_dropped_remembered_and_not_recorded_as_sent(
    store: Store, server: Server
) -> None:
    server.habits.refuses = ["temperature", "max_completion_tokens"]
    run_id = start_run(store, server, 1, parameters={"temperature": 0.5, "max_tokens": 99})
    judge(store, run_id)
    with store.reading() as session:
        parameters = session.scalar(select(Completion.sent))
        learnt = find_endpoint(session, "local").learnt
    assert parameters == {"model": "tiny", "max_tokens": 99}
    assert learnt["tiny"] == {"dropped": ["temperature"], "renamed": {"max_completion_tokens": "max_tokens"}}
    calls = server.calls
    second_run = service.create_run(
        store,
        "flasks",
        service.JudgeSpec("direct", "tiny", endpoint="local", samples=1, parameters={"max_tokens": 9}),
    )
    judge(store, second_run)
    assert server.calls == calls + 1


def test_shares_of_votes_are_kept_with_the_verdict(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 1, samples=5)
    judge(store, run_id)
    with store.reading() as session:
        texts = session.scalars(select(Completion.text)).all()
        detail = session.scalars(select(Verdict.detail)).one()
    assert detail["votes"] == {text: texts.count(text) / 5 for text in sorted(set(texts))}
    assert (detail["read"], detail["replies"]) == (5, 5)


def test_a_tied_majority_is_unscored_whatever_came_first(store: Store, server: Server) -> None:
    server.habits.n = "ignored"
    server.habits.answers = ("1",)
    run_id = start_run(store, server, 1, samples=2, aggregation="majority")
    with store.reading() as session:
        judgment = session.scalars(select(Judgment.id)).one()
    with store.writing() as session:
        session.add(Completion(judgment_id=judgment, sample=0, text="3"))
    judge(store, run_id)
    with store.reading() as session:
        assert session.get_one(Judgment, judgment).reason == "no majority among 2 replies for helpfulness"
        assert session.scalars(select(Verdict)).all() == []


def test_the_expected_score_comes_from_the_alternatives_of_the_server(store: Store, server: Server) -> None:
    server.habits.answers = ("2",)
    server.habits.alternatives = {"2": 0.6, "1": 0.3, "maybe": 0.1}
    run_id = start_run(store, server, 1, options={"expected": "only"})
    judge(store, run_id)
    assert (server.bodies[-1]["logprobs"], server.bodies[-1]["top_logprobs"]) == (True, 20)
    with store.reading() as session:
        verdict = session.scalars(select(Verdict)).one()
    assert verdict.score == pytest.approx(5 / 3)
    assert verdict.detail["mass"] == pytest.approx(0.9)
    assert verdict.detail["weights"] == pytest.approx({"1": 0.3, "2": 0.6})
    reparse(store, run_id)
    with store.reading() as session:
        assert session.scalars(select(Verdict.score)).one() == pytest.approx(5 / 3)


def test_a_unit_whose_prompt_cannot_be_built_any_more_is_given_no_count_of_samples(
    store: Store, server: Server
) -> None:
    run_id = start_run(store, server, 1)
    judge(store, run_id)
    error = BackendError("no reply", cause="timeout", retryable=True)
    with store.reading() as session:
        judge_config = load_judge_config(session, run_id)
        (unit,) = units_of(session, [session.scalars(select(Judgment.id)).one()])
    verdict = make_verdict(judge_config, unit, judge_config.task(unit), [], replies_of(unit), error=error)
    assert (verdict.state, verdict.reason, verdict.cause) == ("scored", "no reply", "timeout")


def test_a_server_without_log_probabilities_leaves_no_expected_score(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 1, options={"expected": "only"})
    judge(store, run_id)
    with store.reading() as session:
        reason = session.scalars(select(Judgment.reason)).one()
    assert reason == "the endpoint returned no log-probabilities"
