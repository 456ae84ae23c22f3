"""QA-eval and LINKAGE with examples of a project: rated responses of a group apart, or a saved set."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from judgelab.errors import InvalidInput, NotServed
from judgelab.preparation.demonstrations import example_of, rated_responses
from judgelab.preparation.step import prepare
from judgelab.replication.planning import plan_study
from judgelab.replication.study_judges import ModelSource
from judgelab.runs import service
from judgelab.runs.plan.run_builder import RunDraft
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.models import ItemRow, JudgeRow, ReferenceRow
from judgelab.store.prepared.rated_rows import rated_rows
from judgelab.store.prepared.reference_lists import lists_of
from judgelab.store.prepared.worked_examples import save_example
from judgelab.store.projects.projects import find_project
from tests.command import judgelab
from tests.replication.conftest import Make, make

__all__ = ["make"]  # a fixture

GROUPS = {"a": 6, "b": 6, "c": 6}


@pytest.fixture
def facts(make: Make, store: Store) -> str:
    """Answers of two systems to 18 questions with gold answers, rated right or wrong."""
    make("facts", study="qa_eval", groups=GROUPS, judges={}, systems=("x", "y"))
    with store.writing() as session:
        for item in session.query(ItemRow):
            session.add(ReferenceRow(item_id=item.id, text=f"gold of {item.external_id}", position=0))
    return "facts"


def drafted(store: Store, slug: str, protocol: str, **options: object) -> RunDraft:
    return service.build_draft(store, slug, JudgeSpec(protocol, "rule", backend="scripted", options=options))


def prompt(store: Store, slug: str, protocol: str, **options: object) -> str:
    spec = JudgeSpec(protocol, "rule", backend="scripted", options=options)
    draft = service.build_draft(store, slug, spec)
    return (
        service.preview_prompt(store, slug, spec, draft.units[0].response_id, draft=draft)
        .calls[0]
        .messages[0]
        .content
    )


def blocks(text: str) -> list[str]:
    return re.findall(r"<example>\n(.*?)\n</example>", text, re.DOTALL)


def groups_of(store: Store, slug: str, responses: list[int]) -> set[str]:
    with store.reading() as session:
        frame = response_frame(session, find_project(session, slug).id).set_index("response")
    return {str(item).partition("-")[0] for item in frame.loc[responses, "item"]}


def test_rated_answers_are_shown_with_their_verdicts_and_their_group_is_not_judged(
    store: Store, facts: str
) -> None:
    options = {"examples": "rated", "explain": False, "shots": 4}
    draft = drafted(store, facts, "qa_eval", **options)
    (examples,) = draft.judge_config.demonstrations.values()
    assert {example.score for example in examples} == {0.0, 1.0}
    assert draft.split == ["a"] and len(draft.units) == 24
    assert groups_of(store, facts, [int(example.response_id or 0) for example in examples]) == {"a"}
    assert groups_of(store, facts, [unit.response_id for unit in draft.units]) == {"b", "c"}
    example_blocks = blocks(prompt(store, facts, "qa_eval", **options))
    assert len(example_blocks) == 4
    for block, example in zip(example_blocks, examples, strict=True):
        assert f"<question>\n{example.question}\n</question>" in block
        assert f"gold of {example.question}" in block and example.response in block
        assert (
            block.endswith("yes\n</score>" if example.score else "no\n</score>")
            and "<reasoning>" not in block
        )
    named = drafted(store, facts, "qa_eval", **options, examples_from="c")
    assert named.split == ["c"] and len(named.units) == 24
    unsplit = drafted(store, facts, "qa_eval", **options, apart=False)
    questions = {
        example.question
        for examples_of_criterion in unsplit.judge_config.demonstrations.values()
        for example in examples_of_criterion
    }
    assert unsplit.split == [] and len(unsplit.units) == 36 - 2 * len(questions), "never their own questions"


def test_ours_stay_the_default_and_judge_all(store: Store, facts: str) -> None:
    draft = drafted(store, facts, "qa_eval")
    assert (
        not any(draft.judge_config.demonstrations.values()) and draft.split is None and len(draft.units) == 36
    )
    assert "freezing point of water" in prompt(store, facts, "qa_eval")
    assert prompt(store, facts, "qa_eval") == prompt(store, facts, "qa_eval", examples="ours", apart=False)


def test_reasons_come_from_a_saved_set_alone(store: Store, facts: str) -> None:
    with pytest.raises(NotServed, match="its examples need rationales, and rated responses have none"):
        drafted(store, facts, "qa_eval", examples="rated")
    with pytest.raises(NotServed, match=r"9 examples of this project, but 0 can be used"):
        drafted(store, facts, "qa_eval", examples="saved")
    with store.writing() as session:
        project = find_project(session, facts)
        for response in rated_responses(store, facts, "correct")[:2]:
            example = replace(example_of(response, "correct"), reasoning=f"Because of {response.question}.")
            save_example(session, project.id, "mine", example)
    text = prompt(store, facts, "qa_eval", examples="saved", shots=2)
    example_blocks = blocks(text)
    assert len(example_blocks) == 2 and all(
        "Because of" in block and "gold of" in block for block in example_blocks
    )
    assert (
        drafted(store, facts, "qa_eval", examples="saved", shots=2).judge_config.judge.options[
            "demonstrations"
        ]
        == "mine@2"
    )
    assert drafted(store, facts, "qa_eval").judge_config.judge.options["demonstrations"] == ""


def test_an_example_of_a_list_stands_at_the_place_that_peoples_grades_give_it(
    make: Make, store: Store
) -> None:
    make("open", study="linkage", groups=GROUPS, judges={}, systems=tuple("uvwxyz"))
    prepare(store, "open", "references", {"pattern": "3210"})
    draft = drafted(store, "open", "linkage", examples="rated", shots=3)
    (examples,) = draft.judge_config.demonstrations.values()
    assert len(examples) == 3 and draft.split == ["a"]
    with store.reading() as session:
        project = find_project(session, "open")
        rows = {str(row.response_id): row for row in rated_rows(session, project.id)}
        lists = lists_of(session, project.id, "references", 1)
    for example in examples:
        row = rows[str(example.response_id)]
        ratings = [float(entry.rating or 0) for entry in lists[row.item_id].entries]
        assert example.references == [entry.text for entry in lists[row.item_id].entries]
        assert example.score == 1 + sum(
            rating > row.scores["quality"] for rating in ratings if rating is not None
        )
    assert len({example.score for example in examples}) == 3, "spread over the places"
    example_blocks = blocks(prompt(store, "open", "linkage", examples="rated", shots=3))
    assert [block.splitlines()[-2] for block in example_blocks] == [
        f"[[{example.score:g}]]" for example in examples
    ]
    assert all(
        f"1. {example.references[0]}" in block
        for block, example in zip(example_blocks, examples, strict=True)
    )
    ours = prompt(store, "open", "linkage", shots=3)
    assert "Why do cut apples turn brown?" in ours
    with pytest.raises(InvalidInput, match="can't be examples"):
        spec = JudgeSpec("linkage", "rule", backend="scripted", options={"shots": 1}, demonstrations=(999,))
        service.build_draft(store, "open", spec)


def test_a_studys_runs_are_planned_with_examples_of_the_project(
    store: Store, make: Make, tmp_path: Path
) -> None:
    make("open", study="linkage", groups=GROUPS, judges={}, systems=tuple("uvwxyz"))
    prepare(store, "open", "references", {"pattern": "3210"})
    rule = ModelSource("scripted", None, "rule")
    ours, rated_ = (plan_study(store, "open", rule, examples=planned) for planned in ("ours", "rated"))
    few = [planned for planned in rated_.missing if planned.title.endswith("rated examples")]
    assert few and all(planned.spec.options["examples"] == "rated" for planned in few)
    assert {planned.title for planned in ours.missing} == {
        planned.title.removesuffix(", rated examples") for planned in rated_.missing
    }
    command = ("study", "open", "--missing", "--backend", "scripted", "--model", "rule")
    printed = judgelab(store.url, *command, "--examples", "rated", "--json")
    titles = [planned["judge"] for planned in json.loads(printed.stdout)[0]["missing"]]
    assert titles == [planned.title for planned in rated_.missing]
    refused = judgelab(store.url, "study", "open", "--examples", "rated")
    assert refused.returncode == 1 and "--examples applies to runs" in refused.stderr
    saved = plan_study(store, "open", rule, examples="saved")
    assert any("only rated responses as examples" in planned.refused for planned in saved.refused)


def test_a_judge_made_before_the_option_is_still_the_same_judge(store: Store, facts: str) -> None:
    spec = JudgeSpec("qa_eval", "rule", backend="scripted", name="old", samples=1)
    service.create_run(store, facts, spec)
    with store.writing() as session:
        (row,) = session.query(JudgeRow)
        row.options = {
            k: v for k, v in row.options.items() if k in ("shots", "explain", "turns", "tie", "instruction")
        }
    service.create_run(store, facts, spec)
    with store.reading() as session:
        assert session.query(JudgeRow).count() == 1
