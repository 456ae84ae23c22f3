"""BioASQ's and QA-eval's judges from a stored project to stored verdicts, against a server of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from judgelab.errors import UserError
from judgelab.runs import service, template_editing
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.estimate import estimate
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.plan.spec import Selection
from judgelab.runs.worker.run_lifecycle import begin, end_round
from judgelab.store.db.engine import Store
from judgelab.store.frames.sample_frames import sample_frame
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import (
    Completion,
    ItemRow,
    Person,
    Project,
    Rating,
    ReferenceRow,
    ResponseRow,
    Verdict,
)
from judgelab.store.projects.projects import create_project
from judgelab.store.rating.criteria import criterion_ids
from judgelab.studies.base import studies
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_server import Server

ORDER = ("readability", "recall", "precision", "repetition")
SCORES = (
    '{"readability": {"score": 4}, "recall": {"score": %d}, "precision": {"score": 5}, '
    '"repetition": {"score": 3}}'
)


def project_of(store: Store, study: str, items: int = 10, systems: Sequence[str] = ("s0", "s1")) -> str:
    """Store questions in two batches, two answers each; all of them are rated by one person."""
    template = studies.get(study)
    with store.writing() as session:
        created = create_project(
            session, name="P", study=study, task=template.task, criteria=template.criteria
        )
        ids = criterion_ids(session, created.id)
        ann = Person(name="Ann")
        session.add(ann)
        for n in range(items):
            item = ItemRow(
                project_id=created.id, external_id=f"q{n}", question=f"Why {n}?", group=f"batch {n % 2}"
            )
            session.add(item)
            session.flush()
            session.add(ReferenceRow(item_id=item.id, position=0, text=f"Because of {n}."))
            for k, system in enumerate(systems):
                response = ResponseRow(
                    project_id=created.id, item_id=item.id, external_id=f"r{n}{k}", system=system,
                    text=f"It is {n} that {system} names.",
                )  # fmt: skip
                session.add(response)
                session.flush()
                for c, (key, criterion_id) in enumerate(ids.items()):
                    score = n % 2 if key == "correct" else 1 + (n + k + c) % 5
                    session.add(
                        Rating(
                            project_id=created.id, response_id=response.id, criterion_id=criterion_id,
                            person_id=ann.id, score=float(score),
                        )
                    )  # fmt: skip
    return created.slug


def run(store: Store, server: Server, slug: str, protocol: str, **changes: object) -> int:
    if not [endpoint for endpoint in endpoints.list_endpoints(store) if endpoint.name == "local"]:
        endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    run_id = service.create_run(store, slug, spec(protocol=protocol, name=protocol, **changes))
    begin(store, run_id, 1)
    judge(store, run_id)
    end_round(store, run_id, 1, before=1, errors=())
    return run_id


def scores_of(store: Store, name: str) -> dict[str, list[float]]:
    with store.reading() as session:
        frame = score_frame(session, session.query(Project).one().id, kinds=("judge",))
    mine = frame[frame["rater"] == name].sort_values("response")
    return {key: list(rows["score"]) for key, rows in mine.groupby("criterion")}


def test_otb_asks_three_times_for_all_criteria_and_averages(store: Store, server: Server) -> None:
    slug = project_of(store, "bioasq", items=3)
    server.habits.answers = [SCORES % n for n in (1, 2, 4)]
    status = service.run_status(store, run(store, server, slug, "otb", samples=None))
    assert (status.units, status.scored, status.completions) == (6, 6, 18)
    body = server.bodies[0]
    assert (body["temperature"], body["top_p"]) == (0.0, 0.6)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    schema = body["response_format"]["json_schema"]["schema"]
    assert tuple(schema["properties"]) == ORDER
    scores = scores_of(store, "otb")
    assert set(scores["readability"]) == {4.0}
    with store.reading() as session:
        single = sample_frame(session, session.query(Project).one().id)
    assert set(single["sample"]) == {0, 1, 2} and len(single) == 6 * 3 * 4
    mean = single[single["criterion"] == "recall"].groupby("response")["score"].mean()
    assert scores["recall"] == pytest.approx(list(mean))


def test_a_reply_that_lacks_a_criterion_is_unscored_and_says_which(store: Store, server: Server) -> None:
    slug = project_of(store, "bioasq", items=2)
    server.habits.answers = ['{"readability": {"score": 4}, "recall": {"score": 9}}']
    status = service.run_status(store, run(store, server, slug, "rts"))
    assert (status.unscored, status.scored) == (4, 0)
    with store.reading() as session:
        readings = [row.reading["reason"] for row in session.query(Completion)]
    assert set(readings) == {"recall: 9 is not one of 1, 2, 3, 4, 5"}


def test_few_shot_shows_six_of_another_batch_and_judges_none_of_their_questions(
    store: Store, server: Server
) -> None:
    slug = project_of(store, "bioasq", items=14)
    server.habits.answers = [SCORES % 3]
    options = {"examples_from": "batch 1", "apart": False}
    run_id = run(store, server, slug, "few_shot", options=options)
    prompts = [body["messages"][-1]["content"] for body in server.bodies]
    for prompt in prompts:
        examples, case = prompt.rsplit("</examples>", 1)
        questions = re.findall(r"Why (\d+)\?", examples)
        assert len(questions) == 6 and all(int(n) % 2 for n in questions)
        assert not set(questions) & set(re.findall(r"Why (\d+)\?", case))
    judged = {re.findall(r"Why (\d+)\?", prompt)[-1] for prompt in prompts}
    assert not judged & set(questions)
    assert service.run_status(store, run_id).units == 28 - 2 * len(set(questions))
    with pytest.raises(UserError, match="batch 9"):
        run(store, server, slug, "few_shot", options={"examples_from": "batch 9"})


def test_few_shot_takes_its_examples_from_a_group_that_it_does_not_judge(
    store: Store, server: Server
) -> None:
    slug = project_of(store, "bioasq", items=14)
    server.habits.answers = [SCORES % 3]
    status = service.run_status(store, run(store, server, slug, "few_shot"))
    notice = "Groups not judged, because the examples are taken from them: batch 0."
    assert (status.units, status.examples) == (14, notice)
    for body in server.bodies:
        examples, case = body["messages"][-1]["content"].rsplit("</examples>", 1)
        assert all(int(n) % 2 == 0 for n in re.findall(r"Why (\d+)\?", examples))
        assert all(int(n) % 2 == 1 for n in re.findall(r"Why (\d+)\?", case))
    judge_spec = spec(protocol="few_shot")
    other_group = estimate(store, slug, judge_spec, Selection(groups=("batch 0",)))
    assert (other_group.units, other_group.examples) == (14, notice.replace("batch 0", "batch 1"))
    no_split = estimate(store, slug, spec(protocol="few_shot", options={"apart": False}))
    assert no_split.units == 28 - 12 and no_split.examples.startswith("The examples have no separate split")


def test_groups_too_small_for_the_examples_are_put_together_or_there_is_no_split(
    store: Store, server: Server
) -> None:
    slug = project_of(store, "bioasq", items=9, systems=("s0",))
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    with store.writing() as session:
        for n, item in enumerate(session.query(ItemRow).order_by(ItemRow.id)):
            item.group = f"batch {n % 3}"
    first = estimate(store, slug, spec(protocol="few_shot"))
    assert (first.units, first.examples) == (
        3,
        "Groups not judged, because the examples are taken from them: batch 0, batch 1.",
    )
    with store.writing() as session:
        session.query(ItemRow).update({"group": "all"})
    second = estimate(store, slug, spec(protocol="few_shot"))
    assert second.units == 3 and second.examples.startswith("The examples have no separate split")


def test_a_run_over_some_criteria_asks_for_these_alone(store: Store, server: Server) -> None:
    slug = project_of(store, "bioasq", items=2)
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    server.habits.answers = ['{"recall": {"score": 2}, "precision": {"score": 4}}']
    chosen = Selection(criteria=("recall", "precision"))
    run_id = service.create_run(store, slug, spec(protocol="otb", samples=1), chosen)
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.scored, status.units) == (4, 4)
    assert "readability" not in str(server.bodies[0]["messages"])
    with store.reading() as session:
        assert sorted(row.score for row in session.query(Verdict)) == [2.0] * 4 + [4.0] * 4


def test_the_meta_evaluator_sees_a_finished_run_and_metrics(store: Store, server: Server) -> None:
    slug = project_of(store, "bioasq", items=2)
    server.habits.answers = [SCORES % 2]
    run(store, server, slug, "otb")
    score_project(store, slug, ["length"])
    server.bodies.clear()
    status = service.run_status(store, run(store, server, slug, "meta", options={"evidence": "length,otb"}))
    assert status.scored == 4
    prompt = server.bodies[0]["messages"][-1]["content"]
    lines = re.findall(r"^- .*$", prompt, re.MULTILINE)
    assert "- otb, for recall: 2" in lines and "- otb, for precision: 5" in lines
    assert len(lines) == 5 and any(line.startswith("- length, for the whole response: ") for line in lines)


def test_qa_eval_in_two_turns_says_the_reasons_back_and_takes_the_majority(
    store: Store, server: Server
) -> None:
    slug = project_of(store, "qa_eval", items=4, systems=("s0",))
    server.habits.answers = ["It fits, so yes", "yes", "no", "No."]
    run_id = run(store, server, slug, "qa_eval", samples=3, options={"turns": "two", "shots": 0})
    talks = [[message["role"] for message in body["messages"]] for body in server.bodies]
    assert talks.count(["user"]) == 4 and talks.count(["user", "assistant", "user"]) <= 12
    with store.reading() as session:
        rows = session.query(Completion).all()
        by_unit: dict[int, list[Completion]] = {}
        for row in rows:
            by_unit.setdefault(row.judgment_id, []).append(row)
        verdicts = {row.judgment_id: row.score for row in session.query(Verdict)}
    for judgment, replies in by_unit.items():
        assert len(replies) == 6
        votes = [row.reading["scores"].get("correct") for row in replies if row.call_key == "verdict"]
        valid_votes = [vote for vote in votes if vote is not None]
        yes_votes = sum(vote == 1 for vote in valid_votes)
        expected = None if 2 * yes_votes == len(valid_votes) else float(2 * yes_votes > len(valid_votes))
        assert verdicts.get(judgment) == expected
    calls = server.calls
    cached_status = service.run_status(
        store, run(store, server, slug, "qa_eval", samples=3, options={"turns": "two", "shots": 0})
    )
    assert (server.calls, cached_status.calls) == (calls, 0)  # both turns come from the cache
    assert cached_status.scored == service.run_status(store, run_id).scored


@pytest.mark.parametrize("shots", [0, 9])
def test_own_examples_of_qa_eval_are_sent_in_place_of_ours(store: Store, server: Server, shots: int) -> None:
    slug = project_of(store, "qa_eval", items=1, systems=("s0",))
    custom = "<example>\nHow many legs has a spider? Eight.\nyes\n</example>"
    template_editing.save(store, slug, "qa_eval", {"examples": custom})
    server.habits.answers = ["It fits.\nyes"]
    status = service.run_status(
        store, run(store, server, slug, "qa_eval", samples=1, options={"shots": shots})
    )
    prompt = server.bodies[0]["messages"][-1]["content"]
    assert f"<examples>\n{custom}\n</examples>" in prompt and prompt.count("<example>") == 1
    assert status.scored == 1


def test_an_estimate_counts_the_talk_before_a_further_turn(store: Store, server: Server) -> None:
    slug = project_of(store, "qa_eval", items=2, systems=("s0",))
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    one_turn, two_turns = (
        estimate(store, slug, spec(protocol="qa_eval", samples=1, options={"turns": turns}))
        for turns in ("one", "two")
    )
    assert (one_turn.completions, two_turns.completions) == (2, 4)
    assert two_turns.prompt_tokens.high > 1.9 * one_turn.prompt_tokens.high
