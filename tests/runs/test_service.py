"""Creating runs: what is taken, what is refused with a sentence, what is estimated."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound, NotServed, UserError
from judgelab.runs.endpoints import probe, service
from judgelab.runs.estimate import describe_estimate, estimate
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.plan.worker_kinds import NO_WORKER
from judgelab.runs.service import create_run, list_runs, preview_calls, resume, run_status
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.judging import runs
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.runs import find_run
from judgelab.store.models import Judgment, ReferenceRow, ResponseRow, Run
from judgelab.store.models.base import now
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import add_criteria
from tests.runs.judging import judge
from tests.runs.projects import flasks, rate

RULE = JudgeSpec("direct", "rule", backend="scripted", samples=1)


def _judges(store: Store, slug: str) -> list[str]:
    with store.reading() as session:
        return [judge.name for judge in list_judges(session, find_project(session, slug).id)]


def test_a_run_holds_one_waiting_unit_per_response_and_criterion(store: Store) -> None:
    slug = flasks(store, 3, criteria=("clarity", "truth"))
    status = run_status(store, create_run(store, slug, RULE))
    assert (status.units, status.waiting, status.state) == (6, 6, "waiting")
    narrow = run_status(store, create_run(store, slug, RULE, Selection(criteria=("truth",), limit=2)))
    assert narrow.units == 2


def test_a_scripted_judge_is_labelled_and_scores_on_the_scale(store: Store) -> None:
    slug = flasks(store, 12, scale={"kind": "ordinal", "low": 1, "high": 5})
    run_id = create_run(store, slug, RULE)
    judge(store, run_id)
    status = run_status(store, run_id)
    assert (status.scored, status.origin, status.judge) == (12, "scripted", "direct rule")
    with store.reading() as session:
        scores = score_frame(session, find_project(session, slug).id, kinds=("judge",))["score"]
    assert scores.between(1, 5).all()
    assert scores.nunique() > 1


def test_a_script_answers_by_what_it_finds_in_the_prompt(store: Store, tmp_path: Path) -> None:
    script = tmp_path / "strict.json"
    script.write_text('{"flask 0 ": ["3", "1"], "*": ["0"]}')
    slug = flasks(store, 2)
    run_id = create_run(store, slug, JudgeSpec("direct", str(script), backend="scripted", samples=2))
    judge(store, run_id)
    with store.reading() as session:
        scores = score_frame(session, find_project(session, slug).id, kinds=("judge",))
    assert list(scores.sort_values("item")["score"]) == [2.0, 0.0]
    assert _judges(store, slug) == ["direct strict"]


def test_the_same_judge_is_stored_once_and_another_one_gets_its_own_name(store: Store) -> None:
    slug = flasks(store, 1)
    for changes in ({}, {}, {"samples": 2}):
        create_run(store, slug, JudgeSpec(**{**vars(RULE), **changes}))
    assert _judges(store, slug) == ["direct rule", "direct rule 2"]
    create_run(store, slug, JudgeSpec(**{**vars(RULE), "name": "strict"}))
    with pytest.raises(InvalidInput, match="choose another --name"):
        create_run(store, slug, JudgeSpec(**{**vars(RULE), "name": "strict", "samples": 3}))


@pytest.mark.parametrize(
    ("name", "rater"),
    [("length", "a metric"), ("Learned", "the learned judge"), ("ann", "a rater of this project")],
)
def test_a_judge_has_no_name_of_another_rater(store: Store, name: str, rater: str) -> None:
    slug = flasks(store, 1)
    rate(store, slug, {1: 2.0})  # by Ann
    with pytest.raises(InvalidInput, match=f"'{name}' is already the name of .*{rater}"):
        create_run(store, slug, replace(RULE, name=name))
    assert _judges(store, slug) == []


def test_examples_come_from_rated_responses_which_are_then_not_judged(store: Store) -> None:
    slug = flasks(store, 6, scale={"kind": "ordinal", "low": 1, "high": 5})
    one_shot = JudgeSpec("one_shot", "rule", backend="scripted", samples=1, options={"shots": 2})
    with pytest.raises(InvalidInput, match="rated examples"):
        create_run(store, slug, one_shot)
    rate(store, slug, {2: 5.0, 4: 1.0, 5: 3.0})
    run_id = create_run(store, slug, one_shot)
    with store.reading() as session:
        selection = find_run(session, run_id).selection
    assert selection["excluded"] == [2, 4]
    assert run_status(store, run_id).units == 4
    judge(store, run_id)
    assert run_status(store, run_id).scored == 4
    prompt = preview_calls(store, slug, one_shot, 1)[0].messages[0].content
    assert "Flask 1 does not leak." in prompt
    assert "Flask 3 does not leak." in prompt


def _mixed(store: Store) -> str:
    """Store a project with a criterion that the ready-made examples suit, and one that they do not."""
    slug = flasks(store, 6)
    with store.writing() as session:
        scale = {"kind": "ordinal", "low": 1, "high": 5}
        add_criteria(session, find_project(session, slug).id, [Criterion("style", "Good style", scale)])
    return slug


def test_a_protocol_that_cannot_serve_a_criterion_is_refused_before_a_run_exists(store: Store) -> None:
    slug = _mixed(store)
    rate(store, slug, {1: 5.0, 2: 2.0}, criterion="style")
    elect = JudgeSpec("elect", "rule", backend="scripted", samples=1)
    for action in (create_run, estimate, lambda *arguments: preview_calls(*arguments, 3)):
        with pytest.raises(NotServed) as caught:
            action(store, slug, elect)
        message = str(caught.value)
        assert message.startswith("ELECT cannot judge 'Good style': it needs rated examples with worked")
        alternatives = "Direct (direct), G-Eval (geval) or One-shot direct (one_shot)"
        assert message.endswith(f"choose {alternatives}, or judge only 'Helpfulness'.")
    assert list_runs(store, slug) == []
    assert (
        "<reasoning>" in preview_calls(store, slug, elect, 3, criterion="helpfulness")[0].messages[0].content
    )
    run_id = create_run(store, slug, elect, Selection(criteria=("helpfulness",)))
    judge(store, run_id)
    assert run_status(store, run_id).scored == 6
    three = replace(elect, protocol="one_shot", options={"shots": 3})
    with pytest.raises(
        NotServed, match="needs 3 rated examples, and this project has only 2 that can be shown"
    ):
        create_run(store, slug, three)


def test_a_judge_by_texts_that_no_item_has_is_refused_before_any_call(store: Store) -> None:
    slug = flasks(store, 3, scale={"kind": "binary"})
    gold = JudgeSpec("qa_eval", "rule", backend="scripted")
    for action in (create_run, estimate, lambda *arguments: preview_calls(*arguments, 1)):
        with pytest.raises(NotServed) as caught:
            action(store, slug, gold)
        message = str(caught.value)
        assert message.startswith("QA-eval needs reference answers, but no selected item has one")
        assert message.endswith("or choose Direct (direct) or G-Eval (geval).")
    for text in ("references", "context"):
        judge_spec = replace(RULE, options={f"show_{text}": "true"})
        with pytest.raises(NotServed, match=f"no selected item .*, or choose show_{text}=false"):
            create_run(store, slug, judge_spec)
    assert list_runs(store, slug) == []
    with store.writing() as session:
        session.add(ReferenceRow(item_id=2, position=0, text="It leaks."))
    run_id = create_run(store, slug, gold)
    judge(store, run_id)
    status = run_status(store, run_id)
    assert (status.scored, status.failed) == (1, 2), "two items have nothing to compare with"
    create_run(store, slug, replace(RULE, options={"show_references": "true"}))


def test_a_grammar_that_one_of_the_scales_cannot_have_is_refused_too(store: Store) -> None:
    slug = flasks(store, 2, scale={"kind": "binary"})
    with store.writing() as session:
        scale = {"kind": "numeric", "low": 0, "high": 100}
        add_criteria(session, find_project(session, slug).id, [Criterion("worth", "Worth", scale)])
    with pytest.raises(NotServed, match="cannot judge 'Worth': .*'abc'.*; choose grammar=digit, or judge"):
        create_run(store, slug, replace(RULE, options={"grammar": "abc"}))
    assert list_runs(store, slug) == []


def test_a_twin_of_an_example_is_not_judged_for_the_prompt_would_tell_its_score(store: Store) -> None:
    slug = flasks(store, 4, scale={"kind": "ordinal", "low": 1, "high": 5})
    with store.writing() as session:
        twin = session.get_one(ResponseRow, 2)
        session.add(
            ResponseRow(
                project_id=twin.project_id,
                item_id=twin.item_id,
                external_id="twin",
                system="other",
                text=twin.text,
            )
        )
    rate(store, slug, {2: 5.0})
    one_shot = JudgeSpec("one_shot", "rule", backend="scripted", samples=1)
    run_id = create_run(store, slug, one_shot)
    judge(store, run_id)
    status = run_status(store, run_id)
    assert (status.units, status.scored, status.failed) == (3, 3, 0)
    with pytest.raises(InvalidInput, match="choose another response"):
        preview_calls(store, slug, one_shot, 5)


def test_chosen_examples_must_be_rated(store: Store) -> None:
    slug = flasks(store, 4)
    rate(store, slug, {1: 3.0})
    chosen = JudgeSpec("one_shot", "rule", backend="scripted", demonstrations=(1,))
    assert run_status(store, create_run(store, slug, chosen)).units == 3
    with pytest.raises(InvalidInput, match="no rating"):
        create_run(store, slug, JudgeSpec("one_shot", "rule", backend="scripted", demonstrations=(2,)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"protocol": "dircet"}, "Did you mean 'direct'"),
        ({"backend": "openai_api"}, "needs an endpoint"),
        ({"backend": "openai_api", "endpoint": "nowhere"}, "no endpoint named 'nowhere'"),
        ({"model": " "}, "needs a model"),
        ({"model": "missing.json"}, "can't read the script"),
        ({"samples": 0}, "0 is not allowed; enter 1 to 100"),
        ({"aggregation": "mode"}, "no aggregation named 'mode'"),
        ({"parameters": {"temperature": 3.0}}, "3 is not allowed; enter 0 to 2"),
        ({"options": {"grammer": "digit"}}, "no option named 'grammer'"),
    ],
)
def test_what_cannot_be_taken_is_refused_before_anything_is_stored(
    store: Store, changes: dict[str, object], message: str
) -> None:
    slug = flasks(store, 1)
    with pytest.raises(UserError, match=message):
        create_run(store, slug, JudgeSpec(**{**vars(RULE), **changes}))  # type: ignore[arg-type]
    assert list_runs(store, slug) == []


def test_an_empty_selection_and_unknown_names_are_refused(store: Store) -> None:
    slug = flasks(store, 1)
    with pytest.raises(InvalidInput, match="has no responses"):
        create_run(store, slug, RULE, Selection(systems=("nobody",)))
    with pytest.raises(NotFound, match="criterion"):
        create_run(store, slug, RULE, Selection(criteria=("beauty",)))
    with pytest.raises(NotFound, match="project"):
        create_run(store, "soup", RULE)
    with pytest.raises(InvalidInput, match="needs a price"):
        create_run(store, slug, RULE, budget=1.0)


def test_an_estimate_names_calls_tokens_money_and_time(store: Store) -> None:
    slug = flasks(store, 100)
    service.add_endpoint(store, "local", base_url="http://127.0.0.1:9/v1", rpm=60)
    spec = JudgeSpec("direct", "m", endpoint="local", samples=5, parameters={"max_tokens": 20})
    unknown = estimate(store, slug, spec)
    assert (unknown.units, unknown.calls, unknown.cost) == (100, (100, 500), None)
    assert unknown.completion_tokens.high == 10_000
    assert unknown.seconds.low == 100.0
    service.set_price(store, "local", "*", prompt=1.0, completion=2.0)
    estimated = estimate(store, slug, spec)
    assert estimated.cost is not None
    assert estimated.cost.high == pytest.approx((estimated.prompt_tokens.high + 2 * 10_000) / 1e6)
    assert dict(describe_estimate(estimated))["Calls"] == "100 to 500"
    assert list_runs(store, slug) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"base_url": "localhost:8000"}, "is not a valid address"),
        ({"base_url": "http://localhost:80000/v1"}, "the port in .http://localhost:80000/v1. is invalid"),
        ({"base_url": "http://localhost:port/v1"}, "the port in"),
        ({"base_url": "http://localhost:0/v1"}, "the port in"),
        ({"base_url": "http://[::1/v1"}, "is not a valid address"),
        ({"base_url": "http://user:secret@host/v1"}, "leave the key out"),
        ({"base_url": "http://user:secret@host:80000/v1"}, "leave the key out"),
        ({"base_url": "user:secret@host/v1"}, "leave the key out"),
        ({"base_url": "https://user:secret@host//v1"}, "leave the key out"),
        ({"base_url": "http://user:se/cret@host/v1"}, "leave the key out"),
        ({"base_url": "http:/user:secret@host/v1"}, "leave the key out"),
        ({"base_url": "http://host:99999/v1?key=secret"}, r"remove \? or # and everything after it"),
        ({"base_url": "http://host:port/v1#secret"}, r"remove \? or # and everything after it"),
        ({"base_url": "host/v1?key=secret"}, r"remove \? or # and everything after it"),
        ({"api_key_env": "sk-abc"}, "name of an environment variable"),
        ({"concurrency": 0}, "0 is not allowed; enter 1 to 1000"),
        ({"rpm": 0}, "0 is not allowed; enter at least 1"),
    ],
)
def test_endpoints_are_checked(store: Store, values: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"base_url": "http://127.0.0.1:9/v1/"}
    with pytest.raises(InvalidInput, match=message) as caught:
        service.add_endpoint(store, "e", **{**good, **values})  # type: ignore[arg-type]
    assert "sk-abc" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_at_sign_in_the_path_of_an_address_is_no_key(store: Store) -> None:
    service.add_endpoint(store, "e", base_url="http://host/a//b@c/v1")
    service.add_endpoint(store, "six", base_url="http://[::1]:8000/v1")


def test_an_endpoint_that_is_down_or_lacks_its_key_is_explained(store: Store) -> None:
    service.add_endpoint(store, "down", base_url="http://127.0.0.1:9/v1")
    service.add_endpoint(store, "closed", base_url="http://127.0.0.1:9/v1", api_key_env="NO_SUCH_KEY")
    assert "cannot be reached" in probe.probe_endpoint(store, "down").sentence
    assert "NO_SUCH_KEY" in probe.probe_endpoint(store, "closed").sentence
    with pytest.raises(InvalidInput, match="already"):
        service.add_endpoint(store, "down", base_url="http://127.0.0.1:9/v1")
    assert [e.name for e in service.list_endpoints(store)] == ["closed", "down"]
    assert NO_WORKER


def test_the_pace_of_a_run_that_has_just_begun_is_not_that_of_half_a_minute(store: Store) -> None:
    slug = flasks(store, 12)
    run_id = create_run(store, slug, RULE)
    with store.writing() as session:
        session.query(Run).filter_by(id=run_id).update({"started_at": now() - timedelta(seconds=4)})
        session.query(Judgment).filter_by(run_id=run_id).update({"judged_at": now(), "state": "scored"})
    # A busy machine may let more seconds pass, so the time that the status itself tells is taken.
    status = run_status(store, run_id)
    assert status.rate == pytest.approx(12 / min(status.seconds, 30))
    with store.writing() as session:
        session.query(Run).filter_by(id=run_id).update({"started_at": now() - timedelta(seconds=400)})
    assert run_status(store, run_id).rate == 12 / 30


def test_the_time_of_a_run_is_without_its_rests(store: Store) -> None:
    run_id = create_run(store, flasks(store, 4), RULE)
    with store.writing() as session:
        assert runs.start_attempt(session, run_id, 1)
        run = runs.locked_run(session, run_id)
        run.wanted = "pause"
        runs.end_run(run, "paused")
        assert run.finished_at is not None
        run.started_at, run.finished_at = (run.finished_at - timedelta(seconds=ago) for ago in (100, 60))
    assert run_status(store, run_id).seconds == pytest.approx(40, abs=0.01)
    resume(store, run_id)
    with store.writing() as session:
        assert runs.start_attempt(session, run_id, 2)
    status = run_status(store, run_id)
    assert 40 <= status.seconds < 60 and status.going < 20
