"""Worked examples and reasoning steps: drafted, refined, versioned, and shown by later judges."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.preparation.demonstrations import example_of, refine_example, remove_example
from judgelab.preparation.evaluation_steps import edit_steps
from judgelab.preparation.step import prepare
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.run_builder import build_run
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.engine import Store
from judgelab.store.judging.judges import list_judges
from judgelab.store.models import Rating
from judgelab.store.prepared import worked_examples
from judgelab.store.prepared.rated_examples import rated_examples
from judgelab.store.prepared.worked_examples import example_sets, examples_at, steps_saved
from judgelab.store.projects.projects import find_project, update_project
from judgelab.store.scoring import tuned_models
from tests.runs.judging import judge
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks, rate

ASK = {"model": "tiny", "endpoint": "local"}


def speaks(prompt: str) -> str:
    if "careful rater" in prompt:
        return "1. Understanding the question\nLeaks?\n2. Analysing\nSays no.\n3. Rating\n4. Conclusion"
    if "Another judge" in prompt:
        return "1. Understand.\n2. Analyse.\n3. Rate.\n4. Conclude."
    return "2"


@pytest.fixture
def server(store: Store) -> Iterator[Server]:
    with Server(Habits(speaks=speaks)) as running:
        endpoints.add_endpoint(store, "local", base_url=running.url, timeout=60)
        yield running


def asked(
    store: Store, slug: str, protocol: str, **options: object
) -> tuple[dict[str, object], str, list[int]]:
    """Return the options that a judge would keep, its first prompt, and the responses it never judges."""
    with store.reading() as session:
        project = find_project(session, slug)
        draft = build_run(
            session, project, JudgeSpec(protocol, "tiny", endpoint="local", options=options), Selection()
        )
        unit = draft.units[0]
        from judgelab.store.judging.judgments import unit_of

        unit_rows = unit_of(session, unit.response_id, unit.criteria)
        assert unit_rows is not None
        text = draft.judge_config.protocol.build(
            draft.judge_config.task(unit_rows), draft.judge_config.judge.options
        )[0].content
    return dict(draft.judge_config.judge.options), text, list(draft.excluded)


def test_examples_are_drafted_refined_and_shown_in_their_version(store: Store, server: Server) -> None:
    slug = flasks(store, 6)
    rate(store, slug, {1: 3, 2: 0, 3: 2, 4: 1})
    outcome = prepare(store, slug, "demonstrations", {**ASK, "shots": "2"})
    assert outcome.data["version"] == 2 and [example["score"] for example in outcome.data["drafted"]] == [
        3,
        0,
    ]
    with store.reading() as session:
        project_id = find_project(session, slug).id
        best, worst = examples_at(session, project_id, "examples")
    assert not best.refined and best.origin == "tiny-1" and best.reasoning.startswith("1. Understanding")

    version = refine_example(
        store, slug, "examples", best, reasoning="1. Better thought.", score=3, person_id=None
    )
    assert version == 3
    options, text, excluded = asked(store, slug, "elect")
    assert options["demonstrations"] == "examples@3" and "Better thought" in text and "Says no" not in text
    assert excluded == [1]
    options, text, _ = asked(store, slug, "elect", demonstrations="examples@2", shots=2)
    assert options["demonstrations"] == "examples@2" and text.count("Says no") == 2
    assert "kettle" in asked(store, slug, "elect", demonstrations="shipped")[1]
    assert "Better thought" not in asked(store, slug, "one_shot")[1]  # the same example without its reasoning

    remove_example(store, slug, "examples", worst, person_id=None)
    with store.reading() as session:
        assert [example.key for example in examples_at(session, project_id, "examples")] == [best.key]
        assert example_sets(session, project_id)[0][:3] == ("examples", 4, 1)
    with pytest.raises(InvalidInput, match="2 rated examples"):
        asked(store, slug, "elect", shots=2)
    with pytest.raises(NotFound, match="others"):
        asked(store, slug, "elect", demonstrations="others")
    with pytest.raises(InvalidInput, match="newest is 4"):
        asked(store, slug, "elect", demonstrations="examples@9")
    with pytest.raises(InvalidInput, match="outside 0 to 3"):
        refine_example(store, slug, "examples", best, reasoning="x", score=7, person_id=None)

    run = service.create_run(store, slug, JudgeSpec("elect", "tiny", endpoint="local", samples=1))
    judge(store, run)
    assert service.run_status(store, run).scored == 5
    assert "Better thought" in server.bodies[-1]["messages"][0]["content"]


def test_steps_are_written_edited_and_used_in_their_version(store: Store, server: Server) -> None:
    slug = flasks(store, 2, criteria=("clear", "helpful"))
    default_prompt = asked(store, slug, "geval")[1]
    outcome = prepare(store, slug, "steps", ASK)
    assert outcome.data["version"] == 1 and "[clear]\n1. Understand." in outcome.data["text"]
    changed_steps = outcome.data["text"].replace("[clear]\n1. Understand.", "[clear]\n1. Read twice.")
    assert edit_steps(store, slug, changed_steps, person_id=None) == 2
    options, text, _ = asked(store, slug, "geval")
    assert options["saved_steps"] == "2" and "Read twice" in text and "1. Understand." not in text
    assert "Read twice" not in asked(store, slug, "geval", saved_steps=1)[1]
    assert asked(store, slug, "geval", saved_steps="shipped")[1] == default_prompt
    assert "My own." in asked(store, slug, "geval", steps="My own.")[1]
    with store.reading() as session:
        saved = steps_saved(session, find_project(session, slug).id)
    assert [steps.origin for steps in saved] == ["person", "tiny"] and saved[0].draft == saved[1].text


def test_what_several_people_save_at_once_gets_a_version_each(any_store: Store) -> None:
    store, slug = any_store, flasks(any_store, 1)
    with store.reading() as session:
        project = find_project(session, slug).id
    barrier = Barrier(4, timeout=20)  # who fails must not leave the others waiting

    def save(number: int) -> None:
        barrier.wait()
        with store.writing() as session:
            worked_examples.save_steps(session, project, f"1. Steps {number}.")
        barrier.wait()
        with store.writing() as session:
            update_project(session, project, settings={f"setting {number}": number})
        barrier.wait()
        with store.writing() as session:
            tuned_models.save_tuned(session, project, f"model {number}", {})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, range(4)))
    with store.reading() as session:
        assert [steps.version for steps in steps_saved(session, project)] == [4, 3, 2, 1]
        settings = find_project(session, slug).settings
        assert [settings[f"setting {number}"] for number in range(4)] == list(range(4))
        assert len(tuned_models.tuned_models(session, project)) == 4


def test_repeats_enter_no_example(store: Store) -> None:
    slug = flasks(store, 1)
    rate(store, slug, {1: 3})
    with store.writing() as session:
        first = session.query(Rating).one()
        ids = {key: getattr(first, key) for key in ("project_id", "response_id", "criterion_id", "person_id")}
        session.add(Rating(**ids, score=0, occasion=1))
    with store.reading() as session:
        project = find_project(session, slug).id
        assert rated_examples(session, project, "helpfulness")[0].score == 3


def test_what_a_run_was_shown_stays_when_examples_and_steps_are_changed_before_it_ends(
    any_store: Store,
) -> None:
    store, slug = any_store, flasks(any_store, 4)
    rate(store, slug, {1: 3, 2: 0})
    with store.reading() as session:
        first = rated_examples(session, find_project(session, slug).id, "helpfulness")[0]
    example = example_of(first, "helpfulness", reasoning="1. As it was.")
    refine_example(store, slug, "studio", example, reasoning="1. As it was.", score=3, person_id=None)
    edit_steps(store, slug, "1. Old steps.", person_id=None)
    with Server() as server:
        endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
        runs = [
            service.create_run(store, slug, JudgeSpec(protocol, "tiny", endpoint="local", samples=1))
            for protocol in ("elect", "geval")
        ]
        refine_example(store, slug, "studio", example, reasoning="1. As it is now.", score=2, person_id=None)
        remove_example(store, slug, "studio", example, person_id=None)
        edit_steps(store, slug, "1. New steps.", person_id=None)
        for run in runs:
            judge(store, run)
    prompts = [str(body["messages"]) for body in server.bodies]
    assert len([entry for entry in prompts if "As it was" in entry]) == 3  # not of the example itself
    assert len([entry for entry in prompts if "Old steps" in entry]) == 4
    assert not [entry for entry in prompts if "As it is now" in entry or "New steps" in entry]
    with store.reading() as session:
        options = {
            entry.protocol: entry.options for entry in list_judges(session, find_project(session, slug).id)
        }
        examples = examples_at(session, find_project(session, slug).id, "studio", 1)
    assert options["elect"]["demonstrations"] == "studio@1" and options["geval"]["saved_steps"] == "1"
    assert [entry.reasoning for entry in examples] == ["1. As it was."]
