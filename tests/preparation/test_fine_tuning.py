"""Tuning a judge on a project's ratings: the files, a hosted job, LoRA on a model made on the spot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judgelab.domain import Reference
from judgelab.errors import InvalidInput, UserError
from judgelab.preparation.step import prepare
from judgelab.preparation.tuning.dataset import DatasetSpec, build_dataset, problems_of
from judgelab.preparation.tuning.jobs import cancel_job, follow_job, start_job
from judgelab.preparation.tuning.split import split_items
from judgelab.runs import service, template_editing
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Judgment, ResponseRow
from judgelab.store.prepared.rated_rows import RatedRow
from tests.runs.openai_server import Server
from tests.runs.test_json_judges import project_of
from tests.tiny_models import TEMPLATE, make_causal, make_seq2seq, need_torch

ONE = RatedRow(1, 1, "q1", "s", "b1", "Why?", "", "So.", [Reference("Because.")], {"quality": 3})


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def rows(*items: tuple[str, str, str]) -> list[RatedRow]:
    return [replace(ONE, external_id=item, group=group, question=question) for item, group, question in items]


def test_items_of_a_question_stay_together_and_none_is_learnt_from_and_judged() -> None:
    rated = rows(*((f"q{n}", f"b{n % 4}", f"Why {n // 2}?") for n in range(40)))
    split = split_items(rated, percent=50, seed=2)
    question_of = {row.external_id: row.question for row in rated}
    parts = (split.train, split.validation, split.held_out)
    training_questions, validation_questions, held_questions = (
        {question_of[item] for item in item_names} for item_names in parts
    )
    assert (
        not training_questions & held_questions
        and not validation_questions & held_questions
        and not training_questions & validation_questions
    )
    assert len(split.train) + len(split.validation) == 20 and split == split_items(rated, percent=50, seed=2)


def test_a_training_question_that_is_also_to_be_judged_is_left_out() -> None:
    rated = rows(
        ("q1", "old", "Why?"), ("q2", "old", "How?"), ("q3", "new", " why? "), ("q4", "new", "When?")
    )
    split = split_items(rated, train=["old"], validation_percent=0)
    assert (split.train, split.held_out, split.leaking) == (("q2",), ("q3", "q4"), ("q1",))
    with pytest.raises(InvalidInput, match="name it only once"):
        split_items(rated, train=["old"], validation=["old"])
    with pytest.raises(InvalidInput, match="left to judge: 0"):
        split_items(rated, train=["old", "new"])


def test_a_line_is_otbs_prompt_with_the_peoples_scores_as_its_reply(store: Store, tmp_path: Path) -> None:
    slug = project_of(store, "bioasq", items=12)
    out = prepare(store, slug, "fine-tuning", {"kind": "dataset", "train": "batch 0", "out": str(tmp_path)})
    assert (out.data["train_items"], out.data["validation_items"], out.data["held_out_items"]) == (5, 1, 6)
    lines = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    assert len(lines) == 10 and not problems_of(lines)
    first = lines[0]["messages"]
    assert [turn["role"] for turn in first] == ["system", "user", "assistant"]
    assert first[2]["content"] == (
        '{"readability": {"score": 4}, "recall": {"score": 1}, "precision": {"score": 2}, '
        '"repetition": {"score": 3}}'
    )
    card = json.loads((tmp_path / "card.json").read_text())
    assert set(card["split"]["train"]) <= {"q0", "q2", "q4", "q6", "q8", "q10"}
    assert problems_of([{"messages": first[:2]}]) == ["line 1: the messages are not a prompt and a reply"]


def test_a_model_is_tuned_on_the_project_s_own_texts(store: Store, tmp_path: Path) -> None:
    slug = project_of(store, "bioasq", items=12)
    template_editing.save(store, slug, "otb", {"system": "Be strict.", "task": "Judge it."})
    prepare(store, slug, "fine-tuning", {"kind": "dataset", "train": "batch 0", "out": str(tmp_path)})
    system, user, _ = json.loads((tmp_path / "train.jsonl").read_text().splitlines()[0])["messages"]
    assert system["content"] == "Be strict." and user["content"].startswith("<task>\nJudge it.\n</task>")


def test_reasons_and_too_few_ratings_cannot_be_learnt(store: Store) -> None:
    slug = project_of(store, "bioasq", items=4)
    with pytest.raises(InvalidInput, match="choose otb or direct"):
        build_dataset(store, slug, DatasetSpec(protocol="rts"))
    with pytest.raises(InvalidInput, match="10 are needed"):
        build_dataset(store, slug, DatasetSpec(train="batch 0"))


def test_a_hosted_job_is_started_followed_and_its_model_never_judges_what_it_learnt(
    store: Store, server: Server
) -> None:
    slug = project_of(store, "bioasq", items=14)
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    dataset = build_dataset(store, slug, DatasetSpec(train="batch 0", seed=5))
    job = start_job(store, slug, "one", dataset, endpoint="local", base_model="gpt-x", epochs=2)
    request = server.tuning.asked[0]
    assert (request["model"], request["seed"], request["suffix"]) == ("gpt-x", 5, "one")
    assert request["method"]["supervised"]["hyperparameters"] == {"n_epochs": 2}
    assert len(server.batches.files[request["training_file"]].splitlines()) == len(dataset.train)
    assert request["validation_file"] in server.batches.files
    with pytest.raises(InvalidInput, match="choose another name"):
        start_job(store, slug, "one", dataset, endpoint="local", base_model="gpt-x")
    assert follow_job(store, slug, "one", wait=False).state == "queued"
    finished = follow_job(store, slug, "one", seconds=0)
    assert finished.state == "succeeded" and finished.model.startswith("ft:gpt-x") and finished.id == job.id
    run = service.create_run(store, slug, JudgeSpec("otb", finished.model, endpoint="local"))
    with store.reading() as session:
        judged_groups = (
            session.query(ItemRow.group)
            .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
            .join(Judgment, Judgment.response_id == ResponseRow.id)
            .filter(Judgment.run_id == run)
        )
        assert {group for (group,) in judged_groups} == {"batch 1"}
    assert service.run_status(store, run).units == 14


def test_a_failed_and_a_cancelled_job_say_so_and_may_be_started_again(store: Store, server: Server) -> None:
    slug = project_of(store, "bioasq", items=14)
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=60)
    server.tuning.fails = "line 3 is no example"
    words = {"kind": "start", "model": "gpt-x", "endpoint": "local", "train": "batch 0"}
    prepare(store, slug, "fine-tuning", words)
    assert follow_job(store, slug, "tuned", seconds=0).problem == "line 3 is no example"
    prepare(store, slug, "fine-tuning", words)
    assert cancel_job(store, slug, "tuned").state == "cancelled"
    outcome = prepare(store, slug, "fine-tuning", {"kind": "follow", "wait": "false"})
    assert (outcome.missing, outcome.data["state"]) == (1, "cancelled")
    with pytest.raises(UserError, match="no tuned model named 'other'"):
        follow_job(store, slug, "other")
    with pytest.raises(InvalidInput, match="cannot be reached"):
        endpoints.add_endpoint(store, "away", base_url="http://127.0.0.1:9/v1")
        prepare(store, slug, "fine-tuning", {**words, "endpoint": "away", "name": "far"})


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_lora_on_a_local_model_learns_and_is_used_like_any_other(
    store: Store, tmp_path: Path, kind: str
) -> None:
    need_torch()
    pytest.importorskip("peft")
    base = (
        make_causal(tmp_path / "base", template=TEMPLATE, window=2048)
        if kind == "causal"
        else make_seq2seq(tmp_path / "base", window=2048)
    )
    slug = project_of(store, "qa_eval", items=14, systems=("s0",))
    words = {
        **{"kind": "lora", "model": str(base), "out": str(tmp_path / "tuned"), "protocol": "direct"},
        **{"percent": "80", "epochs": "1", "learning_rate": "0.02", "batch": "4"},
    }
    tuning = prepare(store, slug, "fine-tuning", words).data
    assert tuning["loss_after"] < tuning["loss_before"] and tuning["left_out"] == 0
    assert tuning["checked_after"] is not None and tuning["steps"] == -(-tuning["examples"] // 4)
    assert (tmp_path / "tuned" / "model.safetensors").exists()
    spec = JudgeSpec("direct", tuning["folder"], backend="transformers", samples=1)
    # Only what it never saw is judged.
    status = service.run_status(store, service.create_run(store, slug, spec))
    assert status.units == tuning["held_out_items"]
