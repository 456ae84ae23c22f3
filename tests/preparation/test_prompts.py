"""The prompts of the preparations are templates: shown, tried, replaced part by part or whole, put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.service import import_files
from judgelab.preparation.generation.prompts import prompts, subject
from judgelab.preparation.step import prepare
from judgelab.runs import template_editing
from judgelab.runs.endpoints import service
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, PreparedReply
from tests.command import judgelab
from tests.preparation.panels import speaks
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks, rate

ALL = (
    *("demonstrations", "references.generated", "references.gold", "references.lower", "responses"),
    *("roles.coarse", "roles.fine", "steps", "tags"),
)


@pytest.fixture
def slug(store: Store) -> str:
    """A rated project whose items have documents: every preparation has something to write about."""
    slug = flasks(store, 2)
    rate(store, slug, {1: 3, 2: 0})
    with store.writing() as session:
        for item in session.query(ItemRow).all():
            item.meta = {"asin": "B01"}
    table = b"asin,reviewText\nB01,It does not leak\n"
    import_files(store, slug, [("reviews.csv", table)], kind="documents")
    return slug


def sent(store: Store, slug: str, name: str) -> str:
    prompt_subject = subject(name)
    (call,) = prompt_subject.preview(
        store, slug, template_editing.texts_in_use(store, slug, prompt_subject)
    ).calls
    return "\n\n".join(message.content for message in call.messages)


def test_every_prompt_that_asks_a_model_before_judging_is_a_template() -> None:
    assert tuple(prompts.names()) == ALL
    with pytest.raises(NotFound, match=r"no prompt named 'role'.*direct.*roles\.coarse"):
        subject("role")


@pytest.mark.parametrize("name", ALL)
def test_every_part_can_be_said_in_ones_own_words_and_put_back(store: Store, slug: str, name: str) -> None:
    prompt_subject, before = subject(name), sent(store, slug, name)
    default_texts = {
        part.name: part.built_in_text for part in template_editing.template_parts(store, slug, prompt_subject)
    }
    for part_name in prompt_subject.parts:
        assert (
            default_texts[part_name]
            and f"<{part_name}>\n{default_texts[part_name]}\n</{part_name}>" in before
        ), "what stands between the marks"
        template_editing.save(store, slug, prompt_subject, {part_name: f"Own {part_name}. {{ours}}"})
        assert f"<{part_name}>\nOwn {part_name}. {default_texts[part_name]}\n</{part_name}>" in sent(
            store, slug, name
        )
        assert template_editing.reset(store, slug, prompt_subject, [part_name]) == [part_name]
        assert sent(store, slug, name) == before
    template_editing.save(
        store, slug, prompt_subject, {"system": "Be brief.", "markers": "task = [Task] {text} [/Task]"}
    )
    assert sent(store, slug, name).startswith(f"Be brief.\n\n[Task] {default_texts['task']} [/Task]")


def test_a_whole_prompt_of_others_names_what_it_is_about(store: Store, slug: str) -> None:
    prompt_subject = subject("roles.coarse")
    template_editing.save(
        store, slug, prompt_subject, {"prompt": "Who asks {{Q}}?", "placeholders": "{{Q}} = question"}
    )
    assert sent(store, slug, "roles.coarse") == "Who asks Does flask 0 leak??"
    with pytest.raises(InvalidInput, match="no placeholder in the prompt stands for a required text"):
        template_editing.save(
            store, slug, prompt_subject, {"prompt": "Who is in {{K}}?", "placeholders": "{{K}} = text"}
        )
    template_editing.save(
        store, slug, subject("tags"), {"task": "People said {people}, the judge {judge}. Why?"}
    )
    assert "People said 3, the judge 3. Why?" in sent(store, slug, "tags")


def test_own_texts_that_forget_how_replies_are_read_say_so(store: Store, slug: str) -> None:
    saved = template_editing.save(store, slug, subject("tags"), {"output": "Say why."})
    assert list(saved.forgotten) == ["none"]
    assert not template_editing.save(store, slug, subject("tags"), {"output": "A word, or none."}).forgotten


def test_what_is_written_is_asked_for_in_the_words_in_force_and_names_their_version(
    store: Store, slug: str
) -> None:
    def replies() -> dict[str, PreparedReply]:
        with store.reading() as session:
            rows = session.query(PreparedReply).order_by(PreparedReply.id).all()
            session.expunge_all()
        return {f"{row.key} {row.parameters['wording']}": row for row in rows}

    with Server(Habits(speaks=speaks)) as server:
        service.add_endpoint(store, "local", base_url=server.url, concurrency=4, timeout=60)
        options = {"model": "tiny", "endpoint": "local", "anew": "true"}
        prepare(store, slug, "roles", options)
        template_editing.save(
            store, slug, subject("roles.coarse"), {"task": "Which kinds of people leak? {ours}"}
        )
        prepare(store, slug, "roles", options)
        calls = server.calls
        template_editing.reset(store, slug, subject("roles.coarse"))
        prepare(store, slug, "roles", options)
        assert (calls, server.calls) == (6, 6), "four, then the two that changed; our words were answered"
    before = replies()
    assert {row.rpartition(" coarse ")[2] for row in before if " coarse " in row} == {"2", "2, task 1"}
    custom = before["q0 coarse 2, task 1"]
    assert "Which kinds of people leak? Read the question." in custom.messages[0]["content"]
    assert custom.parameters["prompt"] == "roles.coarse"


def test_an_instruction_given_for_once_comes_before_the_kept_task(store: Store, slug: str) -> None:
    template_editing.save(store, slug, subject("responses"), {"task": "Kept."})
    with Server(Habits(speaks=lambda _prompt: "No.")) as server:
        service.add_endpoint(store, "local", base_url=server.url, concurrency=4, timeout=60)
        options = {"model": "tiny", "endpoint": "local"}
        prepare(store, slug, "responses", {**options, "system": "a"})
        prepare(store, slug, "responses", {**options, "system": "b", "instruction": "Given."})
    with store.reading() as session:
        prompts = {row.key[0]: row.messages[0]["content"] for row in session.query(PreparedReply)}
    assert "<task>\nKept.\n</task>" in prompts["a"] and "<task>\nGiven.\n</task>" in prompts["b"]


def test_the_command_shows_replaces_and_puts_back(store: Store, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("Who buys flasks?")
    words = ("template", slug, "roles.fine", "--part", "task")
    assert "task  (JudgeLab's)\n    Read the question." in judgelab(store.url, *words).stdout
    result = judgelab(store.url, *words, "--file", str(file))
    assert result.stdout.strip() == "task: version 1, used from now on", result.stderr
    output = judgelab(store.url, *words).stdout
    assert "task  (yours, version 1)" in output and "+Who buys flasks?" in output
    [stored_part] = json.loads(judgelab(store.url, *words, "--json").stdout)
    assert stored_part["versions"][0]["used"] and stored_part["shipped"].startswith("Read the question.")
    assert judgelab(store.url, *words, "--reset").stdout.strip() == "Restored JudgeLab's text: task."
